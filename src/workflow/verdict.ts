import type { FaultOutcome } from "../fault/fault.ts";
import { sayFault } from "../fault/words.ts";
import { clip, oneLine } from "../shared/text.ts";
import type { CheckOutcome, TrialIssue, TrialVerdict } from "./trial-result.ts";

/** What a trial is judged by, and by nothing else. */
export interface Judged {
  readonly issue?: TrialIssue | undefined;
  readonly faults: readonly FaultOutcome[];
  readonly checks: readonly CheckOutcome[];
}

export interface TrialJudgement {
  readonly verdict: TrialVerdict;
  /** Why, in one sentence. */
  readonly reason: string;
}

/**
 * Judges a trial; the first that holds: it was ended from outside (inconclusive); the simulation broke (inconclusive, a control failed);
 * the agent broke (failed); no fault was reached (inconclusive); a check does not hold (failed); some fault was not reached
 * (inconclusive); else passed. Pure: a report is judged again by it.
 */
export function judgeTrial({ issue, faults, checks }: Judged): TrialJudgement {
  const broken = checks.filter(({ passed }) => !passed);
  if (issue !== undefined) return byIssue(issue, faults, broken);
  const missed = faults.filter(({ reached }) => !reached);
  if (faults.length > 0 && missed.length === faults.length)
    return { verdict: "inconclusive", reason: `${unreached(missed)}${alsoBroken(broken)}` };
  if (broken.length > 0)
    return { verdict: "failed", reason: `${brokenChecks(broken)}${under(faults)}` };
  if (missed.length > 0) return { verdict: "inconclusive", reason: unreached(missed) };
  return { verdict: "passed", reason: `${held(checks.length)}${under(faults)}` };
}

function byIssue(
  issue: TrialIssue,
  faults: readonly FaultOutcome[],
  broken: readonly CheckOutcome[],
): TrialJudgement {
  const reason = `${issue.message}${alsoBroken(broken)}`;
  if (issue.code === "cancelled") return { verdict: "inconclusive", reason };
  if (issue.side === "agent" || faults.length === 0) return { verdict: "failed", reason };
  return { verdict: "inconclusive", reason };
}

function unreached(missed: readonly FaultOutcome[]): string {
  return missed
    .map(({ fault, waitedFor }) => {
      const why = waitedFor === undefined ? "" : `: ${oneLine(waitedFor, 300)}`;
      return `${sayFault(fault)} was not reached${why}`;
    })
    .join("; ");
}

function brokenChecks(broken: readonly CheckOutcome[]): string {
  return broken
    .map((check) => `${shown(check)} does not hold: ${oneLine(check.message, 300)}`)
    .join("; ");
}

function alsoBroken(broken: readonly CheckOutcome[]): string {
  return broken.length === 0 ? "" : `; ${brokenChecks(broken)}`;
}

/** The name that a person gave a check, else its id. */
function shown({ id, label }: CheckOutcome): string {
  return JSON.stringify(clip(oneLine(label ?? id), 80));
}

function held(checks: number): string {
  if (checks === 0) return "the agent ended by itself; nothing was checked";
  return checks === 1 ? "the check holds" : `all ${checks} checks hold`;
}

function under(faults: readonly FaultOutcome[]): string {
  const reached = faults.filter(({ reached }) => reached);
  return reached.length === 0 ? "" : ` (${reached.map(({ fault }) => sayFault(fault)).join(", ")})`;
}
