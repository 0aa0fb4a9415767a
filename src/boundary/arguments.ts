import { encode } from "../shared/encode.ts";
import type { Json, JsonObject } from "../shared/json.ts";

/** Arguments as an object, with the parameters that named the positional ones. */
interface NamedArguments {
  readonly args: Json;
  readonly params?: string[];
}

/**
 * Names the arguments of a call, the same way in recording and in replay: exactly one plain object is the arguments,
 * none is `{}`, others are named by `params`, else `_0`, `_1`. Trailing `undefined`s count as not given. Copies deeply.
 */
export function nameArguments(
  args: readonly unknown[],
  params?: readonly string[],
): NamedArguments {
  const given = args.slice(0, args.findLastIndex((value) => value !== undefined) + 1);
  const [first] = given;
  if (given.length === 0) return { args: {} };
  if (given.length === 1 && isPlain(first)) return { args: encode(first) };
  const named: JsonObject = {};
  given.forEach((value, index) => {
    const key = params?.[index] ?? `_${index}`;
    Object.defineProperty(named, key, {
      value: encode(value),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  });
  return { args: named, ...(params === undefined ? {} : { params: [...params] }) };
}

/**
 * The arguments to call a function with, from named ones: by position where its parameters are known and name all of
 * them, else one object.
 */
export function positional(
  args: Readonly<Record<string, unknown>>,
  params?: readonly string[],
): unknown[] {
  const keys = Object.keys(args);
  if (params === undefined || keys.length === 0 || !keys.every((key) => params.includes(key)))
    return [args];
  const last = params.findLastIndex((name) => Object.hasOwn(args, name));
  return params
    .slice(0, last + 1)
    .map((name) => (Object.hasOwn(args, name) ? args[name] : undefined));
}

/** Parameter names of a function whose source shows plain ones; undefined for destructuring, native or bound ones. */
export function parameterNames(fn: object): string[] | undefined {
  const source = sourceOf(fn);
  const single = SINGLE.exec(source)?.groups?.["name"];
  if (single !== undefined) return [single];
  const list = LIST.exec(source)?.groups?.["list"];
  if (list === undefined) return undefined;
  const names: string[] = [];
  for (const part of list.split(",").map((parameter) => parameter.trim())) {
    if (part === "" || part.startsWith("...")) break;
    const name = PARAMETER.exec(part)?.groups?.["name"];
    if (name === undefined) return undefined;
    names.push(name);
  }
  return names.length === 0 ? undefined : names;
}

/** `x => …`. */
const SINGLE = /^(?:async\s+)?(?<name>[\w$]+)\s*=>/;
/** `(a, b) => …`, `function f(a, b) {…}`, `async f(a, b) {…}`; nothing in the list may nest. */
const LIST = /^(?:async\b\s*)?(?:function\b\s*)?(?:\*\s*)?[\w$]*\s*\((?<list>[^()[\]{}]*)\)/;
const PARAMETER = /^(?<name>[\p{ID_Start}$_][\p{ID_Continue}$]*)(?:\s*=[^>]*)?$/u;

function sourceOf(fn: object): string {
  try {
    return Function.prototype.toString.call(fn).slice(0, 2000);
  } catch {
    return "";
  }
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  try {
    if (Array.isArray(value)) return false;
    const proto: unknown = Object.getPrototypeOf(value);
    return proto === null || (typeof proto === "object" && Object.getPrototypeOf(proto) === null);
  } catch {
    return false;
  }
}
