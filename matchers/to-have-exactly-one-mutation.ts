/* oxlint-disable oxc/no-this-in-exported-function -- both runners give a matcher its state as `this` */
import type { MatcherOutcome, MatcherThis } from "./matcher.ts";
import { counted, filterOf, type Mutated } from "./to-have-mutations.ts";
import { trialGiven } from "./trials.ts";

/**
 * Passes when the agent's calls committed exactly one mutation, of a tool or at a path when one is given: the work was done, and it was
 * done once. Judges what was committed, whether or not the fault was reached.
 * @throws E_MATCHER_FILTER, E_MATCHER_TOOL, E_MATCHER_POINTER for what names nothing
 */
export function toHaveExactlyOneMutation(
  this: MatcherThis,
  received: unknown,
  which?: Mutated,
): MatcherOutcome {
  const matcher = "toHaveExactlyOneMutation";
  const trial = trialGiven(received, matcher);
  const call = `${matcher}(${which === undefined ? "" : JSON.stringify(which)})`;
  return counted(this, trial, { count: 1, which: filterOf(trial, which, matcher), call });
}
