import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { ToolStep } from "../trace/trace.ts";
import { plainText } from "./content.ts";
import { own } from "./member.ts";
import type { StepList } from "./step-list.ts";
import { parsedText, toolResultOf } from "./tool-result.ts";

/** Words before the real problem, behind instructions and worked examples. */
const PROBLEM =
  /^\s*(?:Now, I will start a new problem in a new OS\. My problem is:|Now, my problem is:|A new question:|Here is your task\.?)\s*/;
const AGREED = /^\s*(?:ok|okay|sure|understood|i understand|got it|ready)\b.{0,80}$/is;
const ACTION =
  /^[^\S\n]*(?:\d+[.)][^\S\n]*)?\**(?:Act|Action)\**[^\S\n]*(?:\d+[^\S\n]*)?:\**[^\S\n]*/im;
const FENCE = /```(\w*)(?!\w)(?:[^\S\n]*\n)?([^]*?)```/;
const CALL = /^([A-Za-z_][\w.]{0,100})\s*(?:\(([^]*)\)|\[([^]*)\])\s*$/;
const INPUT = /^[^\S\n]*(?:Action Input|Input|Args|Arguments)\s*:\s*([^]*)$/im;
const FINAL = /(?:^|\n)[^\S\n]*Final Answer[^\S\n]*:([^]*)$/i;
const SEEN = /^\s*(?:The output of the OS|Observation|Output)\s*:\s*/i;

/** A longer line is no name with its arguments. */
const LONGEST_WORD = 2000;

/** What an agent does in one message. */
type Deed =
  | { readonly kind: "call"; readonly thought: string; readonly name: string; readonly args: Json }
  | { readonly kind: "answer"; readonly thought: string; readonly answer: string | undefined }
  | { readonly kind: "talk" };

/** A conversation in which actions are texts and the user gives their results. */
export function pushTalk(
  list: StepList,
  history: readonly JsonObject[],
): { task?: Json; output?: Json } {
  const entries = history.slice(startOf(history));
  const [first, ...rest] = entries;
  if (first === undefined) return {};
  const task = plainText(own(first, "content")).replace(PROBLEM, "").trim();
  list.input(task);
  let waiting: ToolStep | undefined;
  let said: string | undefined;
  let answer: string | undefined;
  for (const entry of rest) {
    const text = plainText(own(entry, "content"));
    if (own(entry, "role") === "user") {
      if (waiting === undefined) list.other("feedback", text);
      else list.answer(waiting, toolResultOf(text.replace(SEEN, "")));
      waiting = undefined;
      continue;
    }
    const deed = deedOf(text);
    waiting = undefined;
    if (deed.kind === "talk") list.model(text);
    else list.reasoning(deed.thought);
    if (deed.kind === "call") waiting = list.tool({ name: deed.name, args: deed.args });
    said =
      deed.kind === "talk"
        ? text
        : deed.kind === "answer"
          ? (deed.answer ?? deed.thought)
          : undefined;
    if (deed.kind === "answer") answer = deed.answer ?? answer;
  }
  const output = answer ?? (said === "" ? undefined : said);
  return output === undefined ? { task } : { task, output };
}

/** Where the real problem stands: after the worked examples, or after the agent agreed to the instructions. */
function startOf(history: readonly JsonObject[]): number {
  const told = history.findLastIndex(
    (entry) => own(entry, "role") === "user" && PROBLEM.test(plainText(own(entry, "content"))),
  );
  if (told >= 0) return told;
  const [, second, third] = history;
  const agreed =
    second !== undefined &&
    own(second, "role") !== "user" &&
    AGREED.test(plainText(own(second, "content")));
  return agreed && third !== undefined && own(third, "role") === "user" ? 2 : 0;
}

function deedOf(text: string): Deed {
  const found = ACTION.exec(text);
  const final = FINAL.exec(text);
  const thought = thoughtIn(text.slice(0, found?.index ?? final?.index ?? 0));
  if (found === null && final !== null)
    return { kind: "answer", thought, answer: final[1]?.trim() };
  if (found === null) {
    const fence = FENCE.exec(text);
    const runs = fence !== null && /^(?:bash|sh|sql|python)$/i.test(fence[1] ?? "");
    if (fence === null || !runs) return { kind: "talk" };
    const before = thoughtIn(text.slice(0, fence.index));
    return {
      kind: "call",
      thought: before,
      name: (fence[1] ?? "").toLowerCase(),
      args: { input: (fence[2] ?? "").trim() },
    };
  }
  const body = text.slice(found.index + found[0].length);
  const word = (body.split("\n", 1)[0] ?? "")
    .slice(0, LONGEST_WORD)
    .trim()
    .replace(/[.`*]+$/, "");
  if (/^finish(?:\(\s*\)|\[\s*\])?$/i.test(word))
    return { kind: "answer", thought, answer: undefined };
  if (final !== null) return { kind: "answer", thought, answer: final[1]?.trim() };
  const call = callOf(word, body);
  const ends = /^(?:answer|finish|submit|stop)$/i.test(call.name);
  const told = isObject(call.args) ? own(call.args, "input") : undefined;
  return ends && typeof told === "string"
    ? { kind: "answer", thought, answer: told.replaceAll(/^["']|["']$/g, "") }
    : { kind: "call", thought, ...call };
}

/** `name(arguments)`, `name[arguments]`, `name: arguments`, or a name with its input or a fence below it. */
function callOf(word: string, body: string): { name: string; args: Json } {
  const fence = FENCE.exec(body);
  if (fence !== null) {
    const language = (fence[1] ?? "").toLowerCase();
    const name = /^\w{1,60}$/.test(word) && !/^operation$/i.test(word) ? word : language || "run";
    return { name, args: { input: (fence[2] ?? "").trim() } };
  }
  const whole = CALL.exec(word) ?? CALL.exec(body.trim());
  if (whole !== null) return { name: whole[1] ?? "", args: argsOf(whole[2] ?? whole[3] ?? "") };
  const input = INPUT.exec(body)?.[1];
  if (input !== undefined) return { name: nameIn(word), args: argsOf(input.trim()) };
  const colon = /^([A-Za-z_]\w{0,60})\s*:\s*(\S[^]*)$/.exec(word);
  if (colon !== null) return { name: colon[1] ?? "", args: argsOf(colon[2] ?? "") };
  const [name = "", ...rest] = word.split(/\s+/);
  return { name: nameIn(name), args: rest.length === 0 ? {} : { input: rest.join(" ") } };
}

function nameIn(word: string): string {
  return word === "" ? "unknown" : word.slice(0, 100);
}

function argsOf(text: string): Json {
  if (text === "") return {};
  const value = parsedText(text);
  return isObject(value) ? value : { input: text };
}

function thoughtIn(text: string): string {
  return text
    .trim()
    .replace(/^(?:Think|Thought|THOUGHT)\s*:\s*/, "")
    .trim();
}
