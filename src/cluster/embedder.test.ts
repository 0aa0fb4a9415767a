import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hashing, similarity } from "./embedder.ts";

test("the embedding has unit length and is deterministic", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (text) => {
      const vector = hashing.embed(text);
      expect(similarity(vector, vector)).toBeCloseTo(1, 5);
      expect(hashing.embed(text)).toEqual(vector);
    }),
  );
});

test("a text with one other word is nearer than a text with none in common", () => {
  const base = hashing.embed("card closed by the issuer of the card");
  const near = hashing.embed("card closed by the owner of the card");
  const far = hashing.embed("no such table in this database");
  expect(similarity(base, near)).toBeGreaterThan(similarity(base, far));
});
