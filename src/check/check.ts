import type { Json } from "../shared/json.ts";
import type { Failure } from "../detector/detector.ts";
import type { ToolResult, Trace } from "../trace/trace.ts";

/** A declarative predicate about a run, as data: `{ type: "tool_called", name: "refund" }`. */
export interface Check {
  readonly type: string;
  readonly [field: string]: Json | undefined;
}

/** A committed change, as checks see it. */
export interface SeenMutation {
  /** The evidence that shows it. */
  readonly evidence: string;
  readonly tool: string;
  readonly changes: readonly {
    readonly path: string;
    readonly before?: Json;
    readonly after?: Json;
  }[];
  /** Another client's changes are not the agent's. */
  readonly by: "agent" | "rival";
}

/** A tool call of a trial, as checks see it: also one that was refused, unknown or never answered. */
export interface SeenCall {
  readonly evidence: string;
  readonly tool: string;
  readonly args: Json;
  /** What the agent was told; missing when it was told nothing. */
  readonly result?: ToolResult;
}

/** What checks of a fault trial look at beside the trace. */
export interface TrialSubject {
  /** The committed value at a JSON Pointer; undefined where there is none. */
  state(pointer: string): Json | undefined;
  /** The same of the start state. */
  initial(pointer: string): Json | undefined;
  /** Missing when the agent returned none; a value that is no completion is `{ status: "completed", message, output }`. */
  readonly completion?: {
    readonly status: "completed" | "blocked";
    readonly message: string;
    readonly output?: Json;
  };
  /** The evidence that shows the completion. */
  readonly completionEvidence?: string;
  readonly mutations: readonly SeenMutation[];
  readonly calls: readonly SeenCall[];
  /** Every tool that the world has; a name that is not among them is worth a warning. */
  readonly tools: readonly string[];
}

/** What a check looks at. */
export interface Subject {
  readonly trace: Trace;
  readonly failures: readonly Failure[];
  /** Present in a fault trial alone; a check that needs it is not passed without. */
  readonly trial?: TrialSubject;
  /** Validates against a user's JSON Schema: problems, or nothing when it holds. */
  readonly validate?: (schema: Json, value: Json) => readonly string[];
}

export interface CheckResult {
  readonly check: Check;
  readonly passed: boolean;
  /** Evidence, always given: what was looked at and what was found. */
  readonly message: string;
  /** Of a fault trial: ids of the evidence that matters, and no other. */
  readonly evidence?: readonly string[];
  /** Something that a person should look at although the check passed: a tool's name that no world has. */
  readonly warning?: string;
  readonly actual?: Json;
  readonly expected?: Json;
}

/** The shape of one field of a check, from which its zod schema is made. */
export type FieldShape =
  | "json"
  | "string"
  | "number"
  | "strings"
  | "pattern"
  | "schema"
  /** A JSON Pointer; the empty one is the whole value. */
  | "pointer"
  /** `state` or `completion`. */
  | "source"
  /** A whole or fractional number of any sign. */
  | "quantity"
  /** One of the comparisons `<`, `<=`, `>`, `>=`, `!=`. */
  | "comparison";

/** Something that is wrong with a check as data. */
export interface CheckProblem {
  /** The field; empty for the check itself. */
  readonly field: string;
  /** Why not, and what to do. */
  readonly message: string;
}

/** One check kind. `fields` is the only truth about its shape: the schema of the file is derived from it. */
export interface CheckKind {
  readonly type: string;
  readonly summary: string;
  readonly fields: Readonly<Record<string, FieldShape>>;
  /** Fields that may be left out. */
  readonly optional?: readonly string[];
  /** Where it can be used: on replays, on fault trials, or on both. Default: `replay`. */
  readonly on?: "replay" | "trial" | "both";
  /** What is wrong beyond the shapes of the fields, which hold when it is asked. */
  problems?(check: Check): readonly CheckProblem[];
  /** Never throws for what the run did. */
  evaluate(check: Check, subject: Subject): Omit<CheckResult, "check">;
}
