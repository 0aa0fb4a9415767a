import * as fc from "fast-check";
import { expect, test } from "vitest";
import { inOrder, turns } from "./in-order.ts";

/** Work that waits for so many turns of the event loop. */
async function after<Value>(turnsToWait: number, value: Value): Promise<Value> {
  for (let turn = 0; turn < turnsToWait; turn++)
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  return value;
}

async function all<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const list: Value[] = [];
  for await (const value of values) list.push(value);
  return list;
}

test("results come in the order of the items, however long each takes, and no more than so many are held", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 4 })),
      fc.integer({ min: 1, max: 5 }),
      async (waits, most) => {
        let [held, highest] = [0, 0];
        const results = inOrder(waits.entries(), most, async ([at, wait]) => {
          held += 1;
          highest = Math.max(highest, held);
          await after(wait, undefined);
          held -= 1;
          return at;
        });
        expect(await all(results)).toEqual(waits.map((_, at) => at));
        expect(highest).toBeLessThanOrEqual(most);
      },
    ),
    { numRuns: 50 },
  );
});

test("work that fails is told when its turn comes, after the results before it", async () => {
  const seen: number[] = [];
  const run = async (): Promise<void> => {
    const results = inOrder([3, 0, 1], 3, (item) =>
      item === 0 ? Promise.reject(new Error("nought")) : after(item, item),
    );
    for await (const result of results) seen.push(result);
  };
  await expect(run()).rejects.toThrow("nought");
  expect(seen).toEqual([3]);
});

test("never more than so many take their turn at once, and one that fails gives it to the next", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 4 })),
      fc.integer({ min: 1, max: 4 }),
      async (waits, most) => {
        const takeTurn = turns(most);
        let [now, highest] = [0, 0];
        const done = await Promise.allSettled(
          waits.map((wait) =>
            takeTurn(async () => {
              now += 1;
              highest = Math.max(highest, now);
              await after(wait, undefined);
              now -= 1;
              if (wait === 2) throw new Error("two");
            }),
          ),
        );
        expect(done.map(({ status }) => status === "rejected")).toEqual(
          waits.map((wait) => wait === 2),
        );
        expect(highest).toBe(Math.min(most, waits.length));
      },
    ),
    { numRuns: 50 },
  );
});
