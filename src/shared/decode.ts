import { ERROR_CLASSES } from "./error-class.ts";
import { dateAt } from "./clock.ts";
import { isObject, type Json, type JsonObject } from "./json.ts";
import { markerKind, put } from "./marker.ts";

/** Longer integers stay markers: turning them into bigints takes quadratic time. */
const LONGEST_BIGINT = 10_000;

/** A live value of one kind of marker; undefined when the marker is not well formed. */
type Decoder = (
  value: Json | undefined,
  marked: JsonObject,
) => { readonly live: unknown } | undefined;

const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ["undefined", () => ({ live: undefined })],
  ["nan", () => ({ live: Number.NaN })],
  ["infinity", () => ({ live: Number.POSITIVE_INFINITY })],
  ["-infinity", () => ({ live: Number.NEGATIVE_INFINITY })],
  ["-0", () => ({ live: -0 })],
  ["bigint", decodeBigInt],
  [
    "date",
    (value) =>
      value === null || typeof value === "string"
        ? { live: dateAt(value ?? Number.NaN) }
        : undefined,
  ],
  ["map", decodeMap],
  [
    "set",
    (value) =>
      Array.isArray(value) ? { live: new Set(value.map((item) => decode(item))) } : undefined,
  ],
  ["error", decodeError],
  ["bytes", decodeBytes],
  ["regexp", decodeRegExp],
  ["url", decodeUrl],
  ["object", (value) => (isObject(value) ? { live: decodeMembers(value) } : undefined)],
]);

/**
 * The live value of an encoded one, as a fresh copy at each call. Markers without an inverse (functions, symbols,
 * circular references, what was truncated or unserializable) and malformed ones stay as they are.
 */
export function decode(json: Json): unknown {
  if (typeof json !== "object" || json === null) return json;
  const text = JSON.stringify(json);
  // Where nothing is marked, the language's own reader makes the copy: it is many times faster.
  return text.includes('"$t"') ? revived(json) : (JSON.parse(text) as unknown);
}

function revived(json: Json): unknown {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return json.map((item) => revived(item));
  const kind = markerKind(json);
  const decoded =
    kind === undefined
      ? undefined
      : DECODERS.get(kind)?.(Object.hasOwn(json, "v") ? json["v"] : undefined, json);
  return decoded === undefined ? decodeMembers(json) : decoded.live;
}

function decodeMembers(json: JsonObject): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(json)) {
    const member = json[key];
    if (member !== undefined) put(copy, key, revived(member));
  }
  return copy;
}

function attempt(make: () => unknown): { readonly live: unknown } | undefined {
  try {
    return { live: make() };
  } catch {
    return undefined;
  }
}

function decodeBigInt(value: Json | undefined): ReturnType<Decoder> {
  const whole =
    typeof value === "string" && value.length <= LONGEST_BIGINT && /^-?\d+$/u.test(value);
  return whole ? { live: BigInt(value) } : undefined;
}

function decodeMap(value: Json | undefined): ReturnType<Decoder> {
  if (!Array.isArray(value)) return undefined;
  const live = new Map<unknown, unknown>();
  for (const entry of value) {
    if (!Array.isArray(entry)) return undefined;
    live.set(decode(entry[0] ?? null), decode(entry[1] ?? null));
  }
  return { live };
}

function decodeRegExp(value: Json | undefined): ReturnType<Decoder> {
  if (!isObject(value)) return undefined;
  const { source, flags } = value;
  return typeof source === "string" && typeof flags === "string"
    ? attempt(() => new RegExp(source, flags))
    : undefined;
}

function decodeUrl(value: Json | undefined, marked: JsonObject): ReturnType<Decoder> {
  if (typeof value !== "string") return undefined;
  return marked["as"] === "URLSearchParams"
    ? { live: new URLSearchParams(value) }
    : attempt(() => new URL(value));
}

function decodeError(value: Json | undefined): ReturnType<Decoder> {
  if (!isObject(value)) return undefined;
  const name = typeof value["name"] === "string" ? value["name"] : "Error";
  const message = typeof value["message"] === "string" ? value["message"] : "";
  const error = new (ERROR_CLASSES.get(name) ?? Error)(message);
  if (error.name !== name) hide(error, "name", name);
  for (const key of ["cause", "errors"]) {
    const member = value[key];
    if (member !== undefined) hide(error, key, decode(member));
  }
  const data = isObject(value["data"]) ? decodeMembers(value["data"]) : {};
  if (value["code"] !== undefined) put(data, "code", decode(value["code"]));
  for (const key of Object.keys(data)) {
    Object.defineProperty(error, key, {
      value: data[key],
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return { live: error };
}

/** Errors keep these members out of sight. */
function hide(error: Error, key: string, value: unknown): void {
  Object.defineProperty(error, key, {
    value,
    enumerable: false,
    writable: true,
    configurable: true,
  });
}

type ViewClass = new (buffer: ArrayBuffer) => ArrayBufferView;
const VIEWS: ReadonlyMap<string, ViewClass> = new Map<string, ViewClass>([
  ["Uint8Array", Uint8Array],
  ["Int8Array", Int8Array],
  ["Uint8ClampedArray", Uint8ClampedArray],
  ["Uint16Array", Uint16Array],
  ["Int16Array", Int16Array],
  ["Uint32Array", Uint32Array],
  ["Int32Array", Int32Array],
  ["Float32Array", Float32Array],
  ["Float64Array", Float64Array],
  ["BigUint64Array", BigUint64Array],
  ["BigInt64Array", BigInt64Array],
  ["DataView", DataView],
]);

function decodeBytes(value: Json | undefined, marked: JsonObject): ReturnType<Decoder> {
  if (typeof value !== "string") return undefined;
  const as = Object.hasOwn(marked, "as") ? marked["as"] : "Uint8Array";
  if (as === "Buffer") return { live: Buffer.from(value, "base64") };
  const buffer = Uint8Array.from(Buffer.from(value, "base64")).buffer;
  if (as === "ArrayBuffer" || as === "SharedArrayBuffer") return { live: buffer };
  const View = typeof as === "string" ? VIEWS.get(as) : undefined;
  return View === undefined ? undefined : attempt(() => new View(buffer));
}
