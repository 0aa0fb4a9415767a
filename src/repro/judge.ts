import { evaluate, type Evaluated } from "../check/evaluate.ts";
import type { Verdict } from "../check/verdict.ts";
import {
  detect,
  outliveHonesty,
  real,
  signaturesOf,
  type DetectOptions,
  type Failure,
} from "../detector/detector.ts";
import type { Check } from "../check/check.ts";
import { canonical, type JsonObject } from "../shared/json.ts";
import { clip, oneLine } from "../shared/text.ts";
import type { Trace } from "../trace/trace.ts";
import { prefixOf, type Ending } from "./ending.ts";
import type { Repro } from "./repro.ts";
import type { Miss, ReplayResult } from "./result.ts";

/** What of a repro a replay is judged by. */
export type Judged = Pick<Repro, "signatures" | "checks"> & {
  readonly [K in "expected" | "outputSchema" | "cut" | "after"]?: Repro[K] | undefined;
} & {
  /** Status of the recorded run. */
  readonly recordedStatus?: string | undefined;
};

/** What the replay showed beside its trace. */
export interface Evidence {
  readonly misses: readonly Miss[];
  /** Whether every recording of the failed run was answered before the first miss. */
  readonly exhausted?: boolean;
  /** How many steps there were when every recording of the failed run had been answered. */
  readonly exhaustedAt?: number;
  readonly blocked: ReplayResult["blocked"];
  /** How many steps were there before the first blocked call; by default none is trusted. */
  readonly blockedAt?: number;
  readonly detect?: DetectOptions | undefined;
}

export interface Judgement {
  readonly verdict: Verdict;
  readonly reason: string;
  readonly failures: readonly Failure[];
  readonly signatures: readonly string[];
  readonly checks: readonly Evaluated[];
}

/**
 * Judges a replayed run; the first that holds: a recorded signature is there again (`still_fails`); a call was not
 * answered or blocked, or a check or detector crashed (`unreplayable`); no real failure and every check holds
 * (`passes`); else `fails_differently`. After the first unanswered call nothing counts that the run did.
 */
export function judge(trace: Trace, repro: Judged, evidence: Evidence): Judgement {
  const run = withTruth(trace, repro);
  const failures = whatCounts(run, repro, evidence);
  const signatures = signaturesOf(failures);
  const { validate } = evidence.detect ?? {};
  const checks = evaluate(repro.checks, {
    trace: run,
    failures,
    ...(validate === undefined ? {} : { validate }),
  });
  const found = { failures, signatures, checks };
  const again = recorded(failures, repro);
  if (again !== undefined) return { verdict: "still_fails", reason: cameBack(again), ...found };
  const unknown = whyUnreplayable(evidence, failures, checks);
  if (unknown !== undefined) return { verdict: "unreplayable", reason: unknown, ...found };
  const different = whyDifferent(failures, checks);
  if (different !== undefined) return { verdict: "fails_differently", reason: different, ...found };
  return {
    verdict: "passes",
    reason: `${passed(checks.length)}${notCalled(run, repro)}`,
    ...found,
  };
}

/**
 * The failures of the run, as far as it can be trusted; or those by the cut, when the recorded one is among them: what
 * failed by then failed, whatever followed. There the cassette only knows what it can say again, and a longer loop may
 * have another name.
 */
function whatCounts(run: Trace, repro: Judged, evidence: Evidence): readonly Failure[] {
  const trusted = trustedSteps(evidence);
  const { exhaustedAt } = evidence;
  const options = { ...evidence.detect, needed: claimedTools(repro) };
  const failures = detect(trusted === Infinity ? run : trustedPart(run, repro, evidence), options);
  if (recorded(failures, repro) !== undefined || repro.cut === undefined) return failures;
  if (exhaustedAt === undefined || exhaustedAt > trusted) return failures;
  if (!outliveHonesty(repro.signatures)) return failures;
  const byTheCut = detect(prefixOf(run, exhaustedAt, "honest"), options);
  return recorded(byTheCut, repro) === undefined ? failures : byTheCut;
}

/** The tools whose work the failed run claimed. An agent that claims it without even calling them has not been fixed. */
function claimedTools({ signatures }: Judged): string[] {
  return toolsOf("unsupported_claim:", signatures);
}

/** The tools of the signatures of a kind. */
function toolsOf(kind: string, signatures: readonly string[]): string[] {
  const tools: string[] = [];
  for (const signature of signatures) {
    if (signature.startsWith(kind) && signature.length > kind.length)
      tools.push(signature.slice(kind.length));
  }
  return tools;
}

