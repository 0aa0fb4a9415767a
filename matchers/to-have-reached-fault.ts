/* oxlint-disable oxc/no-this-in-exported-function -- both runners give a matcher its state as `this` */
import { failure } from "../src/shared/error.ts";
import { nearest } from "../src/shared/nearest.ts";
import { oneLine } from "../src/shared/text.ts";
import type { Trial } from "../src/workflow/trial-result.ts";
import type { MatcherOutcome, MatcherThis } from "./matcher.ts";
import { trialMessage, unreachedFaults } from "./trial-message.ts";
import { trialGiven } from "./trials.ts";

/**
 * Passes when every fault of the trial happened, or every one of a type. `.not` passes when none of them did.
 * @throws E_MATCHER_FAULT when the trial had no fault, or none of that type
 */
export function toHaveReachedFault(
  this: MatcherThis,
  received: unknown,
  type?: string,
): MatcherOutcome {
  const trial = trialGiven(received, "toHaveReachedFault");
  const meant = trial.faults.filter(({ fault }) => type === undefined || fault.type === type);
  if (meant.length === 0) throw noSuchFault(trial, type);
  const reached = meant.filter((outcome) => outcome.reached).length;
  const { isNot } = this;
  return {
    pass: isNot ? reached > 0 : reached === meant.length,
    message: () =>
      trialMessage(trial, {
        call: `expect(trial).${isNot ? "not." : ""}toHaveReachedFault(${type === undefined ? "" : JSON.stringify(type)})`,
        expected: `${isNot ? "no" : "every"} fault${type === undefined ? "" : ` ${type}`} to be reached`,
        received: unreachedFaults(trial) ?? `${reached} of ${meant.length} reached`,
      }),
  };
}

function noSuchFault({ faults }: Trial, type: string | undefined): Error {
  const armed = [...new Set(faults.map(({ fault }) => fault.type))];
  const meant = type === undefined ? undefined : nearest(type.slice(0, 100), armed);
  return failure("E_MATCHER_FAULT", {
    to: "use toHaveReachedFault()",
    because:
      armed.length === 0
        ? "the trial was run without any fault"
        : `the trial has no fault ${JSON.stringify(oneLine(type ?? "", 60))}, it has ${armed.join(", ")}`,
    fix:
      meant === undefined
        ? "Give the trial the fault, as in faults: [fault.timeoutAfter(tool)]"
        : `Did you mean "${meant}"`,
  });
}
