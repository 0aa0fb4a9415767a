import { isObject, same, type Json } from "../shared/json.ts";
import type { Fault, FaultType } from "./fault.ts";
import { mapMembers, placeAt, valueAt, withValue } from "./place.ts";
import { reshaping } from "./reshaping.ts";

export const wrongType = {
  type: "wrong_type",
  label: "wrong types",
  summary:
    "The call is carried out and commits, and numbers come as texts, numerals as numbers and lists as null; without any of them a text comes in a list, null as an empty text and anything else as JSON text.",
  appliesTo: ["read", "write"],
  fields: { pointer: "string" },
  matrix: true,
  commits: "all",
  arm: (fault, armed) =>
    reshaping(armed, (data) => mistyped(data, fault), "its data has nothing at the pointer"),
} as const satisfies FaultType;

function mistyped(data: Json, { pointer }: Fault): Json | undefined {
  if (typeof pointer !== "string") {
    const copy = everywhere(data);
    return same(copy, data) ? one(data) : copy;
  }
  const place = placeAt(data, pointer);
  if (place === undefined) return undefined;
  return withValue(data, place, one(valueAt(data, place) ?? null));
}

const NUMERAL = /^-?\d{1,15}(?:\.\d{1,15})?$/;

function everywhere(data: Json): Json {
  if (Array.isArray(data)) return null;
  if (isObject(data)) return mapMembers(data, (member) => everywhere(member));
  if (typeof data === "number") return String(data);
  return typeof data === "string" && NUMERAL.test(data) ? Number(data) : data;
}

/** The same value as another type; always another. */
function one(data: Json): Json {
  if (data === null) return "";
  if (Array.isArray(data)) return null;
  if (typeof data === "string") return NUMERAL.test(data) ? Number(data) : [data];
  return typeof data === "object" ? JSON.stringify(data) : String(data);
}
