import { byCodeUnit, isObject, type Json, type JsonObject } from "../shared/json.ts";
import { unwrapped } from "./any-turns.ts";
import { objectsIn, own, textIn } from "./member.ts";

const INDEX = /^\d{1,6}$/;

/** The attributes of a span as a plain object: from OTLP's list of typed values, Jaeger's tags, or an object that is plain already. */
export function attributesIn(holder: JsonObject, key = "attributes"): JsonObject {
  const value = own(holder, key);
  if (Array.isArray(value)) {
    const named = objectsIn(holder, key).flatMap((entry) => {
      const name = textIn(entry, "key");
      return name === undefined ? [] : [[name, plain(own(entry, "value") ?? null)] as const];
    });
    return Object.fromEntries(named);
  }
  if (!isObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, plain(held)]));
}

/** A typed value of OTLP as the value itself. */
function plain(value: Json): Json {
  if (!isObject(value)) return value;
  const [type, ...more] = Object.keys(value);
  if (type === undefined || more.length > 0) return value;
  const held = value[type] ?? null;
  if (type === "stringValue" || type === "boolValue" || type === "bytesValue") return held;
  if (type === "doubleValue") return held;
  if (type === "intValue")
    return typeof held === "string" && Number.isSafeInteger(Number(held)) ? Number(held) : held;
  if (type === "values" && Array.isArray(held)) return held.map((item) => plain(item));
  if (type === "arrayValue" && isObject(held))
    return objectsIn(held, "values").map((item) => plain(item));
  return type === "kvlistValue" && isObject(held) ? attributesIn(held, "values") : value;
}

/** The first of these names that has a value. A name that ends in `.` gathers numbered attributes; nothing but `{}` is no value. */
export function attribute(attributes: JsonObject, names: readonly string[]): Json | undefined {
  for (const name of names) {
    const value = name.endsWith(".") ? numbered(attributes, name) : at(attributes, name);
    if (value !== undefined && value !== null && value !== "" && value !== "{}" && value !== "[]")
      return value;
  }
  return undefined;
}

/** The same when it must be a text. */
export function attributeText(
  attributes: JsonObject,
  names: readonly string[],
): string | undefined {
  const value = attribute(attributes, names);
  return typeof value === "string" ? value : undefined;
}

/** The same when it must be a count; some exporters write numbers as texts. */
export function attributeCount(
  attributes: JsonObject,
  names: readonly string[],
): number | undefined {
  const value = attribute(attributes, names);
  const count = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

/** An attribute by its dotted name, also where an exporter made objects of the dots. */
function at(attributes: JsonObject, name: string): Json | undefined {
  if (Object.hasOwn(attributes, name)) return attributes[name];
  let held: Json | undefined = attributes;
  for (const part of name.split(".")) {
    held = isObject(held) ? own(held, part) : undefined;
    if (held === undefined) return undefined;
  }
  return held;
}

/** `prefix.0.role`, `prefix.0.content`, … as a list of objects. */
function numbered(attributes: JsonObject, prefix: string): Json | undefined {
  const root: Branch = new Map();
  for (const key of Object.keys(attributes)) {
    if (!key.startsWith(prefix)) continue;
    const path = key.slice(prefix.length).split(".");
    if (INDEX.test(path[0] ?? "") && path.length <= 12) place(root, path, attributes[key] ?? null);
  }
  if (root.size > 0) return grown(root);
  const held = at(attributes, prefix.slice(0, -1));
  return Array.isArray(held) && held.length > 0 ? held : undefined;
}

type Branch = Map<string, Branch | { readonly leaf: Json }>;

function place(root: Branch, path: readonly string[], leaf: Json): void {
  let branch = root;
  for (const part of path.slice(0, -1)) {
    const next = branch.get(part);
    if (next instanceof Map) branch = next;
    else {
      const fresh: Branch = new Map();
      branch.set(part, fresh);
      branch = fresh;
    }
  }
  const last = path.at(-1) ?? "";
  if (!(branch.get(last) instanceof Map)) branch.set(last, { leaf });
}

function grown(branch: Branch): Json {
  const keys = [...branch.keys()];
  const value = (key: string): Json => {
    const held = branch.get(key);
    return held === undefined ? null : held instanceof Map ? grown(held) : held.leaf;
  };
  if (keys.every((key) => INDEX.test(key))) {
    return keys.sort((a, b) => Number(a) - Number(b) || byCodeUnit(a, b)).map((key) => value(key));
  }
  return Object.fromEntries(keys.map((key) => [key, value(key)]));
}

/** The names of tools, in a list of definitions in any layout. */
export function toolNamesIn(value: Json | undefined): string[] {
  const tools = unwrapped(value ?? null);
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((raw) => {
    const outer = unwrapped(raw);
    const held = isObject(outer) ? (own(outer, "tool") ?? outer) : null;
    const schema = isObject(held) ? unwrapped(own(held, "json_schema") ?? held) : null;
    if (!isObject(schema)) return [];
    const inner = own(schema, "function");
    return textIn(isObject(inner) ? inner : schema, "name") ?? [];
  });
}
