import type { Completion } from "../agent/agent.ts";
import type { Evaluated } from "../check/evaluate.ts";
import type { Fault, FaultOutcome } from "../fault/fault.ts";
import type { Json } from "../shared/json.ts";
import type { ToolResult, Trace, TraceError } from "../trace/trace.ts";
import type { Mutation } from "../world/world.ts";

/** The result of judging one trial; worst last when several are merged. */
export type TrialVerdict = "passed" | "inconclusive" | "failed";

/** One thing that happened in a trial, in the order in which it happened. Ids are `e1`, `e2`, ... */
export type TrialEvent = {
  readonly id: string;
  /** Milliseconds on the trial's clock. */ readonly at: number;
} & (
  | {
      readonly kind: "call";
      readonly callId: string;
      readonly tool: string;
      readonly args: Json;
      readonly write?: boolean;
    }
  /** What the agent was told. */
  | {
      readonly kind: "result";
      readonly callId: string;
      readonly tool: string;
      readonly result: ToolResult;
    }
  /** What the tool really answered, where the agent was told something else. */
  | {
      readonly kind: "hidden";
      readonly callId: string;
      readonly tool: string;
      readonly result: ToolResult;
    }
  | ({ readonly kind: "mutation" } & Omit<Mutation, "at">)
  /** `n` is the place of the fault in the scenario, from 0. */
  | {
      readonly kind: "fault";
      readonly callId?: string;
      readonly tool: string;
      readonly type: string;
      readonly n: number;
      readonly about?: Json;
    }
  /** A call that nobody waited for any more when the agent had ended. */
  | { readonly kind: "cancelled"; readonly callId: string; readonly tool: string }
  | { readonly kind: "restart"; readonly callId: string; readonly tool: string }
  | { readonly kind: "model" | "reasoning"; readonly content: Json }
  | { readonly kind: "completion"; readonly completion: Completion }
  /** `code` is the issue's, where it is not the side's usual one. */
  | {
      readonly kind: "error";
      readonly side: Side;
      readonly error: TraceError;
      readonly code?: string;
    }
  /** `callId` names the call that was refused; it is no tool call that counts. The side is the agent's where none is said. */
  | {
      readonly kind: "limit";
      readonly code: string;
      readonly message: string;
      readonly callId?: string;
      readonly side?: Side;
    }
);

export type Side = "agent" | "tool" | "world" | "runner";

/** Why a trial ended otherwise than by the agent's completion. */
export interface TrialIssue {
  /** The agent's issues make a trial failed; those of the simulation make it inconclusive (a control failed). */
  readonly side: Side;
  /**
   * `agent_error`, `agent_hung` (waits for ever), `agent_blocked` (a synchronous endless loop), `exit`, `stray_rejection`, `uncaught_error`, `leftover_timer`,
   * `network_blocked`, `call_limit`, `repeated_calls`, `timed_out`, `time_budget` (virtual), `clock_contract`, `cancelled`, `tool_contract`, `world_contract`.
   */
  readonly code: string;
  /** One sentence: what, where, which field. */
  readonly message: string;
}

/** What became of one check in a trial. */
export interface CheckOutcome extends Evaluated {
  readonly id: string;
  readonly label?: string;
  /**
   * Set in a report where the check cannot be judged again: redaction hides what it looked at, or it is a function, of which a report
   * knows the digest of its source.
   */
  readonly judged?: "before_redaction" | "by_function";
}

/** One execution of one scenario: what happened, and how it was judged. */
export interface Trial {
  readonly scenario: {
    readonly id: string;
    readonly title: string;
    readonly faults: readonly Fault[];
  };
  readonly verdict: TrialVerdict;
  /** Why, in one sentence. */
  readonly reason: string;
  readonly issue?: TrialIssue;
  readonly faults: readonly FaultOutcome[];
  readonly checks: readonly CheckOutcome[];
  readonly events: readonly TrialEvent[];
  readonly mutations: readonly Mutation[];
  /** What the agent returned; a value that is no completion is a completed one with that output. Missing when it returned nothing. */
  readonly completion?: Completion;
  /** A plain copy of the committed state, made when it is first asked for. */
  readonly state: unknown;
  readonly initialState: unknown;
  /** The committed value at a JSON Pointer, without copying the rest. */
  read(pointer: string): Json | undefined;
  initial(pointer: string): Json | undefined;
  /** The same run as a trace, for detectors and for the matchers of replays; made when it is first asked for. */
  readonly trace: Trace;
  /** Names of the world's tools. */
  readonly tools: readonly string[];
  readonly toolCalls: number;
  readonly clock?: { readonly startMs: number; readonly endMs: number };
  /** Notes that change no verdict: a misspelt tool in a check, calls that nobody waited for, state shared between trials. */
  readonly notes: readonly string[];
}

const TRIAL: unique symbol = Symbol.for("twiceshy.trial") as never;

/** Marks a value as a trial, for guards of any realm and copy of the package. */
export function asTrial<T extends object>(value: T): T {
  return Object.defineProperty(value, TRIAL, { value: true });
}

export function isTrial(value: unknown): value is Trial {
  return typeof value === "object" && value !== null && TRIAL in value;
}
