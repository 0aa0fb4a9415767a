import { ArrayOverlay, indexOf, isContainer, type Stored } from "./overlay.ts";
import { MOVED, PLACE, placeOf, type Place } from "./place.ts";

/** Items that one assignment beyond an array's end may leave empty. */
const MOST_EMPTY = 1_000_000;

/** An array of a draft. The target is an array, so that `Array.isArray` says so; its one item is the place. */
export const ARRAY_HANDLER: ProxyHandler<Place[]> = {
  get(target, key) {
    const place = target[0] as Place;
    if (typeof key === "symbol")
      return key === PLACE ? place : (Reflect.get(Array.prototype, key) as unknown);
    const index = indexOf(key);
    if (index !== -1) return place.draft.shown(item(place, index), place, index);
    if (key === "length") return lengthOf(place);
    return METHODS.get(key) ?? (Reflect.get(Array.prototype, key) as unknown);
  },
  set(target, key, value) {
    setKey(target[0] as Place, key, value);
    return true;
  },
  has(target, key) {
    const place = target[0] as Place;
    const index = typeof key === "symbol" ? -1 : indexOf(key);
    if (index !== -1) return index < lengthOf(place);
    return key === PLACE || key === "length" || key in Array.prototype;
  },
  deleteProperty(target, key) {
    const place = target[0] as Place;
    const index = typeof key === "symbol" ? -1 : indexOf(key);
    if (index !== -1 && index < lengthOf(place)) setItem(place, index, undefined);
    return key !== "length";
  },
  ownKeys(target) {
    const length = lengthOf(target[0] as Place);
    return [...Array.from({ length }, (_, i) => String(i)), "length"];
  },
  getOwnPropertyDescriptor(target, key) {
    const place = target[0] as Place;
    if (key === "length")
      return { value: lengthOf(place), writable: true, enumerable: false, configurable: false };
    const index = typeof key === "symbol" ? -1 : indexOf(key);
    if (index === -1 || index >= lengthOf(place)) return undefined;
    const value = place.draft.shown(item(place, index), place, index);
    return { value, writable: true, enumerable: true, configurable: true };
  },
  defineProperty(target, key, descriptor) {
    if (!("value" in descriptor)) throw new TypeError("a state holds no getters and setters");
    setKey(target[0] as Place, key, descriptor.value);
    return true;
  },
  getPrototypeOf: () => Array.prototype,
  setPrototypeOf: () => false,
  preventExtensions: () => false,
};

/** The array's own ways to move items: they work on what is kept, and make no proxy for what only moves. */
const METHODS: ReadonlyMap<string, (this: object, ...args: never[]) => unknown> = new Map<
  string,
  (this: object, ...args: never[]) => unknown
>([
  ["push", push],
  ["pop", pop],
  ["shift", shift],
  ["unshift", unshift],
  ["splice", splice],
  ["reverse", reverse],
  ["sort", sort],
]);

function placeHere(self: object): Place {
  const place = placeOf(self);
  if (place === undefined) throw new TypeError("this is no array of a state");
  return place;
}

function push(this: object, ...values: unknown[]): number {
  const place = placeHere(this);
  for (const value of values) append(place, value);
  return lengthOf(place);
}

function pop(this: object): unknown {
  const place = placeHere(this);
  const length = lengthOf(place);
  if (length === 0) return undefined;
  const last = place.draft.shown(item(place, length - 1), place, length - 1);
  setLength(place, length - 1);
  return last;
}

function shift(this: object): unknown {
  const place = placeHere(this);
  if (lengthOf(place) === 0) return undefined;
  return shownAll(place, moved(place).splice(0, 1))[0];
}

function unshift(this: object, ...values: unknown[]): number {
  const place = placeHere(this);
  return moved(place).unshift(...values.map((value) => place.draft.stored(value)));
}

function splice(this: object, ...args: unknown[]): unknown[] {
  const place = placeHere(this);
  const [start, count, ...values] = args;
  const items = moved(place);
  const stored = values.map((value) => place.draft.stored(value));
  if (args.length === 0) return [];
  const from = Number(start);
  const removed =
    args.length === 1 ? items.splice(from) : items.splice(from, Number(count), ...stored);
  return shownAll(place, removed);
}

