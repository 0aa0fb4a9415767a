/* oxlint-disable oxc/no-this-in-exported-function -- both runners give a matcher its state as `this` */
import type { ReplayResult } from "../src/runtime.ts";
import { real } from "../src/detector/detector.ts";
import { failure } from "../src/shared/error.ts";
import { examine, type MatcherOutcome, type MatcherThis } from "./matcher.ts";
import { evidenceOf, failureLine, message, some } from "./message.ts";

const CALL = "toNotRepeatFailure()";

/**
 * Passes when the agent no longer fails: the recorded failure did not come back, no other one took its place,
 * and every call of the replay was answered. Failed checks are the business of `toPassChecks`.
 * @throws E_MATCHER_NOT for `.not`
 */
export function toNotRepeatFailure(this: MatcherThis, received: unknown): MatcherOutcome {
  if (this.isNot) {
    throw failure("E_MATCHER_NOT", {
      to: "use .not.toNotRepeatFailure()",
      because: "a test that passes only while the agent fails hides the failure that it names",
      fix: "Use toHaveFailure(kind) to state that a failure is there, or accept the verdict in the baseline with -u",
    });
  }
  const { failures, result, trial } = examine(received, "toNotRepeatFailure");
  const found = real(failures);
  if (result === undefined) {
    const evidence = (): string[] => some(found.map((one) => failureLine(one)));
    const where = trial === undefined ? "trace" : "trial";
    return {
      pass: found.length === 0,
      message: () =>
        message({
          trial,
          call: CALL,
          expected: "no failure",
          received: `${found.length} in the ${where}${trial === undefined ? "" : `: ${evidence().join("; ")}`}`,
          evidence: evidence(),
        }),
    };
  }
  const pass =
    found.length === 0 && result.verdict !== "still_fails" && result.verdict !== "unreplayable";
  return {
    pass,
    message: () =>
      message({
        call: CALL,
        expected: expectation(result),
        received: `${result.verdict}: ${result.reason}`,
        evidence: evidenceOf(result),
      }),
  };
}

function expectation(result: ReplayResult): string {
  const recorded = result.repro.signatures;
  return recorded.length === 0
    ? "no failure, and every call answered"
    : `no failure; recorded was ${recorded.join(", ")}`;
}
