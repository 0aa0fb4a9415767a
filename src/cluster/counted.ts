import { addHashes, HashList } from "./hashes.ts";
import { BANDS, mixed, rowsFor, seedOf, type Likeness } from "./likeness.ts";

/** Buckets that the hashes of a text are counted in. */
export const BUCKETS = 512;

/** The bucket of a hash; in the upper half when it counts down. */
export function bucketOf(hash: number): number {
  return (hash & (BUCKETS - 1)) | (hash < 0 ? 0 : BUCKETS);
}

/**
 * The built-in likeness: cosine of the counts of hashed words, pairs of words and three-letter pieces. Whole numbers in few
 * long arrays, so that no rounding decides what is alike, and a comparison costs as much as the texts are long.
 */
export function countedLikeness(texts: readonly string[], threshold: number): Likeness {
  const { words, pieces } = listsOf(texts);
  const rows = rowsFor(threshold);
  const factors = Int32Array.from({ length: BANDS * rows }, (_, number) => seedOf(number) | 1);
  const counts = new Counts(pieces);
  return {
    bands: BANDS,
    writeKeys(place, into, at) {
      for (let band = 0; band < BANDS; band++) {
        let key = 0;
        for (let row = band * rows; row < (band + 1) * rows; row++)
          key = mixed(key ^ leastOf(words, place, factors[row] ?? 1));
        into[at + band] = key;
      }
    },
    between: (a, b) => counts.cosine(a, b),
  };
}

/** Minhash: the first of the hashes of a text in one of the orders that there are of all hashes. */
function leastOf({ values, starts }: Lists<Int32Array>, place: number, factor: number): number {
  const end = starts[place + 1] ?? 0;
  let least = 0x7fff_ffff;
  for (let at = starts[place] ?? 0; at < end; at++) {
    const value = Math.imul(values[at] ?? 0, factor);
    if (value < least) least = value;
  }
  return least >> 1;
}

/** A list of numbers for each text, one after the other; that of a text starts where `starts` says. */
interface Lists<Values> {
  readonly values: Values;
  readonly starts: Int32Array;
}

function listsOf(texts: readonly string[]): {
  readonly words: Lists<Int32Array>;
  readonly pieces: Lists<Int32Array>;
} {
  const words = new HashList();
  const pieces = new HashList();
  const [wordStarts, pieceStarts] = [
    new Int32Array(texts.length + 1),
    new Int32Array(texts.length + 1),
  ];
  for (const [place, text] of texts.entries()) {
    addHashes(text, words, pieces);
    wordStarts[place + 1] = words.length;
    pieceStarts[place + 1] = pieces.length;
  }
  return {
    words: { values: words.values, starts: wordStarts },
    pieces: { values: pieces.values, starts: pieceStarts },
  };
}

const NONE = -1;

/** Counts of the buckets of many texts, of which one is laid open to be compared with others. */
class Counts {
  readonly #starts: Int32Array;
  /** The bucket of every piece, in place of its hash; in the upper half for one that counts down. */
  readonly #buckets: Int16Array;
  /** Squares of the lengths of the vectors. */
  readonly #squares: Float64Array;
  /** In the upper half the same with the other sign, so that no bucket is asked in which half it is. */
  readonly #open = new Int32Array(BUCKETS * 2);
  #place = NONE;

  constructor({ values, starts }: Lists<Int32Array>) {
    const size = starts.length - 1;
    this.#starts = starts;
    const end = starts[size] ?? 0;
    this.#buckets = new Int16Array(end);
    // Not `from`, which takes fifty times as long.
    for (let at = 0; at < end; at++) this.#buckets[at] = bucketOf(values[at] ?? 0);
    this.#squares = new Float64Array(size);
    for (let place = 0; place < size; place++) {
      this.#lay(place);
      this.#squares[place] = this.#dot(place);
    }
  }

  /** Cosine; a text without a direction points along the first bucket. */
  cosine(a: number, b: number): number {
    this.#lay(a);
    const [left, right] = [this.#squares[a] ?? 0, this.#squares[b] ?? 0];
    if (left > 0 && right > 0) return this.#dot(b) / Math.sqrt(left * right);
    if (left === right) return 1;
    if (right === 0) return (this.#open[0] ?? 0) / Math.sqrt(left);
    this.#lay(b);
    return (this.#open[0] ?? 0) / Math.sqrt(right);
  }

  #lay(place: number): void {
    if (place === this.#place) return;
    if (this.#place !== NONE) this.#add(this.#place, -1);
    this.#add(place, 1);
    this.#place = place;
  }

  #add(place: number, count: number): void {
    const open = this.#open;
    const buckets = this.#buckets;
    const end = this.#starts[place + 1] ?? 0;
    for (let at = this.#starts[place] ?? 0; at < end; at++) {
      const bucket = buckets[at] ?? 0;
      open[bucket] = (open[bucket] ?? 0) + count;
      open[bucket ^ BUCKETS] = (open[bucket ^ BUCKETS] ?? 0) - count;
    }
  }

  #dot(place: number): number {
    const open = this.#open;
    const buckets = this.#buckets;
    const end = this.#starts[place + 1] ?? 0;
    let sum = 0;
    for (let at = this.#starts[place] ?? 0; at < end; at++) sum += open[buckets[at] ?? 0] ?? 0;
    return sum;
  }
}
