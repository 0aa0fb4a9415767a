/* oxlint-disable oxc/no-this-in-exported-function -- both runners give a matcher its state as `this` */
import { failure } from "../src/shared/error.ts";
import { replayed, type MatcherOutcome, type MatcherThis } from "./matcher.ts";
import { evidenceOf, failedChecks, message } from "./message.ts";

/**
 * Passes when every check of the repro holds and every call of the replay was answered.
 * @throws E_CHECKS_NONE when there is no check, because such a test would assert nothing
 */
export function toPassChecks(this: MatcherThis, received: unknown): MatcherOutcome {
  const result = replayed(received, "toPassChecks");
  const total = result.checks.length;
  if (total === 0) {
    throw failure("E_CHECKS_NONE", {
      to: "use toPassChecks()",
      because: "the repro has no checks, so nothing would be asserted",
      fix: 'Add some to its "checks" in the repros file, or use toNotRepeatFailure()',
    });
  }
  const failed = failedChecks(result.checks).length;
  const answered = result.verdict !== "unreplayable";
  const { isNot } = this;
  return {
    pass: failed === 0 && answered,
    message: () =>
      message({
        call: `${isNot ? "not." : ""}toPassChecks()`,
        expected: isNot ? "a check that does not hold" : "every check to hold",
        received: answered
          ? `${total - failed} of ${total} hold`
          : `unreplayable: ${result.reason}`,
        evidence: evidenceOf(result),
      }),
  };
}
