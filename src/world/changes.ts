import { changeAt, type DraftChange } from "./change-at.ts";
import { newWalk, type Draft } from "./draft.ts";
import { touchedChanges } from "./difference.ts";
import { ABSENT } from "./overlay.ts";
import type { ArrayOverlay, ObjectOverlay, Stored } from "./overlay.ts";
import { pathOf, under, type Place } from "./place.ts";
import type { NotJson, Walk } from "./plain.ts";

/** What a call changed, or the first thing in it that is not JSON, with a pointer into the state. */
export type Collected =
  | { readonly changes: readonly DraftChange[]; readonly marked: boolean }
  | { readonly problem: NotJson };

/**
 * What a draft changes, in the order in which the tool made the changes: applied one after the other to the layer below
 * they give the draft's state. A value that is the same in the end is no change.
 */
export function changesOf(draft: Draft, from: number): Collected {
  const walk = newWalk(true);
  if (draft.journal.length === 0) return { changes: [], marked: false };
  const simple = draft.simple && draft.below.version === from;
  const changes = simple ? simpleChanges(draft, walk) : touchedChanges(draft, walk);
  if (walk.problem !== undefined) return { problem: walk.problem };
  return { changes, marked: walk.marked === true };
}

/** Nothing has moved: every place is where it was found, and every change is one of the journal. */
function simpleChanges(draft: Draft, walk: Walk): DraftChange[] {
  let changes: DraftChange[] | undefined;
  const { journal } = draft;
  for (let i = 0; i < journal.length; i += 2) {
    const place = journal[i] as Place;
    const key = journal[i + 1] as string | number;
    const found =
      typeof key === "string" ? memberChange(place, key, walk) : itemChange(place, key, walk);
    if (walk.problem !== undefined) break;
    if (found === undefined) continue;
    // A list that grows has room for many more; most calls change one value.
    if (changes === undefined) changes = [found];
    else changes.push(found);
  }
  return changes ?? [];
}

function memberChange(place: Place, key: string, walk: Walk): DraftChange | undefined {
  const stored = (place.overlay as ObjectOverlay).get(key) as Stored;
  const before = place.draft.below.member(place.container, key);
  if (stored === before) return undefined;
  const path = under(pathOf(place), key);
  if (!isPrimitive(stored) || !isPrimitive(before))
    return changeAt({ place, key, path }, { before, stored, walk });
  // Nothing is to be copied: as `changeAt`, for what most calls do.
  const { container } = place;
  return {
    edit: { container, key, kind: "set", value: stored },
    change: { path, before, after: stored },
  };
}

function isPrimitive(value: Stored): value is string | number | boolean | null {
  return value !== ABSENT && (typeof value !== "object" || value === null);
}

function itemChange(place: Place, key: number, walk: Walk): DraftChange | undefined {
  const overlay = place.overlay as ArrayOverlay;
  const below = place.draft.below.length(place.container);
  const index = key < 0 ? below - 1 - key : key;
  const stored = (key < 0 ? overlay.tail[-1 - key] : overlay.edits?.get(key)) as Stored;
  const before = key < 0 ? ABSENT : place.draft.below.item(place.container, index);
  if (stored === before) return undefined;
  return changeAt(
    { place, key: index, path: `${pathOf(place)}/${index}` },
    { before, stored, walk },
  );
}
