import { bucketOf, BUCKETS, countedLikeness } from "./counted.ts";
import { addHashes, HashList } from "./hashes.ts";
import type { Likeness } from "./likeness.ts";

/**
 * Turns a normalised text into a vector; the dot product of two vectors of one embedder is their likeness. Vectors of
 * embedders with another name or number of dimensions are never compared.
 */
export interface Embedder {
  /** Unique: the same name and dimensions mean the same vectors. */
  readonly name: string;
  readonly dimensions: number;
  /** Unit length; the same text gives the same vector each time. */
  embed(text: string): Float32Array;
  /** The likeness of these texts without a vector for each, where that is quicker; without it, the vectors are compared. */
  likeness?(texts: readonly string[], threshold: number): Likeness;
}

/** The built-in embedder: hashed words, pairs of words and three-letter pieces. Needs no model and no network. */
export const hashing: Embedder = {
  name: `hashing-${String(BUCKETS)}`,
  dimensions: BUCKETS,
  embed,
  likeness: countedLikeness,
};

function embed(text: string): Float32Array {
  const vector = new Float32Array(BUCKETS);
  const pieces = new HashList();
  addHashes(text, new HashList(), pieces);
  for (const hash of pieces.values.subarray(0, pieces.length)) {
    const bucket = bucketOf(hash);
    const place = bucket % BUCKETS;
    vector[place] = (vector[place] ?? 0) + (bucket === place ? 1 : -1);
  }
  return unit(vector);
}

/** The vector with the length one, changed in place; one without a direction gets one. */
export function unit(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  // Not Math.hypot: its last digit may differ between engines.
  const length = Math.sqrt(sum);
  if (length === 0) vector[0] = 1;
  else
    for (let i = 0; i < vector.length; i++)
      if (vector[i] !== 0) vector[i] = (vector[i] ?? 0) / length;
  return vector;
}

/** Cosine of two unit vectors, from -1 to 1. */
export function similarity(a: Float32Array, b: Float32Array): number {
  // Four sums, so that none waits for the one before.
  let [first, second, third, fourth] = [0, 0, 0, 0];
  for (let i = 0; i < a.length; i += 4) {
    first += (a[i] ?? 0) * (b[i] ?? 0);
    second += (a[i + 1] ?? 0) * (b[i + 1] ?? 0);
    third += (a[i + 2] ?? 0) * (b[i + 2] ?? 0);
    fourth += (a[i + 3] ?? 0) * (b[i + 3] ?? 0);
  }
  return first + second + third + fourth;
}
