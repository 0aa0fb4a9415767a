import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { clip } from "../shared/text.ts";
import type { ToolResult } from "../trace/trace.ts";
import { callFrom, contentOf, plainText } from "./content.ts";
import { maybe, objectsIn, own, textIn } from "./member.ts";
import type { StepList } from "./step-list.ts";

/** One turn of SWE-agent: what it thought, what it ran, what it saw. */
export interface SweAction {
  readonly name: string;
  readonly args: Json;
  readonly id?: string;
  readonly thought?: string;
  /** The whole message, when it says more than the thought and the action. */
  readonly message?: string;
  /** Missing when the run ended before the answer. */
  readonly observation?: string;
  readonly durationMs?: number;
}

/** Commands that SWE-agent itself offers; everything else goes to the shell. */
const COMMANDS = new Set(
  `open goto scroll_up scroll_down create edit insert submit search_dir search_file find_file str_replace_editor
  filemap exit_forfeit exit_cost connect_start connect_sendline connect_exec disassemble decompile debug_start
  debug_add_breakpoint debug_continue debug_step debug_exec debug_stop view_image goto_url click_mouse screenshot`.split(
    /\s+/,
  ),
);

/** What SWE-agent and its tools say when a command was not run, or did nothing. */
const FAILED = [
  /^No file open\. Use the `open` command first/,
  /^Your proposed edit has introduced new syntax error/,
  /^Wrong flag!/,
  /^EXECUTION (?:TIMED OUT|FAILED OR COMMAND MALFORMED)/,
  /^The command '[^]{0,2000}' was cancelled because it took more than/,
  /^Your (?:bash )?command contained syntax errors/,
  /^Text not found\. The text did not match/,
  /^(?:Error|ERROR):\s*\S/,
  /^No replacement was performed/,
  /^Traceback \(most recent call last\):/,
  /^(?:\/?[\w./-]+: )?(?:line \d+: )?[\w./-]+: (?:command not found|Permission denied)$/m,
];
const LONGEST_ERROR = 2000;
const ANSI = new RegExp(String.raw`\u001b\[[\d;?]*[ -/]*[@-~]`, "g");

/** The turns of a run, from its trajectory, else from its history. */
export function actionsOf(record: JsonObject): SweAction[] {
  const told = replies(record);
  const items = objectsIn(record, "trajectory");
  if (items.length === 0) return fromHistory(record, told);
  const byAction = queued(told);
  return items.map((item) => actionOf(item, byAction));
}

function actionOf(item: JsonObject, byAction: ReadonlyMap<string, JsonObject[]>): SweAction {
  const text = textIn(item, "action")?.trim() ?? "";
  const seconds = own(item, "execution_time");
  const seen = own(item, "observation");
  const observation = seen === undefined || seen === null ? undefined : plainText(seen);
  const ms = typeof seconds === "number" && seconds >= 0 ? seconds * 1000 : undefined;
  return {
    ...callOf(text, byAction.get(text)?.pop()),
    ...thoughtOf(item, text),
    ...maybe("observation", observation),
    ...maybe("durationMs", ms),
  };
}

/** A turn as steps; one without an action was a reply that could not be read. */
export function pushAction(list: StepList, action: SweAction): void {
  list.reasoning(action.thought);
  if (action.message !== undefined) list.model(action.message);
  const { name, args, id, durationMs, observation } = action;
  if (name === "") {
    if (observation !== undefined && observation !== "") list.other("observation", observation);
    return;
  }
  const result = observation === undefined ? undefined : observed(observation);
  list.tool({ name, args, id, durationMs, result });
}

/** What the agent said, without the demonstrations. */
function replies(record: JsonObject): JsonObject[] {
  return objectsIn(record, "history").filter(
    (message) => own(message, "role") === "assistant" && own(message, "is_demo") !== true,
  );
}

/** Replies by their action, the first of equal ones at the end of its list. */
function queued(told: readonly JsonObject[]): Map<string, JsonObject[]> {
  const queues = new Map<string, JsonObject[]>();
  for (const reply of told.toReversed()) {
    const text = textIn(reply, "action")?.trim() ?? "";
    const queue = queues.get(text) ?? [];
    queue.push(reply);
    queues.set(text, queue);
  }
  return queues;
}

/** Calls and answers of a history: an answer follows its call. */
function fromHistory(record: JsonObject, told: readonly JsonObject[]): SweAction[] {
  const history = objectsIn(record, "history");
  const places = new Map(history.map((message, place) => [message, place]));
  return told.map((reply) => {
    const after = history[(places.get(reply) ?? history.length) + 1];
    const answered = after !== undefined && ["user", "tool"].includes(textIn(after, "role") ?? "");
    const text = (textIn(reply, "action") ?? "").trim();
    return {
      ...callOf(text, reply),
      ...maybe("thought", textIn(reply, "thought") ?? plainText(own(reply, "content"))),
      ...maybe("observation", answered ? plainText(contentOf(own(after, "content"))) : undefined),
    };
  });
}

/** The function that was called, else the command line. */
function callOf(
  text: string,
  reply: JsonObject | undefined,
): Pick<SweAction, "name" | "args" | "id"> {
  const entry = reply === undefined ? undefined : objectsIn(reply, "tool_calls")[0];
  const body = entry === undefined ? undefined : own(entry, "function");
  if (entry !== undefined && isObject(body)) {
    return callFrom(body, { id: own(entry, "id"), args: own(body, "arguments") });
  }
  const word = /^[\w.-]+/.exec(text)?.[0] ?? "";
  if (text === "") return { name: "", args: {} };
  return { name: COMMANDS.has(word) ? word : "bash", args: { command: text } };
}

function thoughtOf(item: JsonObject, action: string): Pick<SweAction, "thought" | "message"> {
  const raw = own(item, "thought");
  const response = textIn(item, "response")?.trim();
  if (typeof raw !== "string") return maybe("thought", response);
  const thought = raw.trim();
  // A fence or tag around the action stands between the two.
  const more = (response?.length ?? 0) > thought.length + action.length + 100;
  return { thought, ...maybe("message", more ? response : undefined) };
}

/** What a command printed; nothing but its text tells whether it failed. */
export function observed(observation: string): ToolResult {
  const data = observation
    .replaceAll("\r\n", "\n")
    .replaceAll(ANSI, "")
    .replaceAll(/\/\/\/PROCESS-DONE:-?\d+:PROCESS-DONE\/\/\//g, "");
  const text = data.trim();
  const short = text.length <= LONGEST_ERROR || text.startsWith("Traceback");
  if (!short || !FAILED.some((pattern) => pattern.test(text))) return { ok: true, data };
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const line = (text.startsWith("Traceback") ? lines.at(-1) : lines[0]) ?? text;
  return { ok: false, error: { message: clip(line.trim(), 300), source: "text" }, data };
}
