import type { Json, JsonObject } from "../shared/json.ts";
import { put } from "../shared/marker.ts";
import { members } from "../shared/pointer.ts";
import type { DraftChange } from "./change-at.ts";
import type { Change } from "./world.ts";

/** Makes the changes of a nested call in the draft around it, as the tool around it would. */
export function applyTo(root: object, changes: readonly DraftChange[]): void {
  for (const { edit, change } of changes) {
    const path = members(change.path);
    const last = path.pop() ?? "";
    let at = root as Record<string, unknown> | null | undefined;
    for (const key of path) at = at?.[key] as typeof at;
    // The tool around has taken away meanwhile what the nested call changed.
    if (typeof at !== "object" || at === null) continue;
    if (!Array.isArray(at)) {
      if (edit.kind === "remove") delete at[last];
      else put(at, last, writable(edit.value ?? null));
      continue;
    }
    const value = edit.kind === "remove" ? [] : [writable(edit.value ?? null)];
    if (edit.kind === "set") at[Number(last)] = value[0];
    else if (edit.kind === "insert" && Number(last) >= at.length) at.push(value[0]);
    else at.splice(Number(last), edit.kind === "remove" ? 1 : 0, ...value);
  }
}

/** A copy that the tool around may go on changing. */
function writable(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(writable);
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) put(copy, key, writable(value[key] ?? null));
  return copy;
}

/** Which of the changes that a transaction commits were made by nested calls, and which by the tool itself. */
interface Shares {
  readonly nested: readonly (readonly Change[])[];
  readonly own: readonly Change[];
}

/**
 * Divides committed changes by who made them. A value that nested calls wrote one after the other, or that the tool wrote
 * again, is a change of each; a nested change inside of something that the tool added is part of the tool's.
 */
export function shares(
  committed: readonly Change[],
  nested: readonly (readonly Change[])[],
): Shares {
  const shared = nested.map((): Change[] => []);
  const own: Change[] = [];
  const left = nested.map((changes) => [...changes]);
  for (const change of committed) {
    const by = left.findIndex((changes) => take(changes, change));
    if (by === -1) own.push(...divided(change, left, shared));
    else shared[by]?.push(change);
  }
  return { nested: shared, own };
}

/** Takes the one that is the same change, also where items before it have moved it. */
function take(changes: Change[], { path, before, after }: Change): boolean {
  const list = path.slice(0, path.lastIndexOf("/"));
  const at = changes.findIndex(
    (other) =>
      other.path.slice(0, other.path.lastIndexOf("/")) === list &&
      (other.path === path || (isIndexed(other.path) && isIndexed(path))) &&
      equal(other.before, before) &&
      equal(other.after, after),
  );
  if (at !== -1) changes.splice(at, 1);
  return at !== -1;
}

function isIndexed(path: string): boolean {
  return /\/\d+$/.test(path);
}

/** The steps from one value at a path to another: those of nested calls are shared out, the tool's own is returned. */
function divided(
  { path, before, after }: Change,
  nested: readonly (readonly Change[])[],
  shared: readonly Change[][],
): Change[] {
  let now = before;
  for (const [by, changes] of nested.entries()) {
    const last = changes.findLast((change) => change.path === path);
    if (last === undefined || equal(last.after, now)) continue;
    shared[by]?.push(changeOf(path, now, last.after));
    now = last.after;
  }
  return equal(now, after) ? [] : [changeOf(path, now, after)];
}

function changeOf(path: string, before: Json | undefined, after: Json | undefined): Change {
  return {
    path,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
}

function equal(a: Json | undefined, b: Json | undefined): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
