import type { Failure, ReplayResult, Trace } from "../src/runtime.ts";
import { detect } from "../src/detector/detector.ts";
import { isReplayResult } from "../src/repro/result.ts";
import { failure } from "../src/shared/error.ts";
import { isObject } from "../src/shared/json.ts";
import { isTrial, type Trial } from "../src/workflow/trial-result.ts";

/** What both runners give a matcher as `this`; matchers use nothing else of a runner. */
export interface MatcherThis {
  readonly isNot: boolean;
  /** The runner's equality, which knows asymmetric matchers. */
  equals(left: unknown, right: unknown): boolean;
}

/** What a matcher returns; the message is built only when the test fails. */
export interface MatcherOutcome {
  readonly pass: boolean;
  readonly message: () => string;
}

/** What was given to `expect`, taken apart. */
export interface Examined {
  readonly trace: Trace;
  readonly failures: readonly Failure[];
  /** Present when the result of a replay was given. */
  readonly result?: ReplayResult;
  /** Present when a fault trial was given. */
  readonly trial?: Trial;
}

/** Whether a value is a trace of ours. Its insides were checked when it was read or recorded. */
export function isTrace(value: unknown): value is Trace {
  return (
    isObject(value) &&
    value["schemaVersion"] === "twiceshy.trace/1" &&
    Array.isArray(value["steps"])
  );
}

/**
 * Takes apart a replay result, a fault trial or a trace.
 * @throws E_MATCHER_RECEIVED for anything else, such as a promise that was not awaited.
 */
export function examine(received: unknown, matcher: string): Examined {
  if (isReplayResult(received))
    return { trace: received.trace, failures: received.failures, result: received };
  if (isTrial(received)) return examinedTrial(received);
  if (isTrace(received)) return { trace: received, failures: detect(received) };
  throw refusal(received, matcher, "a replay result, a trial or a trace");
}

/**
 * The same for matchers that need what only a replay knows.
 * @throws E_MATCHER_RECEIVED
 */
export function replayed(received: unknown, matcher: string): ReplayResult {
  if (isReplayResult(received)) return received;
  throw refusal(received, matcher, "the result of a replay");
}

/** A trial's trace and its failures cost more than the trial; most matchers need neither. */
function examinedTrial(trial: Trial): Examined {
  return {
    trial,
    get trace() {
      return trial.trace;
    },
    get failures() {
      return detect(trial.trace);
    },
  };
}

/** The error for something else than a matcher takes. */
export function refusal(received: unknown, matcher: string, wanted: string): Error {
  const promise = typeof received === "object" && received !== null && "then" in received;
  return failure("E_MATCHER_RECEIVED", {
    to: `use ${matcher}()`,
    because: `expect() was given ${promise ? "a promise" : describe(received)}, not ${wanted}`,
    fix: promise
      ? `Await it first: expect(await ${wanted === "a fault trial" ? "runTrial" : "replay"}(...))`
      : `Give it what ${wanted === "a fault trial" ? "runTrial()" : "replay(), runTrial() or record()"} resolves to`,
  });
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object"
    ? "another object"
    : typeof value === "undefined"
      ? "undefined"
      : `a ${typeof value}`;
}
