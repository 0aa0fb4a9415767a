import { existsSync, readFileSync, rmSync } from "node:fs";
import { parseBaseline, writeBaseline } from "../src/baseline/file.ts";
import {
  agentOf,
  baselineFileOf,
  idOfTitle,
  keyOf,
  stateName,
} from "../src/plugin/baseline-file.ts";
import type { Slot } from "../src/plugin/match-baseline.ts";
import type { BaselineEntry, BaselineFile } from "../src/runtime.ts";
import { messageOf, TwiceshyError } from "../src/shared/error.ts";
import { same, sorted, type Json } from "../src/shared/json.ts";
import { followed, testNames, type CircusTest } from "./circus.ts";
import {
  checkKey,
  count,
  expectKeys,
  isUnchecked,
  updateOf,
  type JestSnapshotState,
} from "./snapshot-state.ts";

/** The baseline of a spec while it runs; Jest counts its entries as snapshots of the file. */
export interface Baseline {
  readonly path: string;
  readonly state: JestSnapshotState;
  /** As it is on disk; undefined where there is none. */
  readonly file: BaselineFile | undefined;
  readonly broken: Slot["broken"];
  readonly writes: Map<string, BaselineEntry>;
  /** By repro: which try of which test matched it. */
  readonly seen: Map<string, { readonly test: CircusTest; readonly invocation: number }>;
  /** Whether anything may be written. */
  mayWrite: boolean;
  /** Repros that a person rejected; asked for when the file ends. */
  rejected: () => ReadonlySet<string>;
}

const OPENED: unique symbol = Symbol.for("twiceshy.baselines") as never;

/** The baseline beside a spec, read once in a run of it. */
export function openBaseline(state: JestSnapshotState, testPath: string): Baseline {
  const shared = globalThis as { [OPENED]?: WeakMap<JestSnapshotState, Baseline> };
  const opened = (shared[OPENED] ??= new WeakMap());
  const known = opened.get(state);
  if (known !== undefined) return known;
  const path = baselineFileOf(testPath);
  const baseline: Baseline = {
    path,
    state,
    ...read(path),
    writes: new Map(),
    seen: new Map(),
    mayWrite: true,
    rejected: () => new Set(),
  };
  opened.set(state, baseline);
  expectKeys(
    state,
    idsOf(baseline).map((id) => keyOf(stateName(id))),
  );
  followed().finished.push(() => finish(baseline));
  return baseline;
}

function read(path: string): Pick<Baseline, "file" | "broken"> {
  if (!existsSync(path)) return { file: undefined, broken: undefined };
  try {
    return { file: parseBaseline(readFileSync(path, "utf8"), path), broken: undefined };
  } catch (thrown) {
    const code = TwiceshyError.is(thrown) ? thrown.code : "E_BASELINE_READ";
    return { file: undefined, broken: { code, message: messageOf(thrown) } };
  }
}

function idsOf({ file }: Baseline): string[] {
  return Object.keys(file?.entries ?? {});
}

/** One repro's place in it, for the test that runs now. */
export function slotOf(baseline: Baseline, id: string, test: CircusTest): Slot {
  const { state, writes, seen, file, broken } = baseline;
  const before = seen.get(id);
  const first =
    before === undefined || (before.test === test && before.invocation !== test.invocations);
  seen.set(id, { test, invocation: test.invocations });
  // A test that is tried again starts from what is on disk, as Jest's own snapshots do.
  if (first) writes.delete(id);
  const entries = file?.entries ?? {};
  const entry = Object.hasOwn(entries, id) ? entries[id] : undefined;
  checkKey(state, keyOf(stateName(id)), test);
  return {
    entry,
    first,
    broken,
    keep() {
      if (entry !== undefined) count(state, "matched", test);
    },
    write(next) {
      writes.set(id, next);
      count(state, entry === undefined || updateOf(state) !== "all" ? "added" : "updated", test);
    },
    refuse() {
      count(state, "unmatched", test);
    },
  };
}

/**
 * When a spec ends: entries of tests that were filtered out, skipped, or failed before the matcher are not obsolete. Where nothing may
 * be written, `-u` removes nothing either, and the entry of a repro that was rejected since is no reason for a red run.
 */
function finish(baseline: Baseline): void {
  const { state, mayWrite } = baseline;
  const titled = new Set(testNames().flatMap((name) => idOfTitle(name) ?? []));
  const rejected = mayWrite ? new Set<string>() : baseline.rejected();
  const keepsAll = !mayWrite && updateOf(state) === "all";
  const gone: string[] = [];
  for (const id of idsOf(baseline)) {
    const key = keyOf(stateName(id));
    if (!isUnchecked(state, key)) continue;
    if (titled.has(id) || keepsAll || rejected.has(id)) checkKey(state, key);
    else gone.push(id);
  }
  if (baseline.broken === undefined) save(baseline, updateOf(state) === "all" ? gone : []);
}

function save({ path, file, writes }: Baseline, removed: readonly string[]): void {
  if (writes.size === 0 && removed.length === 0) return;
  const entries: Record<string, BaselineEntry> = Object.assign(Object.create(null), file?.entries);
  for (const [id, entry] of writes) entries[id] = sorted({ ...entry } as Json) as never;
  for (const id of removed) delete entries[id];
  if (Object.keys(entries).length === 0) return rmSync(path, { force: true });
  if (file !== undefined && same(file.entries as Json, entries as Json)) return;
  writeBaseline(path, { formatVersion: 1, agent: file?.agent ?? agentOf(path), entries });
}
