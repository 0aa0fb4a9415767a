import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { Usage } from "../trace/trace.ts";
import { maybe, own, textIn } from "./member.ts";
import { parsedText } from "./tool-result.ts";

const TEXT_TYPES = new Set<Json | undefined>(["text", "input_text", "output_text", "refusal"]);
/** Tags around what a harness puts into a user's message. */
const WRAPPERS = [
  "system-reminder",
  "environment_context",
  "command-name",
  "command-message",
  "local-command-stdout",
];

/** Text parts as one text, a missing text as an empty one; a list with other parts stays as it is. */
export function contentOf(content: Json | undefined): Json {
  if (content === undefined || content === null) return "";
  if (!Array.isArray(content)) return content;
  const texts = content.map((part) => textOfPart(part));
  if (texts.includes(undefined)) return content;
  return texts.filter((text) => text !== "").join("\n");
}

function textOfPart(part: Json): string | undefined {
  if (typeof part === "string") return part;
  if (part === null) return "";
  if (!isObject(part)) return undefined;
  const type = own(part, "type");
  if (type === undefined ? !Object.hasOwn(part, "text") : !TEXT_TYPES.has(type)) return undefined;
  const text = own(part, "text") ?? own(part, "refusal") ?? "";
  return typeof text === "string" ? text : undefined;
}

/** A content as one text, whatever it is. */
export function plainText(content: Json | undefined): string {
  const value = contentOf(content);
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The blocks of one type in a content list. */
export function blocks(content: Json | undefined, type: string): JsonObject[] {
  if (!Array.isArray(content)) return [];
  return content.filter((part) => isObject(part)).filter((part) => own(part, "type") === type);
}

/** The content without the blocks of some types; undefined when nothing else was in it. */
export function withoutBlocks(
  content: Json | undefined,
  types: readonly string[],
): Json | undefined {
  if (!Array.isArray(content)) return content;
  const rest = content.filter(
    (part) => !isObject(part) || !types.some((type) => own(part, "type") === type),
  );
  return rest.length === 0 ? undefined : rest;
}

/** Whether a content is what the harness put in, or a demonstration: the user never wrote it. */
export function isWrapper(part: Json): boolean {
  const text = (typeof part === "string" ? part : (textOfPart(part) ?? "")).trim();
  return (
    text.startsWith("DEMONSTRATION") ||
    WRAPPERS.some((name) => text.startsWith(`<${name}>`) && text.endsWith(`</${name}>`))
  );
}

/** Arguments as an object: JSON in a text is parsed, a list is named by position, anything else becomes `input`. */
export function argumentsOf(args: Json | undefined): Json {
  const value = typeof args === "string" ? parsedText(args) : (args ?? null);
  if (isObject(value)) return value;
  if (Array.isArray(value)) return Object.fromEntries(value.map((item, i) => [`_${i}`, item]));
  return value === null || value === "" ? {} : { input: value };
}

/** Token counts under their usual names; undefined when there are none. */
export function usageOf(value: Json | undefined): Usage | undefined {
  if (!isObject(value)) return undefined;
  const usage: Usage = {
    ...maybe("inputTokens", count(value, ["input_tokens", "prompt_tokens", "inputTokens"])),
    ...maybe("outputTokens", count(value, ["output_tokens", "completion_tokens", "outputTokens"])),
    ...maybe("totalTokens", count(value, ["total_tokens", "totalTokens"])),
  };
  return Object.keys(usage).length === 0 ? undefined : usage;
}

function count(object: JsonObject, names: readonly string[]): number | undefined {
  const values = names.map((name) => own(object, name));
  return values.find(
    (value) => typeof value === "number" && Number.isSafeInteger(value) && value >= 0,
  ) as number | undefined;
}

/** Epoch milliseconds of a message that carries epoch seconds or milliseconds. */
export function timeOf(message: JsonObject): number | undefined {
  const value = own(message, "timestamp") ?? own(message, "created_at") ?? own(message, "created");
  if (typeof value !== "number" || !(value > 1e8)) return undefined;
  return value > 1e11 ? value : value * 1000;
}

/** A call as every format has it: an id, a name and arguments. */
export function callFrom(
  object: JsonObject,
  parts: { readonly id: Json | undefined; readonly args: Json | undefined },
): { id?: string; name: string; args: Json } {
  const { id, args } = parts;
  return {
    ...maybe("id", typeof id === "string" && id !== "" ? id : undefined),
    name: textIn(object, "name") ?? "unknown",
    args: argumentsOf(args),
  };
}
