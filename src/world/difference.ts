import { same } from "../shared/json.ts";
import { changeAt, type DraftChange } from "./change-at.ts";
import type { Draft } from "./draft.ts";
import { itemSteps } from "./item-steps.ts";
import { ABSENT, Held, isContainer } from "./overlay.ts";
import type { ArrayOverlay, Container, ObjectOverlay, Stored } from "./overlay.ts";
import { MOVED, under, type Place } from "./place.ts";
import type { Walk } from "./plain.ts";

/** One collecting of changes. */
interface Search {
  readonly draft: Draft;
  readonly walk: Walk;
  readonly found: (DraftChange & { readonly order: number })[];
  /** When each place, or each member of one, was first changed. */
  readonly orders: ReadonlyMap<Place, ReadonlyMap<string | number, number>>;
  /** The order of what is collected now; fixed inside of what counts as one change of the tool's. */
  order: number;
  fixed: boolean;
}

/** A member or item of a container of the layer below. */
interface Spot {
  readonly container: Container;
  readonly key: string | number;
  readonly path: string;
}

/**
 * The changes of a draft in which containers have moved or gone, found by comparing what the tool touched with the layer
 * below: an array is compared item by item, and what was assigned anew with what was there.
 */
export function touchedChanges(draft: Draft, walk: Walk): DraftChange[] {
  const search: Search = {
    draft,
    walk,
    found: [],
    orders: touch(draft),
    order: 0,
    fixed: false,
  };
  comparePlace(search, draft.root, "");
  return search.found.sort((a, b) => a.order - b.order);
}

/** Marks the way to every changed place, and notes the order of the changes. */
function touch({ journal }: Draft): Map<Place, Map<string | number, number>> {
  const orders = new Map<Place, Map<string | number, number>>();
  for (let i = 0; i < journal.length; i += 2) {
    const place = journal[i] as Place;
    let keys = orders.get(place);
    if (keys === undefined) {
      orders.set(place, (keys = new Map([[MOVED, i]])));
      markWay(place);
    }
    const key = journal[i + 1] as string | number;
    if (!keys.has(key)) keys.set(key, i);
  }
  return orders;
}

function markWay(place: Place): void {
  for (let at = place; at.parent !== undefined; at = at.parent) {
    const known = (at.parent.touched ??= new Set());
    if (known.has(at)) return;
    known.add(at);
  }
}

/** The changes in one place that is still where it was, at this path now. */
function comparePlace(search: Search, place: Place, path: string): void {
  if (Array.isArray(place.container)) compareArrayPlace(search, place, path);
  else compareObjectPlace(search, place, path);
}

function compareObjectPlace(search: Search, place: Place, path: string): void {
  const { below } = search.draft;
  const { container } = place;
  const overlay = place.overlay as ObjectOverlay | undefined;
  for (const [key, stored] of overlay?.members() ?? []) {
    inOrder(search, search.orders.get(place)?.get(key), () =>
      compare(search, { container, key, path: under(path, key) }, [
        below.member(container, key),
        stored,
      ]),
    );
  }
  for (const inner of place.touched ?? []) {
    const key = String(inner.key);
    if (overlay?.get(key) === undefined && below.member(container, key) === inner.container)
      comparePlace(search, inner, under(path, key));
  }
}

function compareArrayPlace(search: Search, place: Place, path: string): void {
  const { below } = search.draft;
  const { container } = place;
  const overlay = place.overlay as ArrayOverlay | undefined;
  if (overlay !== undefined && (overlay.items !== undefined || overlay.cut !== -1)) {
    const length = overlay.length(below.length(container));
    const items = Array.from({ length }, (_, i) => {
      const changed = overlay.item(i, below.length(container));
      return changed === undefined ? below.item(container, i) : changed;
    });
    inOrder(search, search.orders.get(place)?.get(MOVED), () =>
      compareItems(search, { container, path }, items),
    );
    return;
  }
  const orders = search.orders.get(place);
  for (const [key, stored] of overlay?.edits ?? []) {
    inOrder(search, orders?.get(key), () =>
      compare(search, { container, key, path: `${path}/${key}` }, [
        below.item(container, key),
        stored,
      ]),
    );
  }
  for (const inner of place.touched ?? []) {
    const index = foundAt(search, place, inner);
    if (index !== -1 && overlay?.edits?.has(index) !== true)
      comparePlace(search, inner, `${path}/${index}`);
  }
  for (const [i, stored] of (overlay?.tail ?? []).entries()) {
    const key = below.length(container) + i;
    inOrder(search, orders?.get(-1 - i), () =>
      compare(search, { container, key, path: `${path}/${key}` }, [ABSENT, stored]),
    );
  }
}

