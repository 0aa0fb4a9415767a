import { isObject } from "../shared/json.ts";
import { nearest } from "../shared/nearest.ts";
import { oneLine } from "../shared/text.ts";
import type { Check, CheckKind, CheckProblem } from "./check.ts";
import { checkKinds } from "./evaluate.ts";
import { sortOf } from "./json-value.ts";
import { NOTHING } from "./pattern-problem.ts";
import { SHAPES } from "./shapes.ts";

/** Where a check is to be used. */
export type CheckUse = "replay" | "trial";

/** A workflow names its checks; what it calls them is its own matter. */
const NAMES: ReadonlySet<string> = new Set(["id", "label"]);

/**
 * What is wrong with a check as somebody wrote it: `"path: why not; what to do"` for each field, in the order of the fields.
 * Nothing when it can be evaluated and asserts something. Never throws; made for checks of fault trials unless said otherwise.
 */
export function problems(check: unknown, use: CheckUse = "trial"): readonly string[] {
  return checkProblems(check, use).map(({ field, message }) =>
    field === "" ? message : `${oneLine(field, 60)}: ${message}`,
  );
}

/** The same, with the field apart. */
export function checkProblems(check: unknown, use: CheckUse): readonly CheckProblem[] {
  if (!isObject(check)) {
    return [{ field: "", message: `is ${sortOf(check)}; give an object with a type` }];
  }
  const { type } = check;
  const kind = typeof type === "string" ? checkKinds().get(type) : undefined;
  if (kind === undefined) return [{ field: "type", message: unknownType(type, use) }];
  if (!isFor(kind, use)) return [{ field: "type", message: misplaced(kind) }];
  const found = [...unknownFields(check, kind, use), ...wrongFields(check, kind)];
  if (found.length > 0) return found;
  return [...empty(check, kind), ...(kind.problems?.(check as Check) ?? [])];
}

/** Whether a kind can be used there. */
export function isFor({ on = "replay" }: CheckKind, use: CheckUse): boolean {
  return on === "both" || on === use;
}

function unknownType(type: unknown, use: CheckUse): string {
  const known = [...checkKinds().values()].filter((kind) => isFor(kind, use));
  const types = known.map((kind) => kind.type);
  if (typeof type !== "string") return `is missing; give one of ${types.join(", ")}`;
  const meant = nearest(type.slice(0, 100), types);
  const shown = JSON.stringify(oneLine(type, 60));
  return meant === undefined
    ? `${shown} is no check; give one of ${types.join(", ")}`
    : `${shown} is no check; did you mean "${meant}"?`;
}

function misplaced({ type, on = "replay" }: CheckKind): string {
  return on === "trial"
    ? `"${type}" looks at a fault trial, which a replay is not; use it in a workflow, or a check of the output or the calls here`
    : `"${type}" looks at a replay, which a fault trial is not; use it in a repro`;
}

function unknownFields(
  check: Readonly<Record<string, unknown>>,
  { type, fields }: CheckKind,
  use: CheckUse,
): CheckProblem[] {
  const known = Object.keys(fields);
  return Object.keys(check)
    .filter((field) => field !== "type" && check[field] !== undefined && !known.includes(field))
    .filter((field) => use === "replay" || !NAMES.has(field))
    .map((field) => ({ field, message: unknownField(field, type, known) }));
}

function unknownField(field: string, type: string, known: readonly string[]): string {
  const meant = nearest(field.slice(0, 100), known);
  const has = known.length === 0 ? "it has none" : `it has ${known.join(", ")}`;
  return `is no field of ${type}; ${meant === undefined ? has : `did you mean "${meant}"?`}`;
}

function wrongFields(
  check: Readonly<Record<string, unknown>>,
  { fields, optional = [] }: CheckKind,
): CheckProblem[] {
  return Object.entries(fields).flatMap(([field, shape]) => {
    const value = Object.hasOwn(check, field) ? check[field] : undefined;
    if (value === undefined) {
      return optional.includes(field) ? [] : [{ field, message: "is missing; give it" }];
    }
    const message = SHAPES[shape](value);
    return message === undefined ? [] : [{ field, message }];
  });
}

/** A check whose fields may all be left out, and are. */
function empty(
  check: Readonly<Record<string, unknown>>,
  { fields, optional = [] }: CheckKind,
): CheckProblem[] {
  const given = Object.keys(fields).some((field) => check[field] !== undefined);
  if (given || optional.length === 0) return [];
  return [{ field: "type", message: `${NOTHING} alone: give ${optional.join(" or ")}` }];
}
