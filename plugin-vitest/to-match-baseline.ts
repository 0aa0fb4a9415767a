/* oxlint-disable oxc/no-this-in-exported-function -- both runners give a matcher its state as `this` */
import { inject } from "vitest";
import type { MatcherOutcome, MatcherThis } from "../matchers/matcher.ts";
import { idOfTitle } from "../src/plugin/baseline-file.ts";
import { identified, matchBaseline, outsideTest } from "../src/plugin/match-baseline.ts";
import { DEFAULTS } from "../src/plugin/settings.ts";
import { currentFile } from "./current-file.ts";
import { PROVIDED } from "./settings.ts";
import { openSlot, testsOf, type SnapshotState, type TaskNode } from "./snapshot-state.ts";

/** What Vitest adds to a matcher's `this`. */
interface VitestThis extends MatcherThis {
  readonly snapshotState: SnapshotState;
  readonly task?: Task;
}

/** The part of a running test that is used. */
interface Task extends TaskNode {
  readonly meta: object;
  readonly context: { annotate(message: string, type: string): Promise<unknown> };
  readonly file: TaskNode;
}

/**
 * Passes when the baseline allows the verdict: the table "When a repro's test is red". The runner's `-u` accepts what is
 * there now, and in CI nothing is written. A failure that was accepted stays visible as a warning.
 * @throws E_MATCHER_NOT for `.not`; E_BASELINE_INLINE for a result without a repro's id
 */
export function toMatchBaseline(this: VitestThis, received: unknown): MatcherOutcome {
  const { isNot, snapshotState } = this;
  const repro = identified(received, isNot);
  const task = taskOf(this, repro.id);
  const { decision, meta, outcome, isToldOf } = matchBaseline(
    repro,
    openSlot(snapshotState, repro.id, task.id),
    { settings: inject(PROVIDED) ?? DEFAULTS, update: snapshotState.snapshotUpdateState },
  );
  Reflect.set(task.meta, "twiceshy", meta);
  // The runner itself waits for what a test annotates.
  if (isToldOf) void task.context.annotate(decision.message, "warning");
  return outcome;
}

/** In concurrent tests the global `expect` knows no running test, or a wrong one; the title tells the right one. */
function taskOf({ task, snapshotState }: VitestThis, id: string): Task {
  if (task !== undefined && idOfTitle(task.name) === id) return task;
  const file = task?.file ?? currentFile(snapshotState.testFilePath);
  const titled =
    file === undefined ? undefined : testsOf(file).find((test) => idOfTitle(test.name) === id);
  const found = (titled as Task | undefined) ?? task;
  if (found === undefined) throw outsideTest();
  return found;
}