/** A recorded failure that is there again; of several the one that tells most, and a budget that ran out tells least. */
function recorded(failures: readonly Failure[], repro: Judged): Failure | undefined {
  if (failures.length === 0) return undefined;
  const again = real(failures).filter(({ signature }) => repro.signatures.includes(signature));
  return again.find(({ kind }) => kind !== "timeout") ?? again[0];
}

/** How many steps there were before the first call that was not answered or blocked. */
function trustedSteps({ misses, blocked, blockedAt = 0 }: Evidence): number {
  return Math.min(misses[0]?.step ?? Infinity, blocked.length > 0 ? blockedAt : Infinity);
}

function withTruth(trace: Trace, { expected, outputSchema }: Judged): Trace {
  if (expected === undefined && outputSchema === undefined) return trace;
  return {
    ...trace,
    ...(expected === undefined ? {} : { expected }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
  };
}

/** What came before the first call that was not answered or blocked. */
function trustedPart(run: Trace, repro: Judged, evidence: Evidence): Trace {
  const steps = trustedSteps(evidence);
  const [miss] = evidence.misses;
  const isMiss =
    miss?.step === steps && (evidence.blocked.length === 0 || (evidence.blockedAt ?? 0) > steps);
  return prefixOf(run, steps, isMiss ? endingAt(miss, repro, evidence) : "honest");
}

/** How the recorded run went on from where the cassette ends. */
function endingAt(miss: Miss, repro: Judged, { exhausted }: Evidence): Ending {
  if (repro.after?.includes(miss.tool) === true) return "open";
  return exhausted === true && repro.after === undefined && repro.recordedStatus === "timeout"
    ? "timeout"
    : "honest";
}

function cameBack({ signature, message }: Failure): string {
  return `${oneLine(signature, 120)} is there again: ${oneLine(message, 300)}`;
}

function whyUnreplayable(
  { misses, blocked }: Evidence,
  failures: readonly Failure[],
  checks: readonly Evaluated[],
): string | undefined {
  const [miss] = misses;
  if (miss !== undefined) return oneLine(miss.message, 1200) + more(misses.length - 1, "call");
  const [first] = blocked;
  if (first !== undefined) {
    const from = first.tool === undefined ? "the agent" : `the tool ${oneLine(first.tool, 60)}`;
    const host = oneLine(first.host, 200);
    return `${from} tried to reach ${host}, and a replay makes no live call${more(blocked.length - 1, "host")}`;
  }
  const crashed = checks.find((check) => check.crashed === true);
  if (crashed !== undefined) return `${shownCheck(crashed.check, 200)}: ${crashed.message}`;
  const detector = failures.find(({ kind }) => kind === "detector_crash");
  return detector === undefined ? undefined : oneLine(detector.message, 300);
}

function more(count: number, noun: string): string {
  if (count <= 0) return "";
  return ` (and ${count} more ${noun}${count === 1 ? "" : "s"})`;
}

function whyDifferent(
  failures: readonly Failure[],
  checks: readonly Evaluated[],
): string | undefined {
  if (failures.length === 0 && checks.every(({ passed }) => passed)) return undefined;
  const reasons = [
    ...real(failures).map(
      ({ signature, message }) => `${oneLine(signature, 120)} is new: ${oneLine(message, 200)}`,
    ),
    ...checks
      .filter(({ passed }) => !passed)
      .map(
        ({ check, message }) => `${shownCheck(check, 160)} does not hold: ${oneLine(message, 300)}`,
      ),
  ];
  return reasons.length === 0 ? undefined : reasons.join("; ");
}

/** A pass that never came where the run had failed is one, but a person should know. */
function notCalled({ steps }: Trace, { signatures }: Judged): string {
  const failed = toolsOf("tool_error:", signatures);
  if (failed.length === 0) return "";
  const called = new Set(steps.flatMap((step) => (step.kind === "tool" ? [step.name] : [])));
  const avoided = failed.filter((tool) => !called.has(tool)).map((tool) => oneLine(tool, 60));
  return avoided.length === 0 ? "" : `; ${avoided.join(", ")}, which had failed, was not called`;
}

function passed(checks: number): string {
  if (checks === 0) return "no failure was found";
  return `no failure was found and ${checks === 1 ? "the check holds" : `all ${checks} checks hold`}`;
}

function shownCheck(check: Check, max: number): string {
  return clip(oneLine(canonical(check as JsonObject)), max);
}
