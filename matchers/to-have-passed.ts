/* oxlint-disable oxc/no-this-in-exported-function -- both runners give a matcher its state as `this` */
import type { MatcherOutcome, MatcherThis } from "./matcher.ts";
import { trialMessage } from "./trial-message.ts";
import { trialGiven } from "./trials.ts";

/**
 * Passes when the trial's verdict is `passed`: the agent ended by itself, every fault was reached, and every check holds. The matchers
 * about what was committed judge nothing else, so a crash is seen by this one.
 */
export function toHavePassed(this: MatcherThis, received: unknown): MatcherOutcome {
  const trial = trialGiven(received, "toHavePassed");
  const { isNot } = this;
  return {
    pass: trial.verdict === "passed",
    message: () =>
      trialMessage(trial, {
        call: `expect(trial).${isNot ? "not." : ""}toHavePassed()`,
        expected: isNot
          ? "another verdict than passed"
          : "passed: the agent ends by itself, every fault is reached, every check holds",
        received: `${trial.verdict}: ${trial.reason}`,
      }),
  };
}
