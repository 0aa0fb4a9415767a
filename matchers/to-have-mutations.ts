/* oxlint-disable oxc/no-this-in-exported-function -- both runners give a matcher its state as `this` */
import { sortOf } from "../src/check/json-value.ts";
import { about, mutationsOf } from "../src/check/mutations.ts";
import { failure } from "../src/shared/error.ts";
import { nearest } from "../src/shared/nearest.ts";
import { isObject } from "../src/shared/json.ts";
import { oneLine } from "../src/shared/text.ts";
import type { Trial } from "../src/workflow/trial-result.ts";
import type { MatcherOutcome, MatcherThis } from "./matcher.ts";
import { trialMessage } from "./trial-message.ts";
import { refuseBadPointer, refuseUnknownTool, trialGiven } from "./trials.ts";

/** Which mutations are meant; all of the agent's when nothing is given. */
export interface Mutated {
  readonly tool?: string;
  /** JSON Pointer into the state: mutations at, in or around it that changed it. */
  readonly path?: string;
}

/**
 * Passes when the agent's calls committed exactly so many mutations, of a tool or at a path when one is given; another client's do not
 * count. Judges what was committed, whether or not the fault was reached.
 * @throws E_MATCHER_FILTER, E_MATCHER_TOOL, E_MATCHER_POINTER for what names nothing
 */
export function toHaveMutations(
  this: MatcherThis,
  received: unknown,
  ...[count, which]: [count: number, which?: Mutated]
): MatcherOutcome {
  const matcher = "toHaveMutations";
  const trial = trialGiven(received, matcher);
  if (!Number.isSafeInteger(count) || count < 0) {
    throw failure("E_MATCHER_FILTER", {
      to: `use ${matcher}()`,
      because: `${String(count)} is no number of mutations`,
      fix: "Give a whole number from 0",
    });
  }
  const call = `${matcher}(${which === undefined ? count : `${count}, ${JSON.stringify(which)}`})`;
  return counted(this, trial, { count, which: filterOf(trial, which, matcher), call });
}

/** The filter as the user gave it, refused when it could match nothing. */
export function filterOf(trial: Trial, which: unknown, matcher: string): Mutated {
  if (which === undefined) return {};
  const known = ["tool", "path"];
  const wrong = isObject(which)
    ? Object.keys(which).find((key) => !known.includes(key))
    : sortOf(which);
  if (!isObject(which) || wrong !== undefined) {
    const meant = nearest(String(wrong).slice(0, 100), known);
    throw failure("E_MATCHER_FILTER", {
      to: `use ${matcher}()`,
      because: `${JSON.stringify(oneLine(String(wrong), 60))} says not which mutations are meant`,
      fix: `${meant === undefined ? "" : `Did you mean "${meant}"? `}Give { tool, path }, one of them, or nothing`,
    });
  }
  const { tool, path } = which;
  if (tool !== undefined) refuseUnknownTool(trial, tool, matcher);
  if (path !== undefined) refuseBadPointer(path, matcher);
  return which;
}

interface Counted {
  readonly count: number;
  readonly which: Mutated;
  readonly call: string;
}

/** Whether the trial has so many mutations. */
export function counted(
  { isNot }: MatcherThis,
  trial: Trial,
  { count, which, call }: Counted,
): MatcherOutcome {
  const found = mutationsOf(trial.mutations, which).length;
  return {
    pass: found === count,
    message: () =>
      trialMessage(trial, {
        call: `expect(trial).${isNot ? "not." : ""}${call}`,
        expected: `${isNot ? "not " : ""}exactly ${said(count)} committed${about(which)}`,
        received: said(found),
      }),
  };
}

function said(count: number): string {
  const number = count === 0 ? "no" : count === 1 ? "one" : String(count);
  return `${number} ${count === 1 ? "mutation" : "mutations"}`;
}
