import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { callsBeside, partOf, resultFrom, type Part } from "./any-parts.ts";
import { contentOf, isWrapper, usageOf } from "./content.ts";
import type { Call, Turn } from "./conversation.ts";
import { epochMs } from "./instant.ts";
import { maybe, own, textIn } from "./member.ts";
import { parsedText } from "./tool-result.ts";

/** A text that stands outside a conversation. */
export interface SystemText {
  readonly kind: "system";
  readonly text: string;
}
export type AnyTurn = Turn | SystemText;

/** Who speaks when a value does not say it. */
export type Speaker = "user" | "assistant" | "tool";

const ROLES: ReadonlyMap<string, Speaker | "system"> = new Map([
  ["system", "system"],
  ["developer", "system"],
  ["user", "user"],
  ["human", "user"],
  ["assistant", "assistant"],
  ["ai", "assistant"],
  ["model", "assistant"],
  ["chatbot", "assistant"],
  ["tool", "tool"],
  ["function", "tool"],
  ["functionexecutionresult", "tool"],
]);
/** Whether a value is one message: it says who speaks. */
export function isMessage(value: JsonObject): boolean {
  if (isObject(own(value, "message")) && !Object.hasOwn(value, "content")) return false;
  return roleOf(value) !== undefined && !isObject(own(value, "kwargs"));
}

function roleOf(message: JsonObject): Speaker | "system" | undefined {
  const named = textIn(message, "role")?.toLowerCase();
  const role = named === undefined ? undefined : ROLES.get(named);
  if (role !== undefined) return role;
  // LangChain and AutoGen tell the speaker by the type; a `function` there is the definition of a tool.
  const type = textIn(message, "type")?.toLowerCase();
  return type === undefined || type === "function"
    ? undefined
    : ROLES.get(type.replace(/message(?:chunk)?$/, ""));
}

/** Whether a name is that of a speaker that some framework uses. */
export function isRole(name: string): boolean {
  return ROLES.has(name.toLowerCase());
}

/** One message in any layout. */
export function messageTurns(message: JsonObject, speaker: Speaker): AnyTurn[] {
  const role = roleOf(message) ?? speaker;
  const raw =
    ["content", "parts", "contents", "refusal", "text"]
      .map((key) => own(message, key) ?? null)
      .find((held) => held !== null) ?? null;
  const content = typeof raw === "string" && role === "assistant" ? callList(raw) : raw;
  if (role === "system") {
    const text = contentOf(content);
    return [{ kind: "system", text: typeof text === "string" ? text : JSON.stringify(text) }];
  }
  const items = Array.isArray(content) ? content : [content];
  const parts = items.map((item) => partOf(item)).filter((part) => part !== undefined);
  if (role === "tool") return toolTurns(message, parts);
  const thoughts = textIn(message, "reasoning_content") ?? textIn(message, "reasoning");
  const said: Part[] =
    thoughts === undefined ? parts : [{ kind: "reasoning", content: thoughts }, ...parts];
  return spoken(role, said, message);
}

/** Some frameworks write the calls of a turn as the JSON text of its content. */
function callList(text: string): Json {
  if (!text.startsWith("[")) return text;
  const value = parsedText(text);
  const calls =
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((item) => isObject(item) && isObject(own(item, "function")));
  return calls ? value.map((item) => ({ type: "tool_call", tool_call: item })) : text;
}

function toolTurns(message: JsonObject, parts: readonly Part[]): AnyTurn[] {
  const results = parts.filter((part) => part.kind === "result");
  if (results.length > 0) return results.map(({ result }) => result);
  const content = own(message, "content");
  // A few exporters put the tools that are offered among the messages.
  if (isObject(content) && own(content, "type") === "function") return [];
  const texts = parts.flatMap((part) => (part.kind === "text" ? [part.content] : []));
  const { id: _own, ...rest } = message;
  const named = resultFrom(rest);
  return [{ ...named, content: joined(texts) }];
}

/** Pieces as turns of one speaker; results come first, as they answer what was before. */
export function spoken(
  speaker: Speaker,
  parts: readonly Part[],
  message: JsonObject = {},
): AnyTurn[] {
  const results = parts.flatMap((part) => (part.kind === "result" ? [part.result] : []));
  const calls = [
    ...callsBeside(message),
    ...parts.flatMap((part) => (part.kind === "call" ? [part.call] : [])),
  ];
  const texts = parts.flatMap((part) => (part.kind === "text" ? [part.content] : []));
  const thoughts = parts.flatMap((part) => (part.kind === "reasoning" ? [part.content] : []));
  if (speaker === "user" && calls.length === 0) {
    const kept = texts.filter((text) => !isWrapper(text));
    if (kept.length === 0) return results;
    const at = epochMs(own(message, "timestamp"));
    return [...results, { kind: "user", content: joined(kept), ...maybe("at", at) }];
  }
  if (speaker === "tool" && calls.length === 0 && results.length === 0) {
    return texts.length === 0 ? [] : [{ kind: "result", content: joined(texts) }];
  }
  if (texts.length === 0 && calls.length === 0 && thoughts.length === 0) return results;
  return [
    ...results,
    assistant(
      parts.filter(({ kind }) => kind !== "call"),
      calls,
      message,
    ),
  ];
}

export function assistant(
  parts: readonly Part[],
  calls: readonly Call[],
  message: JsonObject,
): Turn {
  const texts = parts.flatMap((part) => (part.kind === "text" ? [part.content] : []));
  const thoughts = parts.flatMap((part) => (part.kind === "reasoning" ? [part.content] : []));
  const text = texts.length === 0 ? undefined : joined(texts);
  return {
    kind: "assistant",
    ...maybe("text", text === "" ? undefined : text),
    ...maybe("reasoning", thoughts.length === 0 ? undefined : thoughts.join("\n")),
    calls: [...new Map(calls.map((call, place) => [call.id ?? place, call])).values()],
    ...maybe("model", textIn(message, "model")),
    ...maybe("usage", usageOf(own(message, "usage"))),
    ...maybe("at", epochMs(own(message, "timestamp"))),
  };
}

/** Texts as one; anything else stays as it is. */
function joined(texts: readonly Json[]): Json {
  const [only] = texts;
  if (texts.length === 1 && only !== undefined) return Array.isArray(only) ? only : contentOf(only);
  const list = texts.flatMap((text) => (Array.isArray(text) ? text : [text]));
  return list.every((text) => typeof text === "string")
    ? list.filter((text) => text !== "").join("\n")
    : list;
}

/** What one speaker said in one go, as one turn: some frameworks write an item for each text and each call. */
export function together(turns: readonly AnyTurn[]): AnyTurn[] {
  const found: AnyTurn[] = [];
  for (const turn of turns) {
    const last = found.at(-1);
    const joins = turn.kind === "assistant" && last?.kind === "assistant";
    if (!joins || (turn.text !== undefined && (last.text !== undefined || last.calls.length > 0))) {
      found.push(turn);
    } else
      found.splice(-1, 1, {
        ...turn,
        ...last,
        ...maybe("text", last.text ?? turn.text),
        calls: [...last.calls, ...turn.calls],
      });
  }
  return found;
}
