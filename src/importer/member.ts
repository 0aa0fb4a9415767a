import { isObject, type Json, type JsonObject } from "../shared/json.ts";

/** A member of foreign data, never one of the prototype. */
export function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** A member that is a text and not empty. */
export function textIn(object: JsonObject, key: string): string | undefined {
  const value = own(object, key);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A member that is an object; else an empty one. */
export function objectIn(object: JsonObject, key: string): JsonObject {
  const value = own(object, key);
  return isObject(value) ? value : {};
}

/** The objects in a member that is a list. */
export function objectsIn(object: JsonObject, key: string): JsonObject[] {
  const value = own(object, key);
  return Array.isArray(value) ? value.filter((item) => isObject(item)) : [];
}

/** The texts in a member that is a list; undefined when it is none. */
export function textsIn(object: JsonObject, key: string): string[] | undefined {
  const value = own(object, key);
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : undefined;
}

/** `{ [key]: value }`, or nothing when there is no value: for members that may be missing. */
export function maybe<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}
