/* oxlint-disable oxc/no-this-in-exported-function -- both runners give a matcher its state as `this` */
import { inject } from "vitest";
import type { Decision, ReplayResult } from "../src/runtime.ts";
import { decide } from "../src/baseline/compare.ts";
import { failure, TwiceshyError } from "../src/shared/error.ts";
import { evidenceOf, message } from "../matchers/message.ts";
import { replayed, type MatcherOutcome, type MatcherThis } from "../matchers/matcher.ts";
import { DEFAULTS, PROVIDED, type Settings } from "./settings.ts";
import { currentFile } from "./current-file.ts";
import { idOfTitle } from "./baseline-file.ts";
import {
  openSlot,
  testsOf,
  type Slot,
  type SnapshotState,
  type TaskNode,
} from "./snapshot-state.ts";
import { record } from "./verdict-meta.ts";

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
  if (isNot) throw refusedNot();
  const result = replayed(received, "toMatchBaseline");
  const { id, hash, status } = result.repro;
  if (id === undefined || hash === undefined || status === "inline") throw inlineRefused();
  const task = taskOf(this, id);
  const settings = inject(PROVIDED) ?? DEFAULTS;
  const slot = openSlot(snapshotState, id, task.id);
  if (slot.broken !== undefined) throw new TwiceshyError(slot.broken.code, slot.broken.message);
  if (!slot.first) throw twice(id);
  const decision = decide({
    repro: { id, status, hash },
    entry: slot.entry,
    now: { verdict: result.verdict, signatures: result.signatures },
    ci: settings.ci,
    update: snapshotState.snapshotUpdateState,
    gate: settings.gate,
    unreviewed: settings.unreviewed,
    acceptRegressions: settings.acceptRegressions,
  });
  apply(slot, decision);
  announce(task, result, { decision, entry: slot.entry?.verdict });
  return { pass: !decision.red, message: () => said(result, decision, settings) };
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

function apply(slot: Slot, decision: Decision): void {
  if (decision.write !== undefined) slot.write(decision.write);
  else if (decision.red) slot.refuse();
  else slot.keep();
}

function announce(
  task: Task,
  result: ReplayResult,
  about: { decision: Decision; entry: string | undefined },
): void {
  const { decision, entry } = about;
  record(task.meta, result, {
    decision,
    regressed: entry === "passes" && result.verdict !== "passes",
  });
  if (decision.red || (!decision.known && decision.listed === undefined)) return;
  // The runner itself waits for what a test annotates.
  void task.context.annotate(decision.message, "warning");
}

function said(result: ReplayResult, decision: Decision, settings: Settings): string {
  return message({
    call: "toMatchBaseline()",
    expected: settings.gate === "any" ? 'passes (gate: "any")' : "what the baseline allows",
    received: `${result.verdict}: ${result.reason}`,
    evidence: [decision.message, ...evidenceOf(result)],
  });
}

function refusedNot(): Error {
  return failure("E_MATCHER_NOT", {
    to: "use .not.toMatchBaseline()",
    because: "a baseline holds what is accepted, and its opposite accepts everything else",
    fix: "Leave out .not, or use toHaveFailure(kind) to state that a failure is there",
  });
}

function inlineRefused(): Error {
  return failure("E_BASELINE_INLINE", {
    to: "use toMatchBaseline()",
    because: "the result comes from an inline cassette, which has no id to keep an entry under",
    fix: "Use toNotRepeatFailure() or toPassChecks(), or replay a repro of a repros file",
  });
}

function outsideTest(): Error {
  return failure("E_BASELINE_OUTSIDE", {
    to: "use toMatchBaseline()",
    because: "no test is running",
    fix: "Call it inside a test; in a concurrent one with the expect of the test's context",
  });
}

function twice(id: string): Error {
  return failure("E_BASELINE_TWICE", {
    to: `match the repro ${id} against its baseline`,
    because: "another call in this file did already",
    fix: "Keep one test for each repro",
  });
}
