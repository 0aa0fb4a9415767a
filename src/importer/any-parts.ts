import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { callFrom } from "./content.ts";
import type { Call, ResultTurn } from "./conversation.ts";
import { maybe, objectIn, own, textIn } from "./member.ts";

/** One piece of a message, whatever the framework calls it. */
export type Part =
  | { readonly kind: "text"; readonly content: Json }
  | { readonly kind: "reasoning"; readonly content: string }
  | { readonly kind: "call"; readonly call: Call }
  | { readonly kind: "result"; readonly result: ResultTurn };

const CALLS = new Set<Json | undefined>([
  "tool_call",
  "tool-call",
  "tool_use",
  "function_call",
  "server_tool_use",
]);
const RESULTS = new Set<Json | undefined>([
  "tool_call_response",
  "tool-result",
  "tool_result",
  "tool-error",
  "function_call_output",
  "function_call_result",
  "mcp_tool_result",
  "web_search_tool_result",
]);
const THOUGHTS = new Set<Json | undefined>([
  "thinking",
  "reasoning",
  "redacted_thinking",
  "redacted-reasoning",
]);
const TEXTS = new Set<Json | undefined>(["text", "input_text", "output_text", "refusal"]);
const IDS = ["tool_call_id", "toolCallId", "tool_use_id", "call_id", "callId", "id"];
const ARGUMENTS = ["arguments", "args", "input", "parameters"];
const ANSWERS = ["response", "result", "output", "error", "content", "errorText"];

/** A piece of a message in any layout: OpenAI, Anthropic, Gemini, Vercel, OpenTelemetry `parts`, Responses items. */
export function partOf(part: Json): Part | undefined {
  if (part === null) return undefined;
  if (!isObject(part)) return { kind: "text", content: part };
  const inner = own(part, "message_content");
  if (isObject(inner)) return partOf(inner);
  const type = own(part, "type");
  const gemini = geminiPart(part);
  if (gemini !== undefined) return gemini;
  if (RESULTS.has(type) || (type === undefined && isBareResult(part)))
    return { kind: "result", result: resultFrom(part) };
  if (CALLS.has(type) || (type === undefined && isBareCall(part))) {
    return { kind: "call", call: callIn(part) };
  }
  if (THOUGHTS.has(type)) return thought(part);
  const text = own(part, "text") ?? own(part, "content") ?? own(part, "refusal");
  if (TEXTS.has(type) || (type === undefined && typeof own(part, "text") === "string")) {
    if (own(part, "thought") === true && typeof text === "string")
      return { kind: "reasoning", content: text };
    return text === undefined || text === null ? undefined : { kind: "text", content: text };
  }
  if (typeof type === "string" && /reasoning|thinking/i.test(type)) return thought(part);
  const named = type !== undefined || Object.values(part).some((value) => value !== null);
  return named ? { kind: "text", content: [part] } : undefined;
}

/** Gemini names the kind of a part by its only member that is not null. */
function geminiPart(part: JsonObject): Part | undefined {
  const call = own(part, "functionCall") ?? own(part, "function_call");
  if (isObject(call)) return { kind: "call", call: callIn(call) };
  const response = own(part, "functionResponse") ?? own(part, "function_response");
  return isObject(response) ? { kind: "result", result: resultFrom(response) } : undefined;
}

function isBareCall(part: JsonObject): boolean {
  const vercel = Object.hasOwn(part, "toolCallId") && Object.hasOwn(part, "toolName");
  return vercel || (Object.hasOwn(part, "name") && Object.hasOwn(part, "arguments"));
}

function isBareResult(part: JsonObject): boolean {
  return Object.hasOwn(part, "call_id") && Object.hasOwn(part, "content");
}

function thought(part: JsonObject): Part | undefined {
  const summary = own(part, "summary");
  const lines = Array.isArray(summary)
    ? summary.map((line) => (isObject(line) ? textIn(line, "text") : undefined))
    : [];
  const said = ["thinking", "text", "reasoning", "content"].map((key) => textIn(part, key));
  const deep = textIn(objectIn(part, "content"), "text");
  const content = [...said, ...lines, deep].find((text) => text !== undefined);
  return content === undefined ? undefined : { kind: "reasoning", content };
}

/** A tool call in any layout, also with its name and arguments one level down. */
export function callIn(entry: JsonObject): Call {
  const wrapped = own(entry, "tool_call");
  const outer = isObject(wrapped) ? wrapped : entry;
  const inner = own(outer, "function") ?? own(outer, "custom");
  const body = isObject(inner) ? inner : outer;
  const name =
    textIn(body, "name") ??
    textIn(outer, "toolName") ??
    textIn(outer, "tool_name") ??
    (typeof inner === "string" ? inner : undefined);
  const args = ARGUMENTS.map((key) => own(body, key)).find((value) => value !== undefined);
  return callFrom({ name: name ?? "unknown" }, { id: idIn(outer), args });
}

/** The result of a tool call in any layout. */
export function resultFrom(part: JsonObject): ResultTurn {
  const value = ANSWERS.map((key) => own(part, key)).find((answer) => answer !== undefined);
  const output =
    isObject(value) && isTyped(value) ? typedOutput(value) : { content: value ?? null };
  const flags = [own(part, "is_error"), own(part, "isError"), own(part, "error")];
  const type = own(part, "type");
  const flagged =
    flags.includes(true) ||
    type === "tool-error" ||
    own(part, "status") === "error" ||
    Object.hasOwn(part, "errorText") ||
    output.flagged === true;
  return {
    kind: "result",
    ...maybe("id", idIn(part)),
    ...maybe("name", textIn(part, "name") ?? textIn(part, "toolName") ?? textIn(part, "tool_name")),
    content: output.content,
    ...(flagged ? { flagged } : {}),
  };
}

/** Newer Vercel results carry their kind: `{type: "json" | "text" | "error-text" | …, value}`. */
function isTyped(value: JsonObject): boolean {
  const held = Object.hasOwn(value, "value") || typeof own(value, "text") === "string";
  return Object.keys(value).length === 2 && held && Object.hasOwn(value, "type");
}

function typedOutput(value: JsonObject): { content: Json; flagged?: boolean } {
  const flagged = textIn(value, "type")?.startsWith("error") === true;
  return {
    content: own(value, "value") ?? own(value, "text") ?? null,
    ...(flagged ? { flagged } : {}),
  };
}

function idIn(object: JsonObject): string | undefined {
  return IDS.map((key) => textIn(object, key)).find((id) => id !== undefined);
}

/** Calls beside the content of a message: `tool_calls`, LangChain's `additional_kwargs`, the older `function_call`. */
export function callsBeside(message: JsonObject): Call[] {
  const more = objectIn(message, "additional_kwargs");
  for (const holder of [message, more]) {
    const list = own(holder, "tool_calls") ?? own(holder, "toolCalls");
    const calls = Array.isArray(list) ? list.filter((call) => isObject(call)) : [];
    if (calls.length > 0) return calls.map((call) => callIn(call));
    const legacy = own(holder, "function_call");
    if (isObject(legacy)) return [callIn(legacy)];
  }
  return [];
}
