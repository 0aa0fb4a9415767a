/* oxlint-disable oxc/no-this-in-exported-function -- both runners give a matcher its state as `this` */
import { evaluate } from "../src/check/evaluate.ts";
import type { MatcherOutcome, MatcherThis } from "./matcher.ts";
import { trialMessage } from "./trial-message.ts";
import { refuseBadPointer, seen, trialGiven } from "./trials.ts";

/**
 * Passes when the value at the JSON Pointer is at the end what it was at the start, or is missing at both times; the empty pointer is the
 * whole state. Another client's change counts, too.
 * @throws E_MATCHER_POINTER for what is no JSON Pointer
 */
export function toHaveUnchanged(
  this: MatcherThis,
  received: unknown,
  pointer: string,
): MatcherOutcome {
  const trial = trialGiven(received, "toHaveUnchanged");
  refuseBadPointer(pointer, "toHaveUnchanged");
  const [result] = evaluate([{ type: "unchanged", path: pointer }], seen(trial));
  const { isNot } = this;
  return {
    pass: result?.passed === true,
    message: () =>
      trialMessage(trial, {
        call: `expect(trial).${isNot ? "not." : ""}toHaveUnchanged(${JSON.stringify(pointer)})`,
        expected: `${pointer === "" ? "the state" : pointer} ${isNot ? "to change" : "as it was at the start"}`,
        received: result?.message ?? "nothing",
      }),
  };
}
