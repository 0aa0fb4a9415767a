import { unit, type Embedder } from "./embedder.ts";

const BANDS = 20;

/** Tells which texts may be alike: those with an equal key in one of the bands. */
export interface Keys {
  readonly bands: number;
  /** The 32-bit key of the text at a place. */
  key(place: number, band: number): number;
}

/**
 * Locality-sensitive keys: the likelier equal, the more alike two texts are. Texts at the threshold of 0.85 miss each
 * other in all bands less than once in a thousand times.
 */
export function keysOf(
  texts: readonly string[],
  embedder: Embedder,
  {
    threshold,
    vector,
  }: { readonly threshold: number; readonly vector: (place: number) => Float32Array },
): Keys {
  // The lower the threshold, the less of a key may have to agree.
  const rows = threshold >= 0.75 ? 3 : threshold >= 0.5 ? 2 : 1;
  const features = texts.map((text) => embedder.features?.(text));
  if (features.includes(undefined)) return directionKeys(rows, embedder.dimensions, vector);
  return smallestKeys(rows, features);
}

/** Minhash: of `rows` orders of all features, the first that a text has. */
function smallestKeys(rows: number, features: readonly (Uint32Array | undefined)[]): Keys {
  const factors = Int32Array.from({ length: BANDS * rows }, (_, number) => seedOf(number) | 1);
  return {
    bands: BANDS,
    key(place, band) {
      const own = features[place];
      if (own === undefined) return 0;
      let key = 0;
      for (let row = band * rows; row < (band + 1) * rows; row++) {
        const factor = factors[row] ?? 1;
        let least = 0x7fff_ffff;
        for (let i = 0; i < own.length; i++) {
          const value = Math.imul(own[i] ?? 0, factor) >> 1;
          if (value < least) least = value;
        }
        key = mixed(key ^ least);
      }
      return key | 0;
    },
  };
}

/** On which side of `rows` times four random planes a vector lies. */
function directionKeys(
  rows: number,
  dimensions: number,
  vector: (place: number) => Float32Array,
): Keys {
  const planes = new Map<number, Float32Array>();
  const planeAt = (number: number): Float32Array => {
    const known = planes.get(number) ?? planeOf(number, dimensions);
    planes.set(number, known);
    return known;
  };
  return {
    bands: BANDS,
    key(place, band) {
      let key = 0;
      const values = vector(place);
      for (let row = 0; row < rows * 4; row++) {
        const plane = planeAt(band * rows * 4 + row);
        let sum = 0;
        for (let i = 0; i < dimensions; i++) sum += (values[i] ?? 0) * (plane[i] ?? 0);
        key = key * 2 + (sum >= 0 ? 1 : 0);
      }
      return key;
    },
  };
}

function planeOf(number: number, dimensions: number): Float32Array {
  const seed = seedOf(number);
  const plane = new Float32Array(dimensions);
  for (let i = 0; i < dimensions; i++) plane[i] = mixed(seed ^ seedOf(i)) / 0x8000_0000 - 1;
  return unit(plane);
}

function seedOf(number: number): number {
  return mixed(Math.imul(number + 1, 0x9e37_79b9));
}

/** A 32-bit mixer (that of MurmurHash3): near numbers become far ones. */
function mixed(number: number): number {
  let hash = number;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
