import { decode } from "../shared/encode.ts";
import { ERROR_CLASSES } from "../shared/error-class.ts";
import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { TraceError } from "../trace/trace.ts";

export { describeError } from "../trace/trace-error.ts";

/**
 * An error for a tool to throw, as a service would answer it: `throw toolError("DECLINED", "card closed", { retryable: false })`.
 */
export function toolError(
  code: string | number,
  message: string,
  about: { readonly retryable?: boolean } = {},
): Error {
  const { retryable } = about;
  return errorOf({
    name: "ToolError",
    code,
    message,
    ...(retryable === undefined ? {} : { retryable }),
  });
}

/**
 * The thrown value again: an Error of the recorded class (the language's own are really those; for any other a class of
 * that name is made), with its code, `retryable`, cause and other members; a thrown value that was no Error as it was.
 */
export function rebuildError(error: TraceError): unknown {
  const { data } = error;
  if (isObject(data) && data["$t"] === "thrown") return decode(data["v"] ?? null);
  // Without a stack: it would only tell where the recording was read, at more cost than all else of the error.
  const { stackTraceLimit } = Error;
  Reflect.set(Error, "stackTraceLimit", 0);
  try {
    return errorOf(error);
  } finally {
    Reflect.set(Error, "stackTraceLimit", stackTraceLimit);
  }
}

/** As `rebuildError`, always an Error: a recorded value that was no Error becomes one with its message. */
export function errorOf(error: TraceError): Error {
  const rebuilt = instanceOf(error.name ?? "Error", error.message);
  const { code, retryable, data } = error;
  // Two assignments, as the tool itself made them.
  if (code !== undefined) (rebuilt as { code?: unknown }).code = code;
  if (retryable !== undefined) (rebuilt as { retryable?: unknown }).retryable = retryable;
  if (isObject(data) && data["$t"] === undefined) restore(rebuilt, data);
  return rebuilt;
}

function instanceOf(name: string, message: string): Error {
  const Builtin = ERROR_CLASSES.get(name);
  if (Builtin !== undefined) return new Builtin(message);
  if (name === "AggregateError") return new AggregateError([], message);
  const Named = classOf(name);
  return new Named(message);
}

type ErrorClass = new (message: string) => Error;

/** Made once for a name: a class for each error costs more than all the rest of a call. One map for all copies of the package. */
const CLASSES: unique symbol = Symbol.for("twiceshy.error-classes") as never;
const MOST_CLASSES = 1000;

function classOf(name: string): ErrorClass {
  const shared = globalThis as { [CLASSES]?: Map<string, ErrorClass> };
  const classes = (shared[CLASSES] ??= new Map());
  const known = classes.get(name);
  if (known !== undefined) return known;
  const Named = class extends Error {};
  Object.defineProperty(Named, "name", { value: name, configurable: true });
  Object.defineProperty(Named.prototype, "name", {
    value: name,
    writable: true,
    configurable: true,
  });
  if (classes.size < MOST_CLASSES) classes.set(name, Named);
  return Named;
}

function restore(error: Error, data: JsonObject): void {
  for (const key of Object.keys(data)) {
    if (key === "message" || key === "stack") continue;
    const hidden = key === "cause" || key === "errors";
    define(error, key, { value: memberOf(data[key] ?? null), enumerable: !hidden });
  }
}

/** An error inside an error was described like the outer one. */
function memberOf(value: Json): unknown {
  if (isObject(value) && value["$t"] === "cause" && isObject(value["v"])) {
    const { message, ...rest } = value["v"];
    return errorOf({ ...rest, message: typeof message === "string" ? message : "" });
  }
  return decode(value);
}

function define(error: Error, key: string, member: PropertyDescriptor): void {
  Object.defineProperty(error, key, { ...member, writable: true, configurable: true });
}
