import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { put } from "../shared/marker.ts";
import type { Fault, FaultType } from "./fault.ts";
import { reshaping } from "./reshaping.ts";

export const schemaDrift = {
  type: "schema_drift",
  label: "changed schema",
  summary:
    "The call is carried out and commits, and the members of the answer have other names: snake_case for camelCase and back, else one level deeper.",
  appliesTo: ["read", "write"],
  fields: { rename: "json" },
  matrix: true,
  commits: "all",
  problems: ({ rename }) =>
    rename === undefined || isRenaming(rename)
      ? []
      : ['rename: it must say new names by old ones, such as { "orderId": "order_id" }'],
  arm: (fault, armed) =>
    reshaping(armed, (data) => drifted(data, fault), "its data has no member to rename"),
} as const satisfies FaultType;

function isRenaming(rename: Json): boolean {
  const names = isObject(rename) ? Object.values(rename) : [];
  return names.length > 0 && names.every((name) => typeof name === "string");
}

function drifted(data: Json, { rename }: Fault): Json | undefined {
  const changed = { any: false };
  if (!isObject(rename)) {
    const copy = renamed(data, otherCase, changed);
    return changed.any ? copy : { result: data };
  }
  const given = (key: string): string => {
    const name = Object.hasOwn(rename, key) ? rename[key] : undefined;
    return typeof name === "string" ? name : key;
  };
  const copy = renamed(data, given, changed);
  return changed.any ? copy : undefined;
}

function renamed(data: Json, nameOf: (key: string) => string, changed: { any: boolean }): Json {
  if (Array.isArray(data)) return data.map((item) => renamed(item, nameOf, changed));
  if (!isObject(data)) return data;
  const copy: JsonObject = {};
  for (const [key, member] of Object.entries(data)) {
    const name = nameOf(key);
    // A member never takes another's place: nothing is lost by a new name.
    const free = name !== key && !Object.hasOwn(data, name) && !Object.hasOwn(copy, name);
    if (free) changed.any = true;
    put(copy, free ? name : key, renamed(member, nameOf, changed));
  }
  return copy;
}

function otherCase(key: string): string {
  if (/[a-z0-9]_[a-z0-9]/i.test(key))
    return key.replace(/(?<=[a-z0-9])_([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase());
  return key.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
