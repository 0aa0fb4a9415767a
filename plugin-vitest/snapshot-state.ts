import type { BaselineEntry } from "../src/runtime.ts";
import { sorted, type Json } from "../src/shared/json.ts";
import { BROKEN, idOfKey, idOfTitle, keyOf, stateName } from "../src/plugin/baseline-file.ts";
import type { Slot } from "../src/plugin/match-baseline.ts";

/** The public part of the runner's snapshot state that Vitest 4 and 5 share; the only file that knows it. */
export interface SnapshotState {
  readonly testFilePath: string;
  readonly snapshotUpdateState: "all" | "new" | "none";
  /** A counter by test. */
  readonly unmatched: unknown;
  probeExpectedSnapshot(of: { readonly testName: string; readonly testId: string }): Probe;
  processDomainSnapshot(of: {
    readonly testId: string;
    readonly received: string;
    readonly expectedSnapshot: Probe;
    readonly matchResult: { readonly pass: boolean };
    readonly isInline: false;
    readonly assertionName: string;
  }): unknown;
  getUncheckedKeys(): string[];
}

interface Probe {
  readonly key: string;
  readonly count: number;
  readonly data?: string;
  markAsChecked(): void;
}

export function openSlot(state: SnapshotState, id: string, testId: string): Slot {
  return new StateSlot(state, id, testId);
}

/** A class, as there is one for each test: its functions are made once. */
class StateSlot implements Slot {
  readonly entry: BaselineEntry | undefined;
  readonly first: boolean;
  readonly broken: Slot["broken"];
  readonly #state: SnapshotState;
  readonly #testId: string;
  readonly #probe: Probe;

  constructor(state: SnapshotState, id: string, testId: string) {
    const probe = state.probeExpectedSnapshot({ testName: stateName(id), testId });
    probe.markAsChecked();
    this.#state = state;
    this.#testId = testId;
    this.#probe = probe;
    this.entry = probe.data === undefined ? undefined : (JSON.parse(probe.data) as BaselineEntry);
    this.first = probe.count === 1;
    // A baseline that cannot be read has no entry.
    this.broken = probe.data === undefined ? brokenBecause(state, testId) : undefined;
  }

  keep(): void {
    const { data } = this.#probe;
    if (data !== undefined) this.#reconcile(this.#probe, true, data);
  }

  write(entry: BaselineEntry): void {
    const { data, ...unseen } = this.#probe;
    // In mode "new" the runner writes only what it has not seen: an entry that improves by itself is given as new.
    const known = data !== undefined && this.#state.snapshotUpdateState === "all";
    const received = JSON.stringify(sorted({ ...entry } as Json));
    this.#reconcile(known ? this.#probe : unseen, false, received);
  }

  refuse(): void {
    const { unmatched } = this.#state;
    if (typeof unmatched === "object" && unmatched !== null && "increment" in unmatched) {
      (unmatched as { increment(testId: string): void }).increment(this.#testId);
    }
  }

  #reconcile(expectedSnapshot: Probe, pass: boolean, received: string): void {
    this.#state.processDomainSnapshot({
      testId: this.#testId,
      received,
      expectedSnapshot,
      matchResult: { pass },
      isInline: false,
      assertionName: "toMatchBaseline",
    });
  }
}

function brokenBecause(state: SnapshotState, testId: string): Slot["broken"] {
  const { data } = state.probeExpectedSnapshot({ testName: BROKEN, testId });
  return data === undefined ? undefined : (JSON.parse(data) as Slot["broken"]);
}

/** What `settle` needs of the runner's tasks. */
export interface TaskNode {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly tasks?: readonly TaskNode[];
}

/**
 * Tells the runner, when a spec ends, which entries are not obsolete although no matcher looked at them: those of tests
 * that were filtered out, skipped, or failed before. Where nothing may be written, `-u` removes nothing either, and the
 * entry of a repro that was rejected since is no reason for a red run: there is nobody who could remove it.
 */
export function settle(
  state: SnapshotState,
  file: TaskNode,
  about: { readonly mayWrite: boolean; readonly rejected: ReadonlySet<string> },
): void {
  const { mayWrite, rejected } = about;
  const titled = new Map(testsOf(file).flatMap((test) => titledId(test)));
  const keepAll = !mayWrite && state.snapshotUpdateState === "all";
  for (const key of state.getUncheckedKeys()) {
    const id = idOfKey(key);
    const test = id === undefined ? undefined : titled.get(id);
    const gone = id !== undefined && (keepAll || (!mayWrite && rejected.has(id)));
    const kept = key === keyOf(BROKEN) || test !== undefined || gone;
    if (!kept) continue;
    const testName = id === undefined ? BROKEN : stateName(id);
    state.probeExpectedSnapshot({ testName, testId: test ?? file.id }).markAsChecked();
  }
}

/** The tests below a suite or file. */
export function testsOf(node: TaskNode): TaskNode[] {
  return node.type === "test" ? [node] : (node.tasks ?? []).flatMap((task) => testsOf(task));
}

function titledId(test: TaskNode): [string, string][] {
  const id = idOfTitle(test.name);
  return id === undefined ? [] : [[id, test.id]];
}
