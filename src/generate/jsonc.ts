import { isObject, type JsonObject } from "../shared/json.ts";

/** Strings, comments, and commas before a closing bracket; a comment inside a string is part of the string. */
const PARTS =
  /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=(?:\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*[\]}])/g;

/** Reads JSON with comments and trailing commas, as tsconfig.json is; undefined when it is none. */
export function parseJsonc(text: string): JsonObject | undefined {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  try {
    const value: unknown = JSON.parse(
      source.replaceAll(PARTS, (part) => (part.startsWith('"') ? part : " ")),
    );
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
