import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { clip } from "../shared/text.ts";
import type { ToolResult, ToolStep } from "../trace/trace.ts";
import { argumentsOf, contentOf } from "./content.ts";
import { maybe, objectsIn, own, textIn } from "./member.ts";
import { looksPython, pythonValue } from "./python-repr.ts";
import type { StepList } from "./step-list.ts";
import { parsedText, toolResultOf } from "./tool-result.ts";

/** The call by which a run ends. */
export const FINISH = "Finish";
const ANSWERED = "give_answer";
/** Codes of an observation that say that the call itself failed; 11 is given to any reply in which an error is spoken of. */
const FAILED = new Set([1, 2, 5, 6, 7, 8, 9, 10, 12]);
/** The error at the start of a wrapper, with or without quotes around its name. */
const BROKEN = /^\s*\{\s*"?error"?\s*:\s*"((?:[^"\\]|\\.)*)"/;
const RESPONSE = /^\s*,\s*"response"\s*:\s*"/;
/** What the search puts in when it tries again. */
const AGAIN = /^\s*This is not the first time you try this task/;

/** Messages as steps; gives the number of texts that were cut off. */
export function pushMessages(list: StepList, messages: readonly JsonObject[]): number {
  let waiting: ToolStep | undefined;
  let asked = list.steps.length > 0;
  let cut = 0;
  for (const message of messages) {
    const role = own(message, "role");
    const content = contentOf(own(message, "content"));
    const call =
      own(message, "function_call") ?? own(objectsIn(message, "tool_calls")[0] ?? {}, "function");
    if (role === "assistant") {
      if (content !== "") list.model(content);
      waiting = isObject(call)
        ? pushCall(list, textIn(call, "name"), own(call, "arguments"))
        : undefined;
    } else if (role === "function" || role === "tool") {
      const answer = answered(content);
      cut += answer.cut ? 1 : 0;
      if (waiting !== undefined) list.answer(waiting, answer.result);
      waiting = undefined;
    } else if (role === "user" && (asked || (typeof content === "string" && AGAIN.test(content)))) {
      // The query stands in the first message too.
      if (list.steps.length > 1) list.other("search_note", content);
    } else if (role === "user") {
      list.input(content);
      asked = true;
    }
  }
  return cut;
}

/** Nodes of the search as steps. */
export function pushNodes(list: StepList, nodes: readonly JsonObject[]): number {
  let name: string | undefined;
  let cut = 0;
  for (const node of nodes) {
    const text = textIn(node, "description") ?? "";
    const type = textIn(node, "node_type");
    if (type === "Thought") list.reasoning(text);
    else if (type === "Action") name = text;
    else if (type === "Action Input" && name !== undefined) {
      const step = pushCall(list, name, text);
      const seen = own(node, "observation");
      if (step !== undefined && seen !== undefined) {
        const answer = answered(seen, own(node, "observation_code"));
        cut += answer.cut ? 1 : 0;
        list.answer(step, answer.result);
      }
      name = undefined;
    }
  }
  return cut;
}

/** The way to the leaf at which the search ended: the newest child at each turn, but one that finished wins. */
export function pathOf(root: JsonObject): JsonObject[] {
  const path: JsonObject[] = [];
  let node: JsonObject | undefined = root;
  while (node !== undefined) {
    path.push(node);
    const children: JsonObject[] = objectsIn(node, "children");
    node = children.findLast((child) => own(child, "finished") === true) ?? children.at(-1);
  }
  return path;
}

/** A call; the one that gives the final answer is no call of a tool. */
export function pushCall(
  list: StepList,
  name: string | undefined,
  raw: Json | undefined,
): ToolStep | undefined {
  const args = argumentsOf(raw);
  if (name === FINISH && isObject(args) && textIn(args, "return_type") === ANSWERED)
    return undefined;
  return list.tool({ name: name ?? "unknown", args });
}

/**
 * What a call answered, out of its wrapper `{"error", "response"}`. An error may stand in either; `Message error...` stands
 * beside good replies.
 */
export function answered(seen: Json, code?: Json): { result: ToolResult; cut: boolean } {
  const wrapper = typeof seen === "string" ? parsedText(seen) : seen;
  if (typeof wrapper === "string") return answeredText(wrapper);
  if (!isObject(wrapper) || !Object.hasOwn(wrapper, "response")) {
    return { result: toolResultOf(wrapper), cut: false };
  }
  const raw = own(wrapper, "response") ?? "";
  const cut = typeof raw === "string" && isCut(raw);
  const data = typeof raw === "string" ? valueOf(raw) : raw;
  const error = textIn(wrapper, "error")?.trim();
  const said = error !== undefined && !/^Message error\b/i.test(error);
  const failed = typeof code === "number" && FAILED.has(code) ? code : undefined;
  if (said || failed !== undefined) {
    const message = clip(error ?? `observation code ${failed ?? 0}`, 600);
    const about = { ...maybe("code", failed), message, source: "wrapper" } as const;
    return { result: { ok: false, error: about, data }, cut };
  }
  return { result: toolResultOf(data), cut };
}

/** The same in a wrapper that is no JSON: it was cut off, or has quotes in its error. */
function answeredText(text: string): { result: ToolResult; cut: boolean } {
  const found = BROKEN.exec(text);
  if (found === null) return { result: toolResultOf(text), cut: isCut(text) };
  const [whole, error = ""] = found;
  if (error !== "" && !error.startsWith("Message error")) {
    return { result: toolResultOf(text, true), cut: false };
  }
  const rest = text.slice(whole.length).replace(RESPONSE, "");
  return { result: { ok: true, data: unescaped(rest) }, cut: true };
}

/** A JSON text without its quotes, as far as it goes. */
export function unescaped(text: string): string {
  return text.replaceAll(/\\(["\\/n])/g, (_, sign: string) => (sign === "n" ? "\n" : sign));
}

/** JSON, or what Python wrote; a text that is neither stays as it is. */
function valueOf(text: string): Json {
  const value = parsedText(text);
  return typeof value === "string" && looksPython(value) ? (pythonValue(value) ?? value) : value;
}

function isCut(text: string): boolean {
  return text.endsWith("...") && text.length > 500;
}
