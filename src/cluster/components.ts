import { byCodeUnit } from "../shared/json.ts";
import { keysOf } from "./candidates.ts";
import { hashing, similarity, type Embedder } from "./embedder.ts";

/** Up to so many texts, every pair is compared; beyond, only those that are likely to be alike. */
const ALL_PAIRS = 32;

/**
 * Groups texts that are alike, directly or through others: a likeness of the threshold makes two texts one. The result
 * depends on the set of texts alone, never on their order; the time grows with their number, not with its square.
 * Equal texts must be given once.
 */
export function components(
  texts: readonly string[],
  threshold: number,
  embedder: Embedder = hashing,
): string[][] {
  if (texts.length < 2) return texts.length === 0 ? [] : [[...texts]];
  const sorted = [...texts].sort(byCodeUnit);
  const alike = new Alike(sorted, threshold, embedder);
  if (sorted.length <= ALL_PAIRS) joinPairs(alike, sorted.length);
  else joinCandidates(alike, sorted, embedder);
  return alike.groups();
}

function joinPairs(alike: Alike, size: number): void {
  for (let i = 0; i < size; i++) for (let j = i + 1; j < size; j++) alike.join(i, j);
}

/** Among texts in one order the first of each key are the same whatever the order in which the texts came. */
function joinCandidates(alike: Alike, sorted: readonly string[], embedder: Embedder): void {
  const keys = keysOf(sorted, embedder, {
    threshold: alike.threshold,
    vector: (place) => alike.vector(place),
  });
  const table = new FirstTwo(sorted.length);
  for (let band = 0; band < keys.bands; band++) {
    table.clear();
    for (let place = 0; place < sorted.length; place++) {
      const [first, second] = table.add(keys.key(place, band), place);
      if (first !== NONE) alike.join(first, place);
      if (second !== NONE) alike.join(second, place);
    }
  }
}

const NONE = -1;

/** The first two places of every key: a hash table in plain numbers, as a `Map` of lists would take most of the time. */
class FirstTwo {
  readonly #first: Int32Array;
  readonly #second: Int32Array;
  readonly #keys: Int32Array;

  constructor(size: number) {
    const slots = 2 ** Math.ceil(Math.log2(size * 2));
    this.#first = new Int32Array(slots);
    this.#second = new Int32Array(slots);
    this.#keys = new Int32Array(slots);
  }

  clear(): void {
    this.#first.fill(NONE);
    this.#second.fill(NONE);
  }

  /** The places that had the key first, before this one. */
  add(key: number, place: number): readonly [first: number, second: number] {
    const mask = this.#first.length - 1;
    let slot = key & mask;
    while (this.#first[slot] !== NONE && this.#keys[slot] !== key) slot = (slot + 1) & mask;
    const first = this.#first[slot] ?? NONE;
    const second = this.#second[slot] ?? NONE;
    this.#keys[slot] = key;
    if (first === NONE) this.#first[slot] = place;
    else if (second === NONE) this.#second[slot] = place;
    return [first, second];
  }
}

/** A forest of texts, of which each tree is a group. */
class Alike {
  readonly threshold: number;
  readonly #texts: readonly string[];
  readonly #embedder: Embedder;
  readonly #vectors: (Float32Array | undefined)[] = [];
  readonly #parents: Int32Array;

  constructor(texts: readonly string[], threshold: number, embedder: Embedder) {
    this.threshold = threshold;
    this.#texts = texts;
    this.#embedder = embedder;
    this.#parents = Int32Array.from(texts, (_, index) => index);
  }

  vector(place: number): Float32Array {
    return (this.#vectors[place] ??= this.#embedder.embed(this.#texts[place] ?? ""));
  }

  /** Makes two texts one group when they are alike; those of one group already are not compared again. */
  join(a: number, b: number): void {
    const [left, right] = [this.#rootOf(a), this.#rootOf(b)];
    if (left === right || similarity(this.vector(a), this.vector(b)) < this.threshold) return;
    this.#parents[Math.max(left, right)] = Math.min(left, right);
  }

  groups(): string[][] {
    const groups = new Map<number, string[]>();
    for (const [index, text] of this.#texts.entries()) {
      const root = this.#rootOf(index);
      const group = groups.get(root);
      if (group === undefined) groups.set(root, [text]);
      else group.push(text);
    }
    return [...groups.values()];
  }

  #rootOf(index: number): number {
    const parents = this.#parents;
    let root = index;
    for (;;) {
      const parent = parents[root] ?? root;
      if (parent === root) return root;
      parents[root] = parents[parent] ?? parent;
      root = parent;
    }
  }
}
