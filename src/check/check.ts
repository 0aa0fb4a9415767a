import type { Json } from "../shared/json.ts";
import type { Failure } from "../detector/detector.ts";
import type { Trace } from "../trace/trace.ts";

/** A declarative predicate about a run, as data: `{ type: "tool_called", name: "refund" }`. */
export interface Check {
  readonly type: string;
  readonly [field: string]: Json | undefined;
}

/** What a check looks at. */
export interface Subject {
  readonly trace: Trace;
  readonly failures: readonly Failure[];
  /** Validates against a user's JSON Schema: problems, or nothing when it holds. */
  readonly validate?: (schema: Json, value: Json) => readonly string[];
}

export interface CheckResult {
  readonly check: Check;
  readonly passed: boolean;
  /** Evidence, always given: what was looked at and what was found. */
  readonly message: string;
}

/** The shape of one field of a check, from which its zod schema is made. */
export type FieldShape = "json" | "string" | "number" | "strings" | "pattern" | "schema";

/** One check kind. `fields` is the only truth about its shape: the schema of the file is derived from it. */
export interface CheckKind {
  readonly type: string;
  readonly summary: string;
  readonly fields: Readonly<Record<string, FieldShape>>;
  /** Fields that may be left out. */
  readonly optional?: readonly string[];
  evaluate(check: Check, subject: Subject): { readonly passed: boolean; readonly message: string };
}
