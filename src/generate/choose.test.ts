import * as fc from "fast-check";
import { expect, test } from "vitest";
import { shareOf, type CauseGroup } from "./choose.ts";

function groups(sizes: readonly number[]): Pick<CauseGroup, "runs">[] {
  return sizes.map((size) => ({ runs: Array.from({ length: size }) as CauseGroup["runs"] }));
}

const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 30 });

test("all causes together give at most so many repros as were asked for, but each at least one", () => {
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 500 }), (given, most) => {
      const share = shareOf(groups(given), most);
      const sum = given.reduce((total, size) => total + Math.min(size, share), 0);
      expect(share).toBeGreaterThanOrEqual(1);
      expect(sum).toBeLessThanOrEqual(Math.max(most, given.length));
    }),
  );
});

test("no larger share would fit, where some cause has more runs than its share", () => {
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 500 }), (given, most) => {
      const share = shareOf(groups(given), most);
      const more = given.reduce((total, size) => total + Math.min(size, share + 1), 0);
      expect(given.every((size) => size <= share) || more > most).toBe(true);
    }),
  );
});

test("a small cause gives all of its runs, and large ones share what is left", () => {
  expect(shareOf(groups([2, 50, 70]), 42)).toBe(20);
  expect(shareOf(groups([3, 4]), 500)).toBe(500);
  expect(shareOf(groups([9, 9, 9]), 2)).toBe(1);
});
