/** Compares the texts of one list, which it names by their places. */
export interface Likeness {
  /** Texts with an equal key in one of so many bands may be alike. */
  readonly bands: number;
  /** Writes the 32-bit key of the text for each band, from place `at` on: the likelier equal, the more alike two texts are. */
  writeKeys(place: number, into: Int32Array, at: number): void;
  /** Cosine of two texts, from -1 to 1; quickest with one `a` after the other. */
  between(a: number, b: number): number;
}

/** At the threshold of 0.85, alike texts miss each other in all bands less than once in a thousand times. */
export const BANDS = 20;

/** The lower the threshold, the less of a key may have to agree. */
export function rowsFor(threshold: number): number {
  return threshold >= 0.75 ? 3 : threshold >= 0.5 ? 2 : 1;
}

export function seedOf(number: number): number {
  return mixed(Math.imul(number + 1, 0x9e37_79b9));
}

/** A 32-bit mixer (that of MurmurHash3): near numbers become far ones. */
export function mixed(number: number): number {
  let hash = number;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
