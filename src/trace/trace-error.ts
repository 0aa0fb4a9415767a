import { encode } from "../shared/encode.ts";
import { messageOf } from "../shared/error.ts";
import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { TraceError } from "./trace.ts";

/** Members of an error that have a place of their own, or must not be kept. */
const OWN_PLACE = new Set(["name", "message", "stack", "code", "retryable", "constructor", "$t"]);
/** Own, but not enumerable, on the errors of the language. */
const HIDDEN = ["cause", "errors"];
const MAX_CAUSES = 4;

/**
 * What was thrown, as data: class name, code, message, `retryable` and every other member that JSON can hold. Stacks
 * are never kept, and absolute paths of this machine are cut to the file's name. A thrown value that is no Error is
 * kept in `data` as `{ "$t": "thrown", "v": … }`. Never throws, whatever was thrown.
 */
export function describeError(thrown: unknown): TraceError {
  return isErrorLike(thrown) ? describe(thrown, 0) : describeValue(thrown);
}

/** Whether a value is an Error of any realm; plain objects that only look like one are not. */
function isErrorLike(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  try {
    for (let proto: unknown = value; typeof proto === "object" && proto !== null;) {
      proto = Object.getPrototypeOf(proto);
      if (className(proto) === "Error") return true;
    }
  } catch {
    // A revoked or hostile Proxy: it is no Error to us.
  }
  return false;
}

/** Cuts absolute paths of a machine to the file's name: they differ on every machine and tell who the user is. */
function withoutPaths(text: string): string {
  return text.replaceAll(HOME_PATH, "$<name>").replaceAll(SOURCE_PATH, "$<name>");
}

/** Anything below a home or temporary folder, or a file URL. Paths begin where a word does, so the search is linear. */
const HOME_PATH =
  /(?:file:\/\/\/?|(?<![^\s'"`()<>|:=,[])\/(?:home|Users|root|tmp|private|var\/folders)\/|(?<!\w)[A-Za-z]:[\\/](?=[\w.]))(?:[^\s'"`()<>|:*?\\/]*[\\/])*(?<name>[^\s'"`()<>|:*?\\/]*)/g;
/** Any other absolute path of a source file: `/srv/app/agent.ts:3:1`. */
const SOURCE_PATH =
  /(?<![^\s'"`()<>|:=,[])\/(?:[^\s'"`()<>|:*?\\/]+\/)+(?<name>[^\s'"`()<>|:*?\\/]+\.(?:[cm]?[jt]sx?|json|node))(?![\w/])/g;

function describe(error: object, causes: number): TraceError {
  const described: TraceError = { name: nameOf(error), message: withoutPaths(messageOf(error)) };
  const code = read(error, "code");
  if (typeof code === "string") described.code = code;
  // JSON knows no minus zero.
  if (typeof code === "number" && Number.isFinite(code)) described.code = code + 0;
  const retryable = read(error, "retryable");
  if (typeof retryable === "boolean") described.retryable = retryable;
  const data = membersOf(error, causes);
  if (Object.keys(data).length > 0) described.data = data;
  return described;
}

function describeValue(thrown: unknown): TraceError {
  const value = encode(thrown);
  const described: TraceError = {
    message: valueText(thrown, value),
    data: { $t: "thrown", v: value },
  };
  if (!isObject(value)) return described;
  const { name, code, retryable } = value;
  if (typeof name === "string") described.name = name;
  if (typeof code === "string" || typeof code === "number") described.code = code;
  if (typeof retryable === "boolean") described.retryable = retryable;
  return described;
}

function valueText(thrown: unknown, value: Json): string {
  if (typeof thrown === "string") return withoutPaths(thrown);
  if (isObject(value) && typeof value["message"] === "string")
    return withoutPaths(value["message"]);
  return `${JSON.stringify(value)} was thrown`;
}

/** The class that a reader would name: a telling `name`, else the constructor's. */
function nameOf(error: object): string {
  const name = read(error, "name");
  // A code after the name, as Node and we write it, is kept as the code alone.
  if (typeof name === "string" && name !== "" && name !== "Error") return withoutCode(name);
  return className(error) ?? "Error";
}

function withoutCode(name: string): string {
  return name.replace(/ \[[A-Z][A-Z0-9_]{0,60}\]$/, "");
}

function className(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const constructor = read(value, "constructor");
  const name = typeof constructor === "function" ? read(constructor, "name") : undefined;
  return typeof name === "string" && name !== "" ? name : undefined;
}

function membersOf(error: object, causes: number): JsonObject {
  const members: JsonObject = {};
  for (const key of keysOf(error)) {
    const value = read(error, key);
    if (value === undefined || typeof value === "function") continue;
    const member = key === "cause" && isErrorLike(value) ? causeOf(value, causes) : encode(value);
    Object.defineProperty(members, key, {
      value: member,
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return members;
}

/** An error inside an error keeps its own description, so that `error.cause.code` is there again in a replay. */
function causeOf(cause: object, causes: number): Json {
  if (causes >= MAX_CAUSES) return { $t: "truncated", v: "causes" };
  return { $t: "cause", v: describe(cause, causes + 1) as Json };
}

function keysOf(error: object): string[] {
  try {
    const own = Object.keys(error).filter((key) => !OWN_PLACE.has(key));
    return [...new Set([...own, ...HIDDEN.filter((key) => Object.hasOwn(error, key))])];
  } catch {
    return [];
  }
}

function read(from: object, key: string): unknown {
  try {
    return Reflect.get(from, key);
  } catch {
    return undefined;
  }
}
