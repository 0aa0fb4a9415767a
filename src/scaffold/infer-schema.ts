import { byCodeUnit, isObject, type Json, type JsonObject } from "../shared/json.ts";
import { markerKind } from "../shared/marker.ts";

/** Deeper values, and objects with more members, are data rather than shape: nothing is said of what is in them. */
const MAX_DEPTH = 8;
const MAX_MEMBERS = 100;

/**
 * The JSON Schema that observed values have in common, no more: a member is required when every object has it, values of several
 * types are `anyOf`, and members that were not seen stay allowed. Every one of the values meets it.
 */
export function inferSchema(values: readonly Json[]): JsonObject {
  return schemaOf(values, 0);
}

function schemaOf(values: readonly Json[], depth: number): JsonObject {
  if (values.length === 0 || depth > MAX_DEPTH || values.some((value) => isMarked(value)))
    return {};
  const byType = new Map<string, Json[]>();
  for (const value of values) {
    const type = typeOf(value);
    const known = byType.get(type);
    if (known === undefined) byType.set(type, [value]);
    else known.push(value);
  }
  const whole = byType.get("integer");
  const numbers = byType.get("number");
  if (whole !== undefined && numbers !== undefined) {
    byType.set("number", [...whole, ...numbers]);
    byType.delete("integer");
  }
  const shapes = [...byType]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([type, of]) => shapeOf(type, of, depth));
  return shapes.length === 1 ? (shapes[0] ?? {}) : { anyOf: shapes };
}

/** What JSON cannot hold is written as an object that says so. */
function isMarked(value: Json): boolean {
  return markerKind(value) !== undefined;
}

function typeOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

function shapeOf(type: string, values: readonly Json[], depth: number): JsonObject {
  if (type === "array") {
    const items = schemaOf(
      values.flatMap((value) => value as Json[]),
      depth + 1,
    );
    return Object.keys(items).length === 0 ? { type } : { type, items };
  }
  return type === "object" ? objectShape(values.filter(isObject), depth) : { type };
}

function objectShape(values: readonly JsonObject[], depth: number): JsonObject {
  const members = new Map<string, Json[]>();
  for (const value of values) {
    for (const [key, member] of Object.entries(value)) {
      if (!isUsable(key)) continue;
      const known = members.get(key);
      if (known === undefined) members.set(key, [member]);
      else known.push(member);
    }
  }
  if (members.size === 0 || members.size > MAX_MEMBERS) return { type: "object" };
  const sorted = [...members].sort(([a], [b]) => byCodeUnit(a, b));
  const required = sorted.flatMap(([key, seen]) => (seen.length === values.length ? [key] : []));
  return {
    type: "object",
    properties: Object.fromEntries(sorted.map(([key, seen]) => [key, schemaOf(seen, depth + 1)])),
    ...(required.length === 0 ? {} : { required }),
  };
}

/** Validators take what every object inherits for a member of it, and fail for a name with half of a surrogate pair. */
function isUsable(key: string): boolean {
  return !(key in Object.prototype) && !/\p{Cs}/u.test(key);
}
