import { similarity, unit, type Embedder } from "./embedder.ts";
import { BANDS, mixed, rowsFor, seedOf, type Likeness } from "./likeness.ts";

/** The likeness of any embedder's vectors: candidates lie on the same side of random planes. */
export function directionLikeness(
  texts: readonly string[],
  threshold: number,
  embedder: Embedder,
): Likeness {
  const vectors: (Float32Array | undefined)[] = [];
  const vectorAt = (place: number): Float32Array =>
    (vectors[place] ??= embedder.embed(texts[place] ?? ""));
  // A side tells less than a smallest hash: four of them for one row.
  const planesOfKey = rowsFor(threshold) * 4;
  const planes: Float32Array[] = [];
  return {
    bands: BANDS,
    writeKeys(place, into, at) {
      const vector = vectorAt(place);
      for (let band = 0; band < BANDS; band++) {
        let key = 0;
        for (let number = band * planesOfKey; number < (band + 1) * planesOfKey; number++) {
          planes[number] ??= planeOf(number, embedder.dimensions);
          key = key * 2 + (sideOf(vector, planes[number]) ? 1 : 0);
        }
        into[at + band] = key;
      }
    },
    between: (a, b) => similarity(vectorAt(a), vectorAt(b)),
  };
}

function sideOf(vector: Float32Array, plane: Float32Array | undefined): boolean {
  let sum = 0;
  for (let i = 0; i < vector.length; i++) sum += (vector[i] ?? 0) * (plane?.[i] ?? 0);
  return sum >= 0;
}

function planeOf(number: number, dimensions: number): Float32Array {
  const seed = seedOf(number);
  const plane = new Float32Array(dimensions);
  for (let i = 0; i < dimensions; i++) plane[i] = mixed(seed ^ seedOf(i)) / 0x8000_0000 - 1;
  return unit(plane);
}
