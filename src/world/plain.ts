import { child } from "../shared/pointer.ts";
import type { Json, JsonObject } from "../shared/json.ts";
import { MARK, put } from "../shared/marker.ts";

/** Levels that a value may have; readers and hashes recurse on it. */
const DEPTH = 100;

/** What keeps a value from being JSON. */
export interface NotJson {
  /** JSON Pointer from the value that was looked at. */
  pointer: string;
  /** "a Date". */
  readonly found: string;
  /** What to have there instead, as a verb phrase: "store its toISOString()". */
  readonly instead: string;
}

/** One copying. */
export interface Walk {
  /** The objects that are being copied, outermost first. */
  readonly stack: object[];
  /** Whether what is made is frozen. */
  readonly freeze: boolean;
  /** The first thing that is not JSON; the copy is then worth nothing. */
  problem?: NotJson;
  /** Whether a member named as our markers are was seen. */
  marked?: boolean;
  /** What a draft holds at this moment, as a tree that nothing else holds; undefined when the object is no draft. */
  readonly draft?: (value: object, walk: Walk) => Json | undefined;
}

/**
 * A copy of a live value as JSON; undefined for undefined, which JSON leaves out. What is not JSON is told in
 * `walk.problem`, at the first place where it is found. `-0` is 0.
 */
export function plain(value: unknown, walk: Walk): Json | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "undefined":
      return value;
    case "number":
      if (Number.isFinite(value)) return value === 0 ? 0 : value;
      return refused(walk, String(value), "store null or a string");
    case "bigint":
      return refused(walk, "a bigint", "store a number or its String(...)");
    case "symbol":
      return refused(walk, "a symbol", "store a string");
    case "function":
      return refused(walk, "a function", "store what it returns");
    case "object":
      break;
  }
  return value === null ? null : plainObject(value, walk);
}

function refused(walk: Walk, found: string, instead: string): null {
  walk.problem ??= { pointer: "", found, instead };
  return null;
}

function plainObject(value: object, walk: Walk): Json {
  const drafted = walk.draft?.(value, walk);
  if (drafted !== undefined) return drafted;
  const { stack } = walk;
  if (stack.includes(value))
    return refused(walk, "a value that contains itself", "store an id in its place");
  if (stack.length >= DEPTH)
    return refused(walk, `more than ${DEPTH} levels`, "store a flatter value");
  const list = Array.isArray(value);
  const instead = list ? undefined : special(value);
  if (instead !== undefined) return refused(walk, instead[0], instead[1]);
  const depth = stack.length;
  const copy = list ? plainItems(value, walk) : plainMembers(value as JsonObject, walk);
  if (stack.length > depth) stack.pop();
  if (walk.freeze) Object.freeze(copy);
  return copy;
}

function plainItems(value: readonly unknown[], walk: Walk): Json[] {
  const copy: Json[] = [];
  const depth = walk.stack.length;
  for (let i = 0; i < value.length; i++) {
    const item = value[i];
    if (isInner(item)) walk.stack[depth] = value;
    copy.push(plain(item, walk) ?? null);
    if (walk.problem !== undefined) return placed(copy, i, walk);
  }
  return copy;
}

function plainMembers(value: Readonly<Record<string, unknown>>, walk: Walk): JsonObject {
  const copy: JsonObject = {};
  const depth = walk.stack.length;
  for (const key of Object.keys(value)) {
    const given = value[key];
    if (isInner(given)) walk.stack[depth] = value;
    const member = plain(given, walk);
    if (walk.problem !== undefined) return placed(copy, key, walk);
    if (member === undefined) continue;
    if (key === MARK) walk.marked = true;
    put(copy, key, member);
  }
  return copy;
}

/** Only what holds something is on the stack while it is copied: most values are flat. */
function isInner(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function placed<T>(copy: T, key: string | number, { problem }: Walk): T {
  if (problem !== undefined) problem.pointer = child("", key) + problem.pointer;
  return copy;
}

/** What an object is that is neither an array nor a plain object of some realm, and what to store instead. */
function special(value: object): readonly [string, string] | undefined {
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (
    prototype === Object.prototype ||
    prototype === null ||
    Object.getPrototypeOf(prototype) === null
  )
    return undefined;
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  return INSTEAD.get(tag) ?? other(prototype, tag);
}

const INSTEAD: ReadonlyMap<string, readonly [string, string]> = new Map([
  ["Date", ["a Date", "store its toISOString() or getTime()"]],
  ["Map", ["a Map", "store an object: Object.fromEntries(map)"]],
  ["Set", ["a Set", "store an array: [...set]"]],
  ["RegExp", ["a RegExp", "store its source"]],
  ["Error", ["an Error", "store its message"]],
  ["Promise", ["a promise", "await it"]],
]);

function other(prototype: object, tag: string): readonly [string, string] {
  const { constructor } = prototype as { readonly constructor?: { readonly name?: unknown } };
  const name = typeof constructor === "function" ? constructor.name : "";
  const what = name === "" ? tag : name;
  return [`an instance of ${what}`, "store a plain object: { ...it }"];
}
