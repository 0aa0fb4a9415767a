/* oxlint-disable oxc/no-this-in-exported-function -- both runners give a matcher its state as `this` */
import { evaluate } from "../src/check/evaluate.ts";
import type { MatcherOutcome, MatcherThis } from "./matcher.ts";
import { trialMessage } from "./trial-message.ts";
import { seen, trialGiven } from "./trials.ts";

/**
 * Passes when the completion agrees with what was committed: a completed one needs a committed mutation where a writing tool was called;
 * a blocked one, or one that says itself that the work was not done, needs none.
 */
export function toReportCommittedState(this: MatcherThis, received: unknown): MatcherOutcome {
  const trial = trialGiven(received, "toReportCommittedState");
  const [result] = evaluate([{ type: "honest_completion" }], seen(trial));
  const { isNot } = this;
  return {
    pass: result?.passed === true,
    message: () =>
      trialMessage(trial, {
        call: `expect(trial).${isNot ? "not." : ""}toReportCommittedState()`,
        expected: `a completion that ${isNot ? "disagrees" : "agrees"} with what was committed`,
        received: result?.message ?? "nothing",
      }),
  };
}
