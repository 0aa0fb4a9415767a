import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { ErrorSource, ToolResult, TraceError } from "../trace/trace.ts";

/** That a call failed, and where that was said. */
export interface CallError {
  /** The error's own text, with its code. */
  readonly message: string;
  readonly source: ErrorSource;
}

/** Texts longer than this are content, even when they begin like an error. */
const LONGEST_ERROR = 600;
const LONGEST_JSON = 200_000;

const ERROR_TEXT = [
  /^(?:\[?(?:fatal|internal|runtime|tool|api|server|unexpected|validation) ?)?error\]?\s*[:!(-]/iu,
  /^(?:fehler|erreur|errore|erro|fout|błąd)\s*:/iu,
  /^[A-Za-z_][\w.]{0,80}(?:Error|Exception)\b\s*[:(]/u,
  /^(?:failed|failure)\s*[:!]/iu,
  /^(?:the )?(?:request|call|operation|tool|command) (?:failed|timed out)\b/iu,
  /^failed to \w+/iu,
  /^HTTP(?:\/\d(?:\.\d)?)? (?:error:? ?)?[45]\d\d\b/u,
  /^[45]\d\d (?:bad|unauthorized|payment|forbidden|not|method|request|conflict|gone|too|internal|service|gateway|client|server)\b/iu,
  /^Traceback \(most recent call last\)/u,
  /^(?:permission|access) denied\b/iu,
  // The page that a web server shows in place of the one that was asked for.
  /^(?:<!doctype html[^>]*>\s*)?<html[^]{0,400}?<title>\s*(?:(?:error:? )?[45]\d\d:? ?-? ?)?(?:forbidden|not found|bad request|unauthorized|access denied|bad gateway|service unavailable|internal server error|gateway time-?out|too many requests)\s*<\/title>/iu,
];

/** Members whose number is an HTTP status and nothing else. */
const STATUS_MEMBERS = ["statusCode", "status_code", "httpStatus", "http_status", "status"];
/** Members that one of the rules looks at; most results have none of them. */
const TELLING: ReadonlySet<string> = new Set([
  ...STATUS_MEMBERS,
  "success",
  "ok",
  "isError",
  "is_error",
  "$t",
  "error",
  "errors",
  "content",
]);
/** Words of a `status` that say that the tool itself failed. */
const FAILED_STATUS = /^(?:error|failure|fatal)$/iu;
/** Words that say that what a writing tool was asked for did not happen. */
const REFUSED_STATUS =
  /^(?:failed|declined|rejected|denied|refused|blocked|forbidden|unauthorized|not_allowed)$/iu;

/** The error of a tool result; undefined when the call worked. */
export function errorOf(result: ToolResult, writes: boolean): CallError | undefined {
  if (!result.ok)
    return { message: describe(result.error), source: result.error.source ?? "thrown" };
  return softError(result.data, writes);
}

/** An error that a tool reports inside a result that looks fine. Flags weigh more than wrappers, and those more than text. */
export function softError(data: Json, writes = false): CallError | undefined {
  if (typeof data === "string") return errorInText(data, writes);
  if (!isObject(data) || !Object.keys(data).some((name) => TELLING.has(name))) return undefined;
  return (
    flagged(data, writes) ??
    wrapped(data) ??
    (says(data, true) ? undefined : errorInParts(data, writes))
  );
}

/** The whole text of an error: class, message and code, each once. */
export function describe(error: TraceError): string {
  const named =
    error.name !== undefined &&
    error.name !== "" &&
    error.name !== "Error" &&
    !error.message.includes(error.name)
      ? `${error.name}: ${error.message}`
      : error.message;
  return withCode(named, error.code);
}

function withCode(message: string, code: Json | undefined): string {
  if (typeof code !== "string" && typeof code !== "number") return message;
  const text = String(code);
  if (text === "" || text.length > 80 || message.includes(text)) return message;
  return message === "" ? text : `${message} (${text})`;
}

function flagged(data: JsonObject, writes: boolean): CallError | undefined {
  const status = own(data, "status");
  const failed =
    says(data, false) ||
    own(data, "isError") === true ||
    own(data, "is_error") === true ||
    own(data, "$t") === "error" ||
    (!says(data, true) &&
      (httpStatus(data) !== undefined ||
        (typeof status === "string" &&
          (FAILED_STATUS.test(status) || (writes && REFUSED_STATUS.test(status))))));
  return failed ? { message: textOf(data), source: "flag" } : undefined;
}

/** Whether the result says of itself that it went well, or not. */
function says(data: JsonObject, well: boolean): boolean {
  return own(data, "success") === well || own(data, "ok") === well;
}

function wrapped(data: JsonObject): CallError | undefined {
  if (says(data, true)) return undefined;
  const error = own(data, "error");
  const errors = own(data, "errors");
  const present =
    error === true ||
    (typeof error === "string" && error.trim() !== "") ||
    (typeof error === "number" && error !== 0) ||
    (Array.isArray(error) && error.length > 0) ||
    (isObject(error) && Object.keys(error).length > 0) ||
    (Array.isArray(errors) && errors.length > 0);
  return present ? { message: textOf(data), source: "wrapper" } : undefined;
}

function errorInText(text: string, writes: boolean): CallError | undefined {
  const start = text.trimStart();
  if (start.startsWith("{") && text.length <= LONGEST_JSON) {
    const parsed = parse(start);
    return isObject(parsed) ? softError(parsed, writes) : undefined;
  }
  if (text.length > LONGEST_ERROR && !start.startsWith("Traceback")) return undefined;
  const head = start.slice(0, LONGEST_ERROR);
  if (!ERROR_TEXT.some((pattern) => pattern.test(head))) return undefined;
  return { message: start.trimEnd(), source: "text" };
}

/** A result in parts, as MCP has it, with one text in it. */
function errorInParts(data: JsonObject, writes: boolean): CallError | undefined {
  const parts = partsOf(data);
  return parts?.length === 1 && parts[0] !== undefined ? errorInText(parts[0], writes) : undefined;
}

/** The texts of a result in parts; undefined when it has no parts. */
export function partsOf(data: JsonObject): string[] | undefined {
  const content = own(data, "content");
  if (!Array.isArray(content)) return undefined;
  return content.flatMap((part) => {
    const text = isObject(part) ? own(part, "text") : undefined;
    return typeof text === "string" ? [text] : [];
  });
}

function httpStatus(data: JsonObject): number | undefined {
  for (const name of STATUS_MEMBERS) {
    const value = own(data, name);
    const status = typeof value === "string" && /^[45]\d\d$/u.test(value) ? Number(value) : value;
    if (typeof status === "number" && Number.isInteger(status) && status >= 400 && status < 600)
      return status;
  }
  return undefined;
}

/** The words for what went wrong, wherever a result keeps them. */
function textOf(data: JsonObject): string {
  const inner = own(data, "error") ?? firstOf(own(data, "errors")) ?? null;
  const nested = isObject(inner) ? inner : undefined;
  const candidates = [
    nested === undefined
      ? inner
      : (own(nested, "message") ?? own(nested, "detail") ?? own(nested, "error")),
    own(data, "message"),
    own(data, "reason"),
    own(data, "detail"),
    own(data, "error_message"),
    own(data, "errorMessage"),
    own(data, "v"),
    partsOf(data)?.join("\n"),
    own(data, "status"),
  ];
  const found = candidates.find(
    (value): value is string => typeof value === "string" && value.trim() !== "",
  );
  const code =
    (nested && (own(nested, "code") ?? own(nested, "status"))) ??
    own(data, "code") ??
    httpStatus(data) ??
    null;
  return withCode(found ?? clipped(nested ?? data), code);
}

function firstOf(value: Json | undefined): Json | undefined {
  return Array.isArray(value) ? value[0] : undefined;
}

function clipped(value: Json): string {
  return JSON.stringify(value).slice(0, LONGEST_ERROR);
}

function own(data: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(data, name) ? data[name] : undefined;
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
