import type { CheckResult } from "../check/check.ts";
import type { Verdict } from "../check/verdict.ts";
import type { Failure } from "../detector/detector.ts";
import type { Json } from "../shared/json.ts";
import type { Trace } from "../trace/trace.ts";

/** A call that the cassette could not answer. Never a pass, even when the agent swallows it. */
export interface Miss {
  readonly tool: string;
  readonly args: Json;
  /** Index of the step in the replayed trace. */
  readonly step: number;
  /** The sentence that the agent got: what was asked, the nearest recorded call, what to do. */
  readonly message: string;
  /** The recorded call most like it, with the first place where the arguments differ. */
  readonly nearest?: {
    readonly args: Json;
    readonly pointer: string;
    readonly recorded: Json | undefined;
    readonly asked: Json | undefined;
  };
}

/** A call that was answered with a recording of other arguments (`loose` matching only). */
export interface Drift {
  readonly tool: string;
  readonly args: Json;
  readonly recorded: Json;
  readonly pointer: string;
}

/** What a replay found. */
export interface ReplayResult {
  readonly verdict: Verdict;
  /** One sentence: why this verdict. */
  readonly reason: string;
  readonly trace: Trace;
  readonly failures: readonly Failure[];
  /** Sorted distinct signatures of the failures that are not low. */
  readonly signatures: readonly string[];
  readonly checks: readonly CheckResult[];
  readonly misses: readonly Miss[];
  readonly drift: readonly Drift[];
  /** Live calls that were refused. */
  readonly blocked: readonly { readonly host: string; readonly tool?: string }[];
  /** `failure`: judged on the failed run's recordings; `retry`: on the later success's. */
  readonly path: "failure" | "retry";
  /** What was replayed; `id` and `hash` are missing for an inline cassette. */
  readonly repro: {
    readonly id?: string;
    readonly hash?: string;
    readonly status: "pending" | "confirmed" | "rejected" | "inline";
    readonly title: string;
    readonly signatures: readonly string[];
  };
}

/** Marks a replay result across realms and copies of the package. */
export const REPLAY_RESULT: unique symbol = Symbol.for("twiceshy.replay") as never;

export function isReplayResult(value: unknown): value is ReplayResult {
  return typeof value === "object" && value !== null && REPLAY_RESULT in value;
}
