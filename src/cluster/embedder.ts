/** Turns a normalised text into a vector; the dot product of two vectors is their similarity. */
export interface Embedder {
  readonly name: string;
  /** Unit length; the same text gives the same vector on every machine. */
  embed(text: string): Float32Array;
}

const DIMENSIONS = 512;
const WORD = /<[^<>\s]+>|[\p{L}\p{N}_$'.-]+/gu;

/** The built-in embedder: hashed words, pairs of words and three-letter pieces. Needs no model and no network. */
export const hashing: Embedder = { name: `hashing-${String(DIMENSIONS)}`, embed };

function embed(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  const words = text.match(WORD) ?? [];
  words.forEach((word, index) => {
    add(vector, word);
    const next = words[index + 1];
    if (next !== undefined) add(vector, `${word} ${next}`);
    if (word.length > 3 && !word.startsWith("<")) {
      for (let i = 0; i + 3 <= word.length; i++) add(vector, `#${word.slice(i, i + 3)}`);
    }
  });
  // Not Math.hypot: its last digit may differ between engines.
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  if (length === 0) {
    vector[0] = 1;
    return vector;
  }
  return vector.map((value) => value / length);
}

/** Cosine of two unit vectors, from -1 to 1. */
export function similarity(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

function add(vector: Float32Array, feature: string): void {
  const hash = fnv1a(feature);
  const bucket = hash % DIMENSIONS;
  vector[bucket] = (vector[bucket] ?? 0) + (hash >>> 31 === 1 ? 1 : -1);
}

/** FNV-1a over UTF-16 units: quick, and the same everywhere. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    hash ^= text.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  return hash >>> 0;
}
