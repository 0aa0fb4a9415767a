import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { ToolResult, ToolStep } from "../trace/trace.ts";
import { argumentsOf, contentOf, plainText } from "./content.ts";
import { askedIn } from "./harness.ts";
import { maybe, objectsIn, own, textIn } from "./member.ts";
import type { Session } from "./session.ts";
import { toolResultOf } from "./tool-result.ts";

/** How a format reads what a tool printed. */
type OutputReader = (step: ToolStep, output: Json, item: JsonObject) => ToolResult;

/** Calls that carry their answer, or have it made by the provider: their arguments and their answer. */
const HOSTED: ReadonlyMap<string, { args: readonly string[]; answer: readonly string[] }> = new Map(
  [
    ["web_search_call", { args: ["action", "query"], answer: ["results"] }],
    ["file_search_call", { args: ["queries"], answer: ["results"] }],
    ["code_interpreter_call", { args: ["code", "container_id"], answer: ["outputs", "results"] }],
    ["image_generation_call", { args: ["prompt", "revised_prompt"], answer: ["result"] }],
    ["mcp_call", { args: ["arguments"], answer: ["error", "output"] }],
  ],
);
const CALLS = new Set(
  `function_call custom_tool_call local_shell_call shell_call apply_patch_call computer_call tool_search_call`.split(
    " ",
  ),
);
const OTHERS = new Set(
  `reasoning mcp_list_tools mcp_approval_request mcp_approval_response item_reference`.split(" "),
);

/** Whether a type is one that only Responses items have. */
export function isItemType(type: string): boolean {
  return CALLS.has(type) || HOSTED.has(type) || OTHERS.has(type) || isOutputType(type);
}

function isOutputType(type: string): boolean {
  return CALLS.has(type.slice(0, -"_output".length)) && type.endsWith("_call_output");
}

/** One item of a Responses conversation as steps of a session. */
export class ResponsesItems {
  readonly #session: Session;
  readonly #read: OutputReader;
  readonly system: string[] = [];
  readonly tools: string[] = [];

  constructor(
    session: Session,
    read: OutputReader = (_step, output, item) => plainAnswer(output, item),
  ) {
    this.#session = session;
    this.#read = read;
  }

  add(item: JsonObject, at?: number): void {
    const type = textIn(item, "type") ?? "message";
    if (type === "message") this.#message(item, at);
    else if (type === "reasoning") this.#session.thought(thoughtIn(item), at);
    else if (CALLS.has(type)) this.#call(item, type, at);
    else if (isOutputType(type)) this.#output(item, at);
    else if (HOSTED.has(type)) this.#hosted(item, type, at);
    else if (type === "mcp_list_tools")
      this.tools.push(...objectsIn(item, "tools").flatMap((tool) => textIn(tool, "name") ?? []));
    else if (type === "mcp_approval_response" && own(item, "approve") === false)
      this.#session.noted("denied", item);
    else this.#session.noted(type, item);
  }

  #message(item: JsonObject, at: number | undefined): void {
    const role = own(item, "role");
    const content = own(item, "content");
    if (role === "system" || role === "developer") {
      const text = plainText(content);
      if (text !== "") this.system.push(text);
    } else if (role === "assistant") {
      const said = contentOf(content);
      if (said !== "") this.#session.said(said, maybe("at", at));
    } else if (role === "tool") {
      this.#output(
        { ...item, output: content ?? null, call_id: own(item, "tool_call_id") ?? null },
        at,
      );
    } else {
      const asked = askedIn(content);
      if (asked !== undefined) this.#session.asked(asked, at);
    }
  }

  #call(item: JsonObject, type: string, at: number | undefined): void {
    const bare = type.slice(0, -"_call".length);
    const name = textIn(item, "name") ?? (type === "function_call" ? "unknown" : bare);
    const given =
      own(item, "arguments") ?? own(item, "input") ?? own(item, "action") ?? own(item, "operation");
    this.#session.called({ id: idOf(item), name, args: argumentsOf(given), at });
  }

  #output(item: JsonObject, at: number | undefined): void {
    const content = contentOf(own(item, "output"));
    const result = (step: ToolStep): ToolResult => this.#read(step, content, item);
    this.#session.answered(
      { ...maybe("id", idOf(item)), ...maybe("name", textIn(item, "name")), content, result },
      at,
    );
  }

  #hosted(item: JsonObject, type: string, at: number | undefined): void {
    const { args, answer } = HOSTED.get(type) ?? { args: [], answer: [] };
    const id = textIn(item, "id") ?? idOf(item);
    const given = args.flatMap((key) =>
      isMissing(own(item, key)) ? [] : [[key, own(item, key) ?? null] as const],
    );
    const [only] = given;
    const whole =
      only !== undefined && given.length === 1 && (only[0] === "arguments" || isObject(only[1]))
        ? only[1]
        : Object.fromEntries(given);
    this.#session.called({
      id,
      name: textIn(item, "name") ?? type.slice(0, -"_call".length),
      args: argumentsOf(whole),
      at,
    });
    const status = textIn(item, "status");
    if (status === "in_progress" || status === "searching" || status === "incomplete") return;
    const key = answer.find((name) => !isMissing(own(item, name)));
    const content = contentOf(key === undefined ? (status ?? "completed") : own(item, key));
    const flagged = key === "error" || status === "failed";
    this.#session.answered(
      { ...maybe("id", id), content, result: () => toolResultOf(content, flagged) },
      at,
    );
  }
}

/** An answer without a format of its own. */
export function plainAnswer(output: Json, item: JsonObject): ToolResult {
  const flagged = own(item, "status") === "failed" || own(item, "is_error") === true;
  return toolResultOf(output, flagged);
}

function idOf(item: JsonObject): string | undefined {
  return textIn(item, "call_id") ?? textIn(item, "id");
}

function thoughtIn(item: JsonObject): string | undefined {
  const parts = [...objectsIn(item, "summary"), ...objectsIn(item, "content")];
  const texts = parts.flatMap((part) => textIn(part, "text") ?? []);
  return texts.length === 0 ? undefined : texts.join("\n");
}

function isMissing(value: Json | undefined): boolean {
  return value === undefined || value === null;
}