function reverse(this: object): object {
  moved(placeHere(this)).reverse();
  return this;
}

function sort(this: object, compare?: (a: unknown, b: unknown) => number): object {
  const place = placeHere(this);
  const shown = shownAll(place, moved(place)).sort(compare);
  const overlay = place.overlay as ArrayOverlay;
  overlay.items = shown.map((value) => place.draft.stored(value));
  return this;
}

function shownAll(place: Place, items: readonly Stored[]): unknown[] {
  return items.map((value, i) => place.draft.shown(value, place, i));
}

function lengthOf({ draft, overlay, container }: Place): number {
  draft.use();
  const below = draft.below.length(container);
  return overlay === undefined ? below : (overlay as ArrayOverlay).length(below);
}

function item({ draft, overlay, container }: Place, index: number): Stored {
  draft.use();
  if (overlay === undefined) return draft.below.item(container, index);
  const changed = (overlay as ArrayOverlay).item(index, draft.below.length(container));
  return changed === undefined ? draft.below.item(container, index) : changed;
}

/** Every item as it is kept, now. */
function itemsOf(place: Place): Stored[] {
  return Array.from({ length: lengthOf(place) }, (_, i) => item(place, i));
}

function changed(place: Place): ArrayOverlay {
  return (place.overlay ??= new ArrayOverlay()) as ArrayOverlay;
}

/** The array's items, to be moved. */
function moved(place: Place): Stored[] {
  const overlay = changed(place);
  if (overlay.items === undefined) {
    overlay.items = itemsOf(place);
    overlay.edits = undefined;
    overlay.tail = [];
    overlay.cut = -1;
  }
  place.draft.simple = false;
  place.draft.record(place, MOVED);
  return overlay.items;
}

function append(place: Place, value: unknown): void {
  const { draft } = place;
  draft.use();
  const stored = draft.stored(value);
  const overlay = changed(place);
  if (isContainer(stored)) draft.simple = false;
  if (overlay.items !== undefined) {
    overlay.items.push(stored);
    return;
  }
  draft.record(place, -1 - overlay.tail.length);
  overlay.tail.push(stored);
}

function setKey(place: Place, key: string | symbol, value: unknown): void {
  const index = typeof key === "symbol" ? -1 : indexOf(key);
  if (index !== -1) setItem(place, index, value);
  else if (key === "length") setLength(place, Number(value));
  else throw new TypeError(`a state's array has items and no ${String(key)}; use an object`);
}

function setItem(place: Place, index: number, value: unknown): void {
  const length = lengthOf(place);
  if (index >= length) {
    setLength(place, index);
    append(place, value);
    return;
  }
  const { draft } = place;
  const overlay = changed(place);
  const stored = draft.stored(value);
  if (isContainer(stored) || isContainer(item(place, index))) draft.simple = false;
  const kept = overlay.cut === -1 ? draft.below.length(place.container) : overlay.cut;
  if (overlay.items !== undefined) overlay.items[index] = stored;
  else if (index >= kept) overlay.tail[index - kept] = stored;
  else {
    const edits = (overlay.edits ??= new Map());
    if (!edits.has(index)) draft.record(place, index);
    edits.set(index, stored);
  }
}

function setLength(place: Place, length: number): void {
  const before = lengthOf(place);
  if (!Number.isInteger(length) || length < 0) throw new RangeError("Invalid array length");
  if (length - before > MOST_EMPTY)
    throw new RangeError(`an array of a state cannot grow by ${length - before} empty items`);
  for (let i = before; i < length; i++) append(place, undefined);
  if (length >= before) return;
  const { draft } = place;
  draft.simple = false;
  draft.record(place, MOVED);
  const overlay = changed(place);
  if (overlay.items !== undefined) {
    overlay.items.length = length;
    return;
  }
  const kept = overlay.cut === -1 ? draft.below.length(place.container) : overlay.cut;
  overlay.tail.length = Math.max(0, length - kept);
  if (length < kept) overlay.cut = length;
}
