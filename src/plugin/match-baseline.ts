import type { BaselineEntry, Decision, ReplayResult } from "../runtime.ts";
import { decide } from "../baseline/compare.ts";
import { failure, TwiceshyError } from "../shared/error.ts";
import { evidenceOf, message } from "../../matchers/message.ts";
import { replayed, type MatcherOutcome } from "../../matchers/matcher.ts";
import type { Settings } from "./settings.ts";
import { verdictMeta, type VerdictMeta } from "./verdict-meta.ts";

/** One repro's place in the baseline, as the runner counts it. */
export interface Slot {
  readonly entry: BaselineEntry | undefined;
  /** False when this repro was already matched in this run of the file. */
  readonly first: boolean;
  /** Why the baseline cannot be read. */
  readonly broken: { readonly code: string; readonly message: string } | undefined;
  /** Counts as matched; nothing is written. */
  keep(): void;
  /** Counts as written or updated; the file is written when the spec ends. */
  write(entry: BaselineEntry): void;
  /** Counts as failed; the entry stays. */
  refuse(): void;
}

/** The result of replaying a repro of a repros file. */
export interface Identified {
  readonly result: ReplayResult;
  readonly id: string;
  readonly hash: string;
  readonly status: "pending" | "confirmed" | "rejected";
}

/** @throws E_MATCHER_NOT for `.not`; E_BASELINE_INLINE for a result without a repro's id; E_MATCHER_RECEIVED for anything else */
export function identified(received: unknown, isNot: boolean): Identified {
  if (isNot) throw refusedNot();
  const result = replayed(received, "toMatchBaseline");
  const { id, hash, status } = result.repro;
  if (id === undefined || hash === undefined || status === "inline") throw inlineRefused();
  return { result, id, hash, status };
}

export interface Matched {
  readonly decision: Decision;
  /** For reporters. */
  readonly meta: VerdictMeta;
  /** What the matcher returns. */
  readonly outcome: MatcherOutcome;
  /** Whether a green test has something to say: a known failure, or what is listed. */
  readonly isToldOf: boolean;
}

/**
 * The table "When a repro's test is red", applied to the runner's own baseline.
 * @throws E_BASELINE_… when the baseline cannot be read; E_BASELINE_TWICE for a repro that was matched already
 */
export function matchBaseline(
  { result, id, hash, status }: Identified,
  slot: Slot,
  { settings, update }: { readonly settings: Settings; readonly update: "all" | "new" | "none" },
): Matched {
  if (slot.broken !== undefined) throw new TwiceshyError(slot.broken.code, slot.broken.message);
  if (!slot.first) throw twice(id);
  const decision = decide({
    repro: { id, status, hash },
    entry: slot.entry,
    now: { verdict: result.verdict, signatures: result.signatures },
    ci: settings.ci,
    update,
    gate: settings.gate,
    unreviewed: settings.unreviewed,
    acceptRegressions: settings.acceptRegressions,
  });
  if (decision.write !== undefined) slot.write(decision.write);
  else if (decision.red) slot.refuse();
  else slot.keep();
  const regressed = slot.entry?.verdict === "passes" && result.verdict !== "passes";
  return {
    decision,
    meta: verdictMeta(result, { decision, regressed }),
    outcome: { pass: !decision.red, message: () => said(result, decision, settings) },
    isToldOf: !decision.red && (decision.known || decision.listed !== undefined),
  };
}

function said(result: ReplayResult, decision: Decision, settings: Settings): string {
  return message({
    call: "toMatchBaseline()",
    expected: settings.gate === "any" ? 'passes (gate: "any")' : "what the baseline allows",
    received: `${result.verdict}: ${result.reason}`,
    evidence: [decision.message, ...evidenceOf(result)],
  });
}

function refusedNot(): Error {
  return failure("E_MATCHER_NOT", {
    to: "use .not.toMatchBaseline()",
    because: "a baseline holds what is accepted, and its opposite accepts everything else",
    fix: "Leave out .not, or use toHaveFailure(kind) to state that a failure is there",
  });
}

function inlineRefused(): Error {
  return failure("E_BASELINE_INLINE", {
    to: "use toMatchBaseline()",
    because: "the result comes from an inline cassette, which has no id to keep an entry under",
    fix: "Use toNotRepeatFailure() or toPassChecks(), or replay a repro of a repros file",
  });
}

/** The error where no test is running that a verdict could be kept for. */
export function outsideTest(): Error {
  return failure("E_BASELINE_OUTSIDE", {
    to: "use toMatchBaseline()",
    because: "no test is running",
    fix: "Call it inside a test; in a concurrent one with the expect of the test's context",
  });
}

function twice(id: string): Error {
  return failure("E_BASELINE_TWICE", {
    to: `match the repro ${id} against its baseline`,
    because: "another call in this file did already",
    fix: "Keep one test for each repro",
  });
}
