/* oxlint-disable oxc/no-this-in-exported-function -- both runners give a matcher its state as `this` */
import type { MatcherOutcome, MatcherThis } from "../matchers/matcher.ts";
import { identified, matchBaseline, outsideTest } from "../src/plugin/match-baseline.ts";
import { openBaseline, slotOf } from "./baseline.ts";
import { currentPath, currentTest } from "./current.ts";
import { settingsFor } from "./handover.ts";
import { keep } from "./kept.ts";
import { updateOf, type JestSnapshotState } from "./snapshot-state.ts";

/** What Jest adds to a matcher's `this`. */
interface JestThis extends MatcherThis {
  readonly snapshotState?: JestSnapshotState;
  readonly testPath?: string;
}

/**
 * Passes when the baseline allows the verdict: the table "When a repro's test is red". Jest's `-u` accepts what is there now,
 * and in CI nothing is written. A failure that was accepted stays visible in the reporter's section.
 * @throws E_MATCHER_NOT for `.not`; E_BASELINE_INLINE for a result without a repro's id
 */
export function toMatchBaseline(this: JestThis, received: unknown): MatcherOutcome {
  const { isNot, snapshotState, testPath = currentPath() } = this;
  const repro = identified(received, isNot);
  const test = currentTest();
  if (test === undefined || snapshotState === undefined) throw outsideTest();
  const settings = settingsFor(testPath);
  const baseline = openBaseline(snapshotState, testPath);
  baseline.mayWrite = !settings.ci;
  const { meta, outcome } = matchBaseline(repro, slotOf(baseline, repro.id, test), {
    settings,
    update: updateOf(snapshotState),
  });
  keep(test, { verdict: meta });
  return outcome;
}
