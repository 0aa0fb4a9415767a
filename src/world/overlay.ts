import type { Json, JsonObject } from "../shared/json.ts";

/** An object or array of a state. It never changes: layers above say what became of it, and its identity is its place. */
export type Container = JsonObject | Json[];

/** What stands where nothing is, or where something was removed. */
export const ABSENT: unique symbol = Symbol("absent");

/** A value that a tool assigned, as it is: the tool may still change it. What is not held is JSON that never changes. */
export class Held {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/** One value of a layer: a primitive, a container of the layer below, `ABSENT`, or a `Held`. */
export type Stored = Json | typeof ABSENT | Held;

/** Whether a value is an object or array of a layer below. */
export function isContainer(value: Stored): value is Container {
  return typeof value === "object" && value !== null && !(value instanceof Held);
}

/** A layer of the state, as the layer above reads it: committed state, or the draft around a nested call. */
export interface Below {
  /** Changes with every change of the layer. */
  readonly version: number;
  member(container: Container, key: string): Stored;
  names(container: Container): readonly string[];
  item(container: Container, index: number): Stored;
  length(container: Container): number;
  /** The layer's own value of a container, as JSON that never changes: shared where nothing changed. */
  resolve(container: Container): Json;
}

/** What one layer changed of one object. Mostly that is one member: a map for it would be most of what a trial keeps. */
export class ObjectOverlay {
  #key: string | undefined;
  #value: Stored | undefined;
  /** All members but the first. */
  #more: Map<string, Stored> | undefined;
  /** Keys that come after all of those below, in their order. */
  added: Set<string> | undefined;

  /** What the layer has of a member; undefined where it has not changed it. */
  get(key: string): Stored | undefined {
    return key === this.#key ? this.#value : this.#more?.get(key);
  }

  /** `exists` says whether the object has the key now. */
  set(key: string, value: Stored, exists: boolean): void {
    if (!exists) (this.added ??= new Set()).add(key);
    this.#put(key, value);
  }

  remove(key: string): void {
    this.added?.delete(key);
    this.#put(key, ABSENT);
  }

  /** Every changed member, in the order in which they were first changed. */
  members(): readonly (readonly [string, Stored])[] {
    if (this.#key === undefined) return [];
    return [[this.#key, this.#value ?? null], ...(this.#more ?? [])];
  }

  /** The object's keys in the language's order, given those of the layer below. */
  names(below: readonly string[]): string[] {
    const { added } = this;
    const kept = below.filter((key) => this.get(key) !== ABSENT && added?.has(key) !== true);
    if (added === undefined || added.size === 0) return kept;
    const all = [...kept, ...added];
    if (![...added].some(isIndex)) return all;
    const numbers = all.filter(isIndex).sort((a, b) => Number(a) - Number(b));
    return [...numbers, ...all.filter((key) => !isIndex(key))];
  }

  #put(key: string, value: Stored): void {
    if (this.#key === undefined || this.#key === key) {
      this.#key = key;
      this.#value = value;
    } else (this.#more ??= new Map()).set(key, value);
  }
}

/** What one layer changed of one array: single items, a cut, items at the end; or all of it. */
export class ArrayOverlay {
  edits: Map<number, Stored> | undefined;
  /** How many items of the layer below are kept; -1 for all that it has. */
  cut = -1;
  tail: Stored[] = [];
  /** The whole array, once its items have moved. */
  items: Stored[] | undefined;

  length(below: number): number {
    if (this.items !== undefined) return this.items.length;
    return (this.cut === -1 ? below : this.cut) + this.tail.length;
  }

  /** Undefined where the layer below has the item. */
  item(index: number, below: number): Stored | undefined {
    if (this.items !== undefined) return index < this.items.length ? this.items[index] : ABSENT;
    const kept = this.cut === -1 ? below : this.cut;
    if (index < kept) return this.edits?.get(index);
    return index - kept < this.tail.length ? this.tail[index - kept] : ABSENT;
  }
}

/** Whether a key is an array index in the language's sense; such keys of objects come first, in numeric order. */
export function isIndex(key: string): boolean {
  return indexOf(key) !== -1;
}

/** The array index that a key is; -1 when it is none. */
export function indexOf(key: string): number {
  const first = key.charCodeAt(0);
  if (!(first >= 48 && first <= 57)) return -1;
  if (key.length === 1) return first - 48;
  const index = Number(key);
  return Number.isInteger(index) && index < 4_294_967_295 && String(index) === key ? index : -1;
}
