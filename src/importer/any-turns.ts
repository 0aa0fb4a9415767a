import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import {
  assistant,
  isMessage,
  messageTurns,
  spoken,
  type AnyTurn,
  type Speaker,
  type SystemText,
} from "./any-message.ts";
import { callsBeside, partOf } from "./any-parts.ts";
import { objectIn, own, textIn } from "./member.ts";
import { looksPython, pythonValue } from "./python-repr.ts";
import { parsedText } from "./tool-result.ts";

/** Members that hold the messages of a request or an answer, the surest first. */
const ENVELOPES = [
  "messages",
  "contents",
  "choices",
  "candidates",
  "generations",
  "new_message",
  "message",
];
/** Members that hold a plain question or answer. */
const PLAIN = [
  "prompt",
  "input",
  "question",
  "query",
  "task",
  "text",
  "output",
  "answer",
  "completion",
  "response",
  "result",
];
const DEPTH = 12;

/** The value that a text holds, also when it was written twice or as Python writes it; else the text. */
export function unwrapped(value: Json): Json {
  let found = value;
  for (let i = 0; i < 3 && typeof found === "string"; i++) {
    const parsed: Json = parsedText(found);
    const next: Json =
      parsed === found && looksPython(found) ? (pythonValue(found) ?? found) : parsed;
    if (next === found || typeof next === "number") return found;
    found = next;
  }
  return found;
}

/** The conversation in a value of any framework: messages, one message, an envelope around them, or a plain text. */
export function anyTurns(value: Json | undefined, speaker: Speaker): AnyTurn[] {
  return value === undefined || value === null ? [] : turnsIn(value, speaker, 0);
}

function turnsIn(raw: Json, speaker: Speaker, depth: number): AnyTurn[] {
  if (depth > DEPTH) return [];
  const value = unwrapped(raw);
  if (value === null || value === "") return [];
  if (Array.isArray(value)) return listTurns(value, speaker, depth);
  if (!isObject(value)) return spoken(speaker, [{ kind: "text", content: value }]);
  if (isMessage(value)) return messageTurns(value, speaker);
  const kwargs = own(value, "kwargs");
  if (isObject(kwargs)) return messageTurns({ type: constructorOf(value), ...kwargs }, speaker);
  const piece = partOf(value);
  if (piece !== undefined && piece.kind !== "text") {
    return spoken(piece.kind === "result" ? "tool" : "assistant", [piece]);
  }
  for (const key of ENVELOPES) {
    const held = own(value, key);
    if (held !== undefined && held !== null) {
      const first = key === "choices" || key === "candidates" ? firstOf(held) : held;
      return [...systemTurns(value), ...turnsIn(first, speaker, depth + 1)];
    }
  }
  const content = own(value, "content") ?? own(value, "parts");
  if (content !== undefined && content !== null && !hasOther(value)) {
    return isObject(content) ? turnsIn(content, speaker, depth + 1) : messageTurns(value, speaker);
  }
  const calls = callsBeside(value);
  for (const key of PLAIN) {
    const held = own(value, key);
    if (held === undefined || held === null || held === "") continue;
    if (key === "output" || key === "input" || typeof held === "string") {
      const turns = turnsIn(held, speaker, depth + 1);
      return [
        ...systemTurns(value),
        ...turns,
        ...(calls.length > 0 ? [assistant([], calls, value)] : []),
      ];
    }
  }
  if (calls.length > 0) return [assistant([], calls, value)];
  return piece === undefined ? [] : spoken(speaker, [{ kind: "text", content: value }]);
}

/** A list of messages, or of the pieces of one. */
function listTurns(list: readonly Json[], speaker: Speaker, depth: number): AnyTurn[] {
  const items = list.map((item) => (Array.isArray(item) ? (item[0] ?? null) : item));
  const pieces = items.every((item) => !isObject(item) || (!isMessage(item) && !isEnvelope(item)));
  if (pieces) {
    return spoken(
      speaker,
      items.map((item) => partOf(item)).filter((part) => part !== undefined),
    );
  }
  return items.flatMap((item) => turnsIn(item, speaker, depth + 1));
}

function isEnvelope(item: JsonObject): boolean {
  return isObject(own(item, "kwargs")) || ENVELOPES.some((key) => isHolder(own(item, key)));
}

function isHolder(value: Json | undefined): boolean {
  return isObject(value) || Array.isArray(value);
}

/** Whether the members beside the content say that it is no message. */
function hasOther(value: JsonObject): boolean {
  return Object.hasOwn(value, "output") || Object.hasOwn(value, "result");
}

/** The last name of a LangChain constructor: `["langchain", …, "AIMessage"]`. */
function constructorOf(value: JsonObject): Json {
  const id = own(value, "id");
  return (Array.isArray(id) ? id.at(-1) : undefined) ?? null;
}

function firstOf(value: Json): Json {
  return Array.isArray(value) ? (value[0] ?? null) : value;
}

/** The instruction that stands beside the messages of a request. */
function systemTurns(value: JsonObject): SystemText[] {
  const config = objectIn(value, "config");
  const system =
    textIn(value, "system") ??
    textIn(value, "instructions") ??
    textIn(config, "system_instruction");
  return system === undefined ? [] : [{ kind: "system", text: system }];
}
