import { byCodeUnit } from "../shared/json.ts";
import { directionLikeness } from "./directions.ts";
import { hashing, type Embedder } from "./embedder.ts";
import type { Likeness } from "./likeness.ts";
import { memoKey, type Memo } from "./memo.ts";

/** Up to so many texts, every pair is compared; beyond, only those that are likely to be alike. */
const ALL_PAIRS = 32;

export interface ComponentOptions {
  /** Likeness from which two texts are one group. */
  readonly threshold: number;
  /** Default: the built-in one. */
  readonly embedder?: Embedder;
  /** What was found before; many texts that it knows are not compared again. */
  readonly memo?: Memo | undefined;
}

/**
 * Groups texts that are alike, directly or through others: a likeness of the threshold makes two texts one. The result
 * depends on the set of texts alone, never on their order; the time grows with their number, not with its square.
 * Equal texts must be given once.
 */
export function components(texts: readonly string[], options: ComponentOptions): string[][] {
  if (texts.length < 2) return texts.length === 0 ? [] : [[...texts]];
  const { threshold, embedder = hashing, memo } = options;
  const sorted = [...texts].sort(byCodeUnit);
  const isMany = sorted.length > ALL_PAIRS;
  const key = isMany && memo !== undefined ? memoKey(sorted, threshold, embedder) : "";
  const known = key === "" ? undefined : memo?.get(key);
  if (known?.length === sorted.length) return grouped(sorted, known);
  const likeness =
    embedder.likeness?.(sorted, threshold) ?? directionLikeness(sorted, threshold, embedder);
  const forest = new Forest(sorted.length);
  if (isMany) joinCandidates(forest, likeness, threshold);
  else joinPairs(forest, likeness, threshold);
  const firsts = sorted.map((_, place) => forest.firstOf(place));
  if (key !== "") memo?.keep(key, firsts);
  return grouped(sorted, firsts);
}

function grouped(texts: readonly string[], firsts: readonly number[]): string[][] {
  const groups = new Map<number, string[]>();
  for (const [place, text] of texts.entries()) {
    const first = firsts[place] ?? place;
    const group = groups.get(first);
    if (group === undefined) groups.set(first, [text]);
    else group.push(text);
  }
  return [...groups.values()];
}

function joinPairs(forest: Forest, likeness: Likeness, threshold: number): void {
  for (let a = 0; a < forest.size; a++) {
    for (let b = a + 1; b < forest.size; b++)
      if (!forest.isOne(a, b) && likeness.between(a, b) >= threshold) forest.join(a, b);
  }
}

/** Compares each text with the first two that have a key of it: among sorted texts, the same whatever order they came in. */
function joinCandidates(forest: Forest, likeness: Likeness, threshold: number): void {
  const { bands } = likeness;
  const { firsts, seconds } = firstTwo(forest.size, likeness);
  const comparedWith = new Int32Array(forest.size).fill(NONE);
  const compare = (place: number, other: number): void => {
    if (other === NONE || comparedWith[other] === place) return;
    comparedWith[other] = place;
    if (!forest.isOne(place, other) && likeness.between(place, other) >= threshold)
      forest.join(place, other);
  };
  for (let place = 0; place < forest.size; place++) {
    for (let at = place * bands; at < (place + 1) * bands; at++) {
      compare(place, firsts[at] ?? NONE);
      compare(place, seconds[at] ?? NONE);
    }
  }
}

const NONE = -1;

/** For each text and band, the first two texts before it with the same key. */
interface FirstTwo {
  readonly firsts: Int32Array;
  readonly seconds: Int32Array;
}

function firstTwo(size: number, likeness: Likeness): FirstTwo {
  const { bands } = likeness;
  const firsts = keysOf(size, likeness);
  const seconds = new Int32Array(size * bands);
  const table = tableFor(size);
  for (let band = 0; band < bands; band++) look(table, { firsts, seconds }, { band, bands });
  return { firsts, seconds };
}

function keysOf(size: number, likeness: Likeness): Int32Array {
  const keys = new Int32Array(size * likeness.bands);
  for (let place = 0; place < size; place++)
    likeness.writeKeys(place, keys, place * likeness.bands);
  return keys;
}

/** A hash table in plain numbers, as a `Map` of lists would take most of the time. */
interface Table {
  readonly keys: Int32Array;
  readonly firsts: Int32Array;
  readonly seconds: Int32Array;
}

function tableFor(size: number): Table {
  const slots = 2 ** Math.ceil(Math.log2(size * 2));
  return {
    keys: new Int32Array(slots),
    firsts: new Int32Array(slots),
    seconds: new Int32Array(slots),
  };
}

/** Looks up the keys of one band, which stand where the first texts will. */
function look(
  { keys, firsts, seconds }: Table,
  found: FirstTwo,
  { band, bands }: { readonly band: number; readonly bands: number },
): void {
  const { firsts: foundFirsts, seconds: foundSeconds } = found;
  const mask = keys.length - 1;
  firsts.fill(NONE);
  seconds.fill(NONE);
  for (let at = band, place = 0; at < foundFirsts.length; at += bands, place++) {
    const key = foundFirsts[at] ?? 0;
    let slot = key & mask;
    let first = firsts[slot] ?? NONE;
    while (first !== NONE && keys[slot] !== key) {
      slot = (slot + 1) & mask;
      first = firsts[slot] ?? NONE;
    }
    const second = first === NONE ? NONE : (seconds[slot] ?? NONE);
    foundFirsts[at] = first;
    foundSeconds[at] = second;
    keys[slot] = key;
    if (first === NONE) firsts[slot] = place;
    else if (second === NONE) seconds[slot] = place;
  }
}

/** A forest of places, of which each tree is a group. */
class Forest {
  readonly size: number;
  readonly #parents: Int32Array;

  constructor(size: number) {
    this.size = size;
    this.#parents = Int32Array.from({ length: size }, (_, place) => place);
  }

  isOne(a: number, b: number): boolean {
    return this.firstOf(a) === this.firstOf(b);
  }

  join(a: number, b: number): void {
    const [left, right] = [this.firstOf(a), this.firstOf(b)];
    this.#parents[Math.max(left, right)] = Math.min(left, right);
  }

  /** The first place of the group that a place is in. */
  firstOf(place: number): number {
    const parents = this.#parents;
    let root = place;
    for (;;) {
      const parent = parents[root] ?? root;
      if (parent === root) return root;
      parents[root] = parents[parent] ?? parent;
      root = parent;
    }
  }
}
