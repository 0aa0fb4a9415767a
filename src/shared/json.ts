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
  if (typeof value === "string") return JSON.stringify(value.normalize("NFC"));
  if (typeof value === "number") return JSON.stringify(value === 0 ? 0 : value);
  if (value === null || typeof value !== "object")
    return value === undefined ? "null" : String(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item)).join(",")}]`;
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort(byCodeUnit)
    .map((key) => `${JSON.stringify(key.normalize("NFC"))}:${canonical(value[key])}`);
  return `{${members.join(",")}}`;
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

/** The text of a JSON file of ours: sorted keys, two spaces, LF, one final newline. */
export function fileText(value: Json): string {
  return `${JSON.stringify(sorted(value), null, 2)}\n`;
}
