import { expect } from "@jest/globals";
import { followed, type CircusTest } from "./circus.ts";
import type { JestSnapshotState } from "./snapshot-state.ts";

/** The part of `expect.getState()` that is used. */
interface ExpectState {
  readonly testPath?: string;
  readonly snapshotState?: JestSnapshotState;
  /** The running test by its asynchronous context, also where several run side by side. */
  readonly currentTestIdentity?: () => object | undefined;
}

function state(): ExpectState {
  return expect.getState();
}

/** The test file that runs now. */
export function currentPath(): string {
  return state().testPath ?? "";
}

export function currentSnapshots(): JestSnapshotState | undefined {
  return state().snapshotState;
}

/** The test that runs now; undefined outside of tests. */
export function currentTest(): CircusTest | undefined {
  const own = state().currentTestIdentity?.() as CircusTest | undefined;
  return own ?? followed().state?.currentlyRunningTest ?? undefined;
}