/** Where an item of an array is now: another call may have moved it since it was found. */
function foundAt({ draft }: Search, { container }: Place, inner: Place): number {
  const { below } = draft;
  if (below.item(container, Number(inner.key)) === inner.container) return Number(inner.key);
  const length = below.length(container);
  for (let i = 0; i < length; i++) if (below.item(container, i) === inner.container) return i;
  return -1;
}

function inOrder(search: Search, order: number | undefined, collect: () => void): void {
  if (search.fixed) {
    collect();
    return;
  }
  search.order = order ?? search.order;
  search.fixed = true;
  collect();
  search.fixed = false;
}

/** The changes from what is below to what the draft has, in one spot. */
function compare(search: Search, spot: Spot, [before, after]: readonly [Stored, Stored]): void {
  const { draft, walk } = search;
  if (walk.problem !== undefined) return;
  const next = after instanceof Held ? draft.stored(after.value) : after;
  if (before === next) {
    const place = isContainer(next) ? draft.placeIfKnown(next) : undefined;
    if (place !== undefined) comparePlace(search, place, spot.path);
    return;
  }
  // What was assigned anew is compared with what was there; what was only moved here is another thing.
  if (isContainer(before) && isFresh(next) && compareInside(search, spot, [before, next])) return;
  if (walk.problem !== undefined) return;
  const change = changeAt(
    { place: { container: spot.container, draft }, key: spot.key, path: spot.path },
    { before, stored: next, walk },
  );
  if (change !== undefined && !unchanged(change))
    search.found.push({ ...change, order: search.order });
}

function unchanged({ change }: DraftChange): boolean {
  return "before" in change && "after" in change && same(change.before, change.after);
}

/** Whether a value is an object or array of the tool's own. */
function isFresh(value: Stored): value is Held {
  return value instanceof Held && typeof value.value === "object" && value.value !== null;
}

/** Compares what was assigned with what was there, member by member; false when they have nothing in common. */
function compareInside(
  search: Search,
  spot: Spot,
  [before, next]: readonly [Container, Held],
): boolean {
  const { value } = next;
  if (Array.isArray(value) !== Array.isArray(before)) return false;
  // What is no plain data is told by the copying.
  if (
    search.draft.copyStored(next, search.walk) === undefined ||
    search.walk.problem !== undefined
  ) {
    if (search.walk.problem !== undefined)
      search.walk.problem.pointer = spot.path + search.walk.problem.pointer;
    return true;
  }
  if (Array.isArray(before)) {
    const items = (value as unknown[]).map((item) => search.draft.stored(item));
    compareItems(search, { container: before, path: spot.path }, items);
    return true;
  }
  const members = storedMembers(search.draft, value as Record<string, unknown>);
  const { below } = search.draft;
  const names = below.names(before);
  if (!names.some((key) => members.has(key))) return false;
  for (const key of names) {
    if (!members.has(key)) members.set(key, ABSENT);
  }
  for (const [key, stored] of members) {
    const inner = { container: before, key, path: under(spot.path, key) };
    compare(search, inner, [below.member(before, key), stored]);
  }
  return true;
}

function storedMembers(draft: Draft, value: Record<string, unknown>): Map<string, Stored> {
  return new Map(Object.keys(value).map((key) => [key, draft.stored(value[key])]));
}

/** The changes that turn the items below into others, from the first to the last. */
function compareItems(
  search: Search,
  { container, path }: Omit<Spot, "key">,
  next: readonly Stored[],
): void {
  const { draft, walk } = search;
  const { below } = draft;
  const old = Array.from({ length: below.length(container) }, (_, i) => below.item(container, i));
  const equal = (a: Stored, b: Stored): boolean => {
    if (a === b) return true;
    if (!isContainer(a) || !isFresh(b)) return false;
    const value = draft.copyStored(b, walk);
    return value !== undefined && walk.problem === undefined && same(below.resolve(a), value);
  };
  let at = 0;
  for (const step of itemSteps(old, next, equal)) {
    if (
      step.kind === "keep" &&
      isUntouched(draft, old[step.old] ?? null, next[step.next] ?? null)
    ) {
      at += 1;
      continue;
    }
    const spot = { container, key: at, path: `${path}/${at}` };
    if (step.kind === "insert") compare(search, spot, [ABSENT, next[step.next] ?? null]);
    else if (step.kind === "remove") compare(search, spot, [old[step.old] ?? null, ABSENT]);
    else compare(search, spot, [old[step.old] ?? null, next[step.next] ?? null]);
    if (step.kind !== "remove") at += 1;
  }
}

/** Whether an item is what it was, with nothing changed inside. */
function isUntouched(draft: Draft, before: Stored, after: Stored): boolean {
  if (before !== after) return false;
  const place = isContainer(after) ? draft.placeIfKnown(after) : undefined;
  return place === undefined || (place.overlay === undefined && place.touched === undefined);
}
