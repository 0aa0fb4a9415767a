import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { clip } from "../shared/text.ts";
import type { ErrorSource, TraceError } from "../trace/trace.ts";
import { maybe, own, textIn } from "./member.ts";

const MESSAGE_LENGTH = 1000;
/** Members in which tools put the words for what went wrong. */
const MESSAGE_MEMBERS = ["message", "error", "detail", "reason", "content", "text"];
const CLASS = /^(?:[\w.]*(?:Error|Exception|Exceeded|Timeout|Warning|Exit|Interrupt)|Cancelled)$/;

/** An error from what a tool said, with the class, code and message that can be found in it. */
export function errorFrom(data: Json, source: ErrorSource): TraceError {
  if (typeof data === "string") return { ...namedError(data), source };
  if (!isObject(data)) return { message: short(JSON.stringify(data)), source };
  const inner = own(data, "error");
  if (typeof inner === "string" && inner.trim() !== "") {
    return { ...namedError(inner), ...maybe("code", codeOf(data)), source };
  }
  const body = isObject(inner) ? inner : data;
  const message = MESSAGE_MEMBERS.map((key) => textIn(body, key)).find(
    (text) => text !== undefined,
  );
  const retryable = own(body, "retryable");
  return {
    ...maybe("name", isObject(inner) ? nameOf(inner) : undefined),
    ...maybe("code", codeOf(body)),
    message: short(message ?? JSON.stringify(data)),
    ...maybe("retryable", typeof retryable === "boolean" ? retryable : undefined),
    source,
  };
}

/** `KeyError: 'amount'` gives the class and the message; a bare `Error:` only the message. */
export function namedError(text: string): TraceError {
  const found = /^([A-Za-z_][\w.]{0,120}):\s+(?=\S)/.exec(text);
  const name = found?.[1];
  if (found === null || name === undefined || !CLASS.test(name)) return { message: short(text) };
  const message = short(text.slice(found[0].length));
  return name === "Error" ? { message } : { name, message };
}

function nameOf(error: JsonObject): string | undefined {
  const name = textIn(error, "name") ?? textIn(error, "type");
  return name !== undefined && /^\w{1,80}$/.test(name) ? name : undefined;
}

function codeOf(body: JsonObject): string | number | undefined {
  const code = own(body, "code") ?? own(body, "status_code") ?? own(body, "status");
  if (typeof code === "number") return code;
  return typeof code === "string" && /^[\w.-]{1,80}$/.test(code) ? code : undefined;
}

function short(text: string): string {
  return clip(text, MESSAGE_LENGTH);
}
