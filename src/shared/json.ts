/** Any value that JSON can hold. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

/** Whether a value is a plain JSON object (no array, no null). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** UTF-16 order, the same on every machine and in every locale. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Canonical JSON text: keys sorted by UTF-16 units (RFC 8785), strings in NFC, `-0` as `0`, `undefined` members left out.
 * Two values with equal canonical text are equal to us. Depth is bounded by the readers and encoders, so recursion is safe.
 */
export function canonical(value: Json | undefined): string {
  if (isInOrder(value)) {
    // The language's own writer is many times faster, and writes the same where nothing is to be changed.
    const text = JSON.stringify(value) ?? "null";
    if (ASCII.test(text)) return text;
  }
  return rewritten(value);
}

/** Whether every object below has its keys in order, and nothing is there that JSON would leave out or convert. */
function isInOrder(value: Json | undefined): boolean {
  if (typeof value !== "object" || value === null)
    return typeof value !== "bigint" && typeof value !== "function" && typeof value !== "symbol";
  if ("toJSON" in value) return false;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isInOrder(value[i])) return false;
    return true;
  }
  let before = "";
  for (const key of Object.keys(value)) {
    if (key < before || !isInOrder(value[key])) return false;
    before = key;
  }
  return true;
}

function rewritten(value: Json | undefined): string {
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number") return JSON.stringify(value === 0 ? 0 : value);
  if (value === null || typeof value !== "object")
    return value === undefined ? "null" : String(value);
  let text = "";
  if (Array.isArray(value)) {
    for (const item of value) text += `${text === "" ? "" : ","}${rewritten(item)}`;
    return `[${text}]`;
  }
  for (const key of Object.keys(value).sort(byCodeUnit)) {
    const member = value[key];
    if (member === undefined) continue;
    text += `${text === "" ? "" : ","}${quoted(key)}:${rewritten(member)}`;
  }
  return `{${text}}`;
}

/** ASCII is NFC already. */
const ASCII = /^[ -~]*$/u;

function quoted(text: string): string {
  return JSON.stringify(ASCII.test(text) ? text : text.normalize("NFC"));
}

/** Whether two values have the same canonical text. */
export function same(a: Json | undefined, b: Json | undefined): boolean {
  return a === b || canonical(a) === canonical(b);
}

/** A copy with sorted keys at every depth, without changing any string; `__proto__` stays an own key. */
export function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => sorted(item));
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const key of Object.keys(value).sort(byCodeUnit)) {
    const member = value[key];
    if (member === undefined) continue;
    Object.defineProperty(copy, key, {
      value: sorted(member),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return copy;
}

/**
 * Characters that make a text read otherwise than it is: C1 controls, direction marks, invisible ones, tags. Joiners stay, as whole
 * scripts need them. Named one by one, because a class such as `\p{Cf}` grows with the version of Node.
 */
const MISLEADING =
  /[\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g;

/**
 * The text of a JSON file of ours: sorted keys, two spaces, LF, one final newline. A reviewer sees every character: what could hide
 * or reorder others is escaped, which changes no value.
 */
export function fileText(value: Json): string {
  const text = JSON.stringify(sorted(value), null, 2);
  return `${text.replace(MISLEADING, escaped)}\n`;
}

function escaped(characters: string): string {
  return Array.from({ length: characters.length }, (_, at) => characters.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
    .join("");
}
