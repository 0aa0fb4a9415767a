import { decode, encode } from "../shared/encode.ts";
import type { Json, JsonObject } from "../shared/json.ts";
import { MARK } from "../shared/marker.ts";

/** As `encode`, a short way for what most calls give: one level of texts, numbers, booleans and nulls. */
export function encodeFlat(args: object): Json {
  let copy: Record<string, unknown>;
  try {
    if (Object.getPrototypeOf(args) !== Object.prototype) return encode(args);
    copy = { ...args };
  } catch {
    return encode(args);
  }
  for (const key in copy) if (!isFlat(copy[key]) || key === MARK) return encode(args);
  return copy as JsonObject;
}

function isFlat(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  return typeof value === "string" || typeof value === "boolean" || value === null;
}

/** As `decode`, a short way for what holds no markers. */
export function decodePlain(json: Json): unknown {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return json.map(decodePlain);
  if (Object.hasOwn(json, MARK)) return decode(json);
  const copy: Record<string, unknown> = { ...json };
  for (const key in copy) {
    const member = copy[key];
    // An own `__proto__` stays one: the spread has made it.
    if (typeof member === "object" && member !== null) copy[key] = decodePlain(member as Json);
  }
  return copy;
}
