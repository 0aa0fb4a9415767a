import { child } from "../shared/pointer.ts";
import { isObject } from "../shared/json.ts";

const DEEPEST = 128;

/** Why a value that somebody wrote is no JSON, with its place in it, and what to do; nothing when it is. */
export function jsonProblem(value: unknown, pointer = "", depth = 0): string | undefined {
  const place = pointer === "" ? "" : ` at ${pointer}`;
  if (depth > DEEPEST)
    return `is deeper than ${DEEPEST} levels${place}; give a tree without cycles`;
  if (Array.isArray(value)) {
    return firstOf(value.entries(), (at, item) => jsonProblem(item, child(pointer, at), depth + 1));
  }
  if (isObject(value)) {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      return `is no JSON${place}: ${sortOf(value)}; give plain data`;
    }
    return firstOf(Object.entries(value), (key, item) =>
      jsonProblem(item, child(pointer, key), depth + 1),
    );
  }
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
  if (typeof value === "number" && Number.isFinite(value)) return undefined;
  return `is no JSON${place}: ${sortOf(value)}; give plain data`;
}

function firstOf<K extends string | number>(
  entries: Iterable<readonly [K, unknown]>,
  problem: (key: K, item: unknown) => string | undefined,
): string | undefined {
  for (const [key, item] of entries) {
    const found = problem(key, item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What a value is, in words: "a text", "a RegExp". */
export function sortOf(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "undefined";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "string") return "a text";
  if (typeof value !== "object") {
    return typeof value === "number" ? String(value) : `a ${typeof value}`;
  }
  const { constructor } = value;
  const name = typeof constructor === "function" ? constructor.name : "";
  return name === "" || name === "Object" ? "an object" : `a ${name}`;
}
