import {
  isAnyArrayBuffer,
  isBoxedPrimitive,
  isDate,
  isMap,
  isNativeError,
  isRegExp,
  isSet,
} from "node:util/types";
import { messageOf } from "./error.ts";
import type { Json, JsonObject } from "./json.ts";
import { MARK, marker, put } from "./marker.ts";
import { clip } from "./text.ts";

export { decode } from "./decode.ts";

/** Levels of the encoded value; leaves room for the levels of a trace or repro around it, whose readers take 128. */
const DEPTH = 112;
const NODES = 1_000_000;

interface Walk {
  /** The objects that are being encoded, outermost first. */
  readonly path: object[];
  /** Levels of JSON around the value that is being encoded. */
  depth: number;
  nodes: number;
}

function unserializable(reason: string): JsonObject {
  return marker("unserializable", clip(reason, 200));
}

/**
 * A deep copy of any live value as JSON, taken at this moment. What JSON cannot hold becomes a marker
 * `{"$t": kind, "v": …}`; `decode` is the inverse where one exists. Never throws, and ends for every value:
 * deeper than 112 levels or beyond a million nodes it becomes a `truncated` marker.
 */
export function encode(value: unknown): Json {
  try {
    return encodeValue(value, { path: [], depth: 0, nodes: 0 });
  } catch (thrown) {
    return unserializable(messageOf(thrown));
  }
}

function encodeValue(value: unknown, walk: Walk): Json {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return encodeNumber(value);
    case "undefined":
      return marker("undefined");
    case "bigint":
      return marker("bigint", String(value));
    case "function":
      return marker("function", nameOf(value));
    case "symbol":
      return marker("symbol", value.description ?? "");
    case "object":
      break;
  }
  return value === null ? null : encodeObject(value, walk);
}

function encodeNumber(value: number): Json {
  if (Number.isFinite(value)) return Object.is(value, -0) ? marker("-0") : value;
  if (Number.isNaN(value)) return marker("nan");
  return marker(value > 0 ? "infinity" : "-infinity");
}

function nameOf(fn: object): string {
  try {
    return "name" in fn && typeof fn.name === "string" ? clip(fn.name, 200) : "";
  } catch {
    return "";
  }
}

function encodeObject(value: object, walk: Walk): Json {
  if (walk.depth >= DEPTH) return marker("truncated", "depth");
  if (walk.path.includes(value)) return marker("circular");
  walk.path.push(value);
  const { depth } = walk;
  walk.depth = depth + 1;
  try {
    if (Array.isArray(value)) return encodeArray(value, walk);
    return isPlain(value) ? encodePlain(value, walk) : encodeSpecial(value, walk);
  } catch (thrown) {
    return unserializable(messageOf(thrown));
  } finally {
    walk.depth = depth;
    walk.path.pop();
  }
}

/** Whether a value is a plain object of any realm: the quick way for almost every object. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  const plain = prototype === null || Object.getPrototypeOf(prototype) === null;
  return plain && !("toJSON" in value);
}

function encodeArray(value: readonly unknown[], walk: Walk): Json {
  const copy: Json[] = [];
  for (let i = 0; i < value.length; i++) {
    if (++walk.nodes > NODES) {
      copy.push(marker("truncated", "nodes"));
      break;
    }
    copy.push(encodeMember(value, i, walk));
  }
  return copy;
}

function encodePlain(value: object, walk: Walk): Json {
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) {
    if (++walk.nodes > NODES) return marker("truncated", "nodes");
    put(copy, key, encodeMember(value, key, walk));
  }
  return Object.hasOwn(copy, MARK) ? marker("object", copy) : copy;
}

function encodeMember(value: object, key: string | number, walk: Walk): Json {
  let member: unknown;
  try {
    member = (value as Record<string | number, unknown>)[key];
  } catch (thrown) {
    return unserializable(messageOf(thrown));
  }
  return encodeValue(member, walk);
}

function encodeSpecial(value: object, walk: Walk): Json {
  // A marker is one level more.
  walk.depth++;
  if (isDate(value)) return encodeDate(value);
  if (isMap(value)) return marker("map", encodeArray([...Map.prototype.entries.call(value)], walk));
  if (isSet(value)) return marker("set", encodeArray([...Set.prototype.values.call(value)], walk));
  if (isNativeError(value) || tagOf(value) === "DOMException") return encodeError(value, walk);
  if (ArrayBuffer.isView(value) || isAnyArrayBuffer(value)) return encodeBytes(value);
  if (isRegExp(value)) return marker("regexp", { source: value.source, flags: value.flags });
  if (isBoxedPrimitive(value)) return encodeValue(value.valueOf(), walk);
  const tag = tagOf(value);
  if (tag === "URL" || tag === "URLSearchParams") return encodeUrl((value as URL).toString(), tag);
  const toJson = "toJSON" in value ? value.toJSON : undefined;
  if (typeof toJson === "function") return encodeValue(toJson.call(value, ""), walk);
  if (tag !== "Object" && Object.keys(value).length === 0) return unserializable(tag);
  return encodePlain(value, walk);
}

function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

function encodeDate(value: Date): Json {
  return marker("date", Number.isNaN(value.getTime()) ? null : value.toISOString());
}

function encodeUrl(text: string, tag: string): Json {
  return tag === "URL" ? marker("url", text) : { [MARK]: "url", as: tag, v: text };
}

function encodeBytes(value: ArrayBufferView | ArrayBufferLike): Json {
  const view = ArrayBuffer.isView(value);
  const bytes = view
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    : Buffer.from(value);
  const as = Buffer.isBuffer(value) ? "Buffer" : tagOf(value);
  const text = bytes.toString("base64");
  return as === "Uint8Array" ? marker("bytes", text) : { [MARK]: "bytes", as, v: text };
}

/** Members of an error that have a place of their own, or must not be kept. */
const ERROR_MEMBERS: ReadonlySet<string> = new Set([
  "name",
  "message",
  "code",
  "stack",
  "cause",
  "errors",
]);

function encodeError(error: object, walk: Walk): Json {
  const known: JsonObject = {};
  for (const key of ["name", "message", "code", "cause", "errors"]) {
    if (key in error) put(known, key, encodeMember(error, key, walk));
  }
  const data: JsonObject = {};
  for (const key of Object.keys(error)) {
    if (ERROR_MEMBERS.has(key)) continue;
    if (++walk.nodes > NODES) break;
    put(data, key, encodeMember(error, key, walk));
  }
  return marker("error", Object.keys(data).length > 0 ? { ...known, data } : known);
}
