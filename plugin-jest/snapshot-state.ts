/**
 * The part of Jest's snapshot state that is used: its counts decide the summary, `-u`, `--ci` and the obsolete list. Jest has no
 * public way to it, so its members are known in this file alone.
 */
export interface JestSnapshotState {
  readonly _updateSnapshot: "all" | "new" | "none";
  readonly _uncheckedKeys: Set<string>;
  matched: number;
  added: number;
  updated: number;
  unmatched: number;
  /** Remembers whose count it is, for a test that is tried again; missing in the first versions of Jest 30. */
  _incrementSnapshotCount?(status: Count, test: object | undefined): void;
  _markKeyChecked?(key: string, test: object | undefined): void;
}

type Count = "matched" | "added" | "updated" | "unmatched";

export function updateOf(state: JestSnapshotState): "all" | "new" | "none" {
  return state._updateSnapshot;
}

/** Adds entries that are obsolete unless a test asks for them. */
export function expectKeys(state: JestSnapshotState, keys: readonly string[]): void {
  for (const key of keys) state._uncheckedKeys.add(key);
}

export function checkKey(state: JestSnapshotState, key: string, test?: object): void {
  if (state._markKeyChecked === undefined) state._uncheckedKeys.delete(key);
  else state._markKeyChecked(key, test);
}

export function isUnchecked(state: JestSnapshotState, key: string): boolean {
  return state._uncheckedKeys.has(key);
}

export function count(state: JestSnapshotState, status: Count, test: object): void {
  if (state._incrementSnapshotCount === undefined) state[status]++;
  else state._incrementSnapshotCount(status, test);
}
