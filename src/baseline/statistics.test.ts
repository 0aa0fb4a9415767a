import * as fc from "fast-check";
import { expect, test } from "vitest";
import { canShowRise, chanceOfRise } from "./statistics.ts";

const tally = fc
  .tuple(fc.integer({ min: 1, max: 40 }), fc.nat())
  .map(([trials, seed]) => ({ trials, count: seed % (trials + 1) }));

test("a chance lies between 0 and 1, and one more failure never makes a rise likelier to be chance", () => {
  fc.assert(
    fc.property(tally, tally, (base, candidate) => {
      const chance = chanceOfRise(base, candidate);
      expect(chance).toBeGreaterThan(0);
      expect(chance).toBeLessThanOrEqual(1);
      if (candidate.count === candidate.trials) return;
      const more = chanceOfRise(base, { ...candidate, count: candidate.count + 1 });
      expect(more).toBeLessThanOrEqual(chance + 1e-9);
    }),
  );
});

test.for([
  // The lady tasting tea, and tables of a statistics book.
  [{ count: 1, trials: 4 }, { count: 3, trials: 4 }, 17 / 70],
  [{ count: 0, trials: 4 }, { count: 4, trials: 4 }, 1 / 70],
  [{ count: 1, trials: 20 }, { count: 2, trials: 20 }, 0.5],
  [{ count: 0, trials: 20 }, { count: 5, trials: 20 }, 15_504 / 658_008],
] as const)("the chance of %j against %j is %d", ([base, candidate, chance]) => {
  expect(chanceOfRise(base, candidate)).toBeCloseTo(chance, 9);
});

test("three trials on each side can show nothing, four can", () => {
  expect(canShowRise(3, 3)).toBe(false);
  expect(canShowRise(4, 4)).toBe(true);
});
