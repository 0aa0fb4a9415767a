import * as fc from "fast-check";
import { expect, test } from "vitest";
import { components } from "./components.ts";
import { countedLikeness } from "./counted.ts";
import { directionLikeness } from "./directions.ts";
import { hashing, similarity } from "./embedder.ts";

const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc
    .array(
      fc.constantFrom("card", "closed", "by", "issuer", "<n>", "<id>", "a.b", "卡已关闭", "é"),
      {
        maxLength: 8,
      },
    )
    .map((words) => words.join(" ")),
);

test("the counted likeness of two texts is the cosine of their vectors", () => {
  fc.assert(
    fc.property(fc.array(anyText, { minLength: 2, maxLength: 6 }), (texts) => {
      const likeness = countedLikeness(texts, 0.85);
      for (const [a, left] of texts.entries()) {
        for (const [b, right] of texts.entries()) {
          const cosine = similarity(hashing.embed(left), hashing.embed(right));
          expect(likeness.between(a, b)).toBeCloseTo(cosine, 5);
        }
      }
    }),
  );
});

test("a text is wholly like itself, and likeness has no order", () => {
  fc.assert(
    fc.property(anyText, anyText, (left, right) => {
      const likeness = countedLikeness([left, right, left], 0.85);
      expect(likeness.between(0, 2)).toBe(1);
      expect(likeness.between(0, 1)).toBe(likeness.between(1, 0));
    }),
  );
});

test("texts that are as alike as the threshold are one group, as no rounding decides", () => {
  // Equal words, and other signs between them: the cosine is 1.
  const texts = Array.from({ length: 40 }, (_, at) => `card ${"!".repeat(at)} closed by the bank`);
  expect(components(texts, { threshold: 1 })).toHaveLength(1);
  expect(components(texts.slice(0, 5), { threshold: 1 })).toHaveLength(1);
});

test("keys are equal for equal words, whatever stands between them", () => {
  for (const likeness of [
    countedLikeness(["a bc def", "a, bc: def", "other words"], 0.85),
    directionLikeness(["a bc def", "a, bc: def", "other words"], 0.85, hashing),
  ]) {
    const keys = new Int32Array(likeness.bands * 3);
    for (const place of [0, 1, 2]) likeness.writeKeys(place, keys, place * likeness.bands);
    const [first, second, third] = [0, 1, 2].map((place) =>
      [...keys.subarray(place * likeness.bands, (place + 1) * likeness.bands)].join(" "),
    );
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  }
});
