/* oxlint-disable oxc/no-this-in-exported-function -- both runners give a matcher its state as `this` */
import type { CheckResult } from "../src/runtime.ts";
import { isReplayResult } from "../src/repro/result.ts";
import { failure } from "../src/shared/error.ts";
import { oneLine } from "../src/shared/text.ts";
import { isTrial, type Trial } from "../src/workflow/trial-result.ts";
import { refusal, type MatcherOutcome, type MatcherThis } from "./matcher.ts";
import { evidenceOf, failedChecks, message } from "./message.ts";

/** A run with checks, and what they are worth. */
interface Checked {
  readonly checks: readonly CheckResult[];
  /** Why nothing is known, whatever the checks say. */
  readonly unknown?: string | undefined;
  readonly trial?: Trial;
  readonly evidence: () => string[];
}

/**
 * Passes when every check of the repro holds and every call of the replay was answered; or when every check of a trial holds and the
 * simulation itself did not break. Whether a trial's fault was reached is the business of `toHaveReachedFault`.
 * @throws E_CHECKS_NONE when there is no check, because such a test would assert nothing
 */
export function toPassChecks(this: MatcherThis, received: unknown): MatcherOutcome {
  const { checks, unknown, trial, evidence } = checkedIn(received);
  const total = checks.length;
  if (total === 0) throw noChecks(trial);
  const failed = checks.filter(({ passed }) => !passed).length;
  const { isNot } = this;
  const hold = (): string => `${total - failed} of ${total} hold`;
  return {
    pass: failed === 0 && unknown === undefined,
    message: () =>
      message({
        trial,
        call: `${isNot ? "not." : ""}toPassChecks()`,
        expected: isNot ? "a check that does not hold" : "every check to hold",
        received: unknown ?? `${hold()}${trial === undefined ? "" : broken(trial)}`,
        evidence: evidence(),
      }),
  };
}

function checkedIn(received: unknown): Checked {
  if (isReplayResult(received)) {
    const { checks, verdict, reason } = received;
    const unknown = verdict === "unreplayable" ? `unreplayable: ${reason}` : undefined;
    return { checks, unknown, evidence: () => evidenceOf(received) };
  }
  if (isTrial(received)) {
    const { checks, issue } = received;
    const unknown =
      issue === undefined || issue.side === "agent" ? undefined : `${issue.code}: ${issue.message}`;
    return { checks, unknown, trial: received, evidence: () => failedChecks(checks) };
  }
  throw refusal(received, "toPassChecks", "the result of a replay or a trial");
}

/** The checks that do not hold, by the names that people gave them. */
function broken({ checks }: Trial): string {
  const found = checks.filter(({ passed }) => !passed);
  if (found.length === 0) return "";
  const lines = found.map(
    ({ id, label, message: why }) => `${JSON.stringify(oneLine(label ?? id, 80))}: ${why}`,
  );
  return `; ${lines.join("; ")}`;
}

function noChecks(trial: Trial | undefined): Error {
  return failure("E_CHECKS_NONE", {
    to: "use toPassChecks()",
    because: `the ${trial === undefined ? "repro" : "trial"} has no checks, so nothing would be asserted`,
    fix:
      trial === undefined
        ? 'Add some to its "checks" in the repros file, or use toNotRepeatFailure()'
        : 'Give runTrial() some "checks", or use toHaveExactlyOneMutation()',
  });
}
