import type { Database } from "./driver.ts";
import type { StoredVector } from "./store.ts";

/** The vectors of one model and dimension; one whose bytes do not fit is left out. */
export function readVectors(db: Database, model: string, dimensions: number): StoredVector[] {
  const rows = db
    .prepare("SELECT text, vector FROM vectors WHERE model = ? AND dimensions = ?")
    .all(model, dimensions) as { text: string; vector: Buffer }[];
  return rows
    .filter(({ vector }) => vector.length === dimensions * 4)
    .map(({ text, vector }) => ({
      text,
      // A copy: the bytes that SQLite hands out need not start where a float may.
      vector: new Float32Array(Uint8Array.from(vector).buffer),
    }));
}

/** Writes vectors of one model; the caller holds the transaction. Throws RangeError for one of another dimension. */
export function insertVectors(
  db: Database,
  { model, dimensions }: { readonly model: string; readonly dimensions: number },
  vectors: Iterable<StoredVector>,
): void {
  const insert = db.prepare("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)");
  for (const { text, vector } of vectors) {
    if (vector.length !== dimensions)
      throw new RangeError(
        `a vector of ${model} has ${vector.length} dimensions, not ${dimensions}`,
      );
    insert.run(
      model,
      dimensions,
      text,
      Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength),
    );
  }
}
