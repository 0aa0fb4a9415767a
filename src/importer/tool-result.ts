import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { parseJson } from "../shared/parse.ts";
import type { ToolResult } from "../trace/trace.ts";
import { own, textIn } from "./member.ts";
import { errorFrom } from "./tool-error.ts";

/** Depth that JSON inside a string may have, so that a whole trace stays within what our own reader takes. */
const EMBEDDED_DEPTH = 64;
const LONGEST_ERROR = 600;

/** A text that names itself an error at its very start; "exception" or "error" within prose is none. */
const ERROR_TEXT = /^(?:Error|ERROR|[A-Z]\w{0,60}(?:Error|Exception)):\s*(?!(?:0|none|null)\b)\S/;
const TRACEBACK = /^Traceback \(most recent call last\):/;

/**
 * What a tool message says. A flag of the format comes first, then an error wrapper in the payload, then a text that is
 * plainly an error message. In doubt the result stays a good one with its data: detectors look for soft errors.
 */
export function toolResultOf(content: Json, flagged = false): ToolResult {
  const data = typeof content === "string" ? parsedText(content) : content;
  if (flagged) return { ok: false, error: errorFrom(data, "flag"), data };
  if (isObject(data) && saysError(data))
    return { ok: false, error: errorFrom(data, "wrapper"), data };
  if (typeof data === "string" && isErrorText(data)) {
    return { ok: false, error: errorFrom(data, "text"), data };
  }
  return { ok: true, data };
}

/**
 * The JSON value that a text holds, or the text itself. Numbers only when writing them again gives the same text, so that
 * `007`, `1.50` and long ids stay as they are.
 */
export function parsedText(text: string): Json {
  const start = text.trimStart().charAt(0);
  if (start === "" || !'{["tfn-0123456789'.includes(start)) return text;
  try {
    const value = parseJson(text, { depth: EMBEDDED_DEPTH });
    if (typeof value === "number") return String(value) === text.trim() ? value : text;
    const marked = isObject(value) && Object.hasOwn(value, "$t") && start !== "{";
    return marked ? text : value;
  } catch {
    return text;
  }
}

/** A long text is content, even when it begins like an error. */
function isErrorText(text: string): boolean {
  return TRACEBACK.test(text) || (text.length <= LONGEST_ERROR && ERROR_TEXT.test(text));
}

function saysError(data: JsonObject): boolean {
  if (own(data, "success") === true || own(data, "ok") === true) return false;
  const error = own(data, "error");
  if (typeof error === "string" && error.trim() !== "") return true;
  if (isObject(error) && Object.keys(error).length > 0) return true;
  return (
    error === true ||
    own(data, "isError") === true ||
    own(data, "is_error") === true ||
    textIn(data, "response_status")?.toLowerCase() === "error" ||
    own(data, "success") === false
  );
}
