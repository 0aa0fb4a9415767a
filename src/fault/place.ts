import { isObject, type Json } from "../shared/json.ts";
import { put } from "../shared/marker.ts";
import { members } from "../shared/pointer.ts";

/** The members on the way to a value inside of another; the value itself has none. */
export type Place = readonly string[];

/** The first value, depth first and in the order of the keys, that is wanted. */
export function findPlace(data: Json, wanted: (value: Json) => boolean): Place | undefined {
  if (wanted(data)) return [];
  if (typeof data !== "object" || data === null) return undefined;
  for (const [key, member] of Object.entries(data)) {
    const found = findPlace(member, wanted);
    if (found !== undefined) return [key, ...found];
  }
  return undefined;
}

/** The place that a JSON Pointer names, where there is a value. */
export function placeAt(data: Json, pointer: string): Place | undefined {
  const place = members(pointer);
  return valueAt(data, place) === undefined ? undefined : place;
}

/** The value at a place; undefined where there is none. */
export function valueAt(data: Json, place: Place): Json | undefined {
  let value: Json | undefined = data;
  for (const key of place) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, Json>)[key];
  }
  return value;
}

/** A copy with another value at a place; the rest is shared. */
export function withValue(data: Json, place: Place, value: Json): Json {
  const [key, ...rest] = place;
  if (key === undefined) return value;
  if (Array.isArray(data))
    return data.map((item, at) => (String(at) === key ? withValue(item, rest, value) : item));
  return isObject(data)
    ? mapMembers(data, (member, name) => (name === key ? withValue(member, rest, value) : member))
    : data;
}

/** A copy of an object with changed members. */
export function mapMembers(
  data: { readonly [key: string]: Json },
  change: (member: Json, key: string) => Json,
): Json {
  const copy: { [key: string]: Json } = {};
  for (const [key, member] of Object.entries(data)) put(copy, key, change(member, key));
  return copy;
}
