import type { Check } from "../check/check.ts";
import { isObject, type Json } from "../shared/json.ts";
import { own } from "./member.ts";

/** The one field of each assertion of Faultspool; the kinds have the same names as our checks. */
const FIELDS: ReadonlyMap<string, string | undefined> = new Map([
  ["no_failures", undefined],
  ["no_failure", "kinds"],
  ["output_equals", "value"],
  ["output_contains", "value"],
  ["output_matches", "pattern"],
  ["output_schema", "schema"],
  ["tool_called", "name"],
  ["tool_not_called", "name"],
  ["max_tool_calls", "value"],
]);

/** An assertion as a check of ours, or why it is none. */
export function toCheck(assertion: Json): Check | { readonly unknown: string } {
  const type = isObject(assertion) ? own(assertion, "type") : undefined;
  if (!isObject(assertion) || typeof type !== "string")
    return { unknown: "an assertion without a type" };
  if (!FIELDS.has(type)) return { unknown: `the assertion type "${type}" is not known` };
  const field = FIELDS.get(type);
  if (field === undefined) return { type };
  const value = own(assertion, field);
  return value === undefined
    ? { unknown: `an assertion of type ${type} has no "${field}"` }
    : { type, [field]: value };
}

export function isCheck(value: Check | { readonly unknown: string }): value is Check {
  return "type" in value;
}
