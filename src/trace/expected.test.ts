import * as fc from "fast-check";
import { expect, test } from "vitest";
import { anyJson } from "../testing/traces.ts";
import { expectedOf, meets } from "./expected.ts";
import { expectedSchema } from "./trace.ts";

test("texts are equal whatever their case and white space", () => {
  expect(meets({ equals: "Refund  R-1\n done" }, " refund r-1 DONE ").passed).toBe(true);
  expect(meets({ equals: "R-1" }, "R-12").passed).toBe(false);
  expect(meets({ equals: { a: 1, b: 2 } }, { b: 2, a: 1 }).passed).toBe(true);
  expect(meets({ equals: 42 }, "42").passed).toBe(false);
});

test("a completion is compared by its output, else by its message", () => {
  expect(
    meets({ equals: { id: 1 } }, { status: "completed", message: "done", output: { id: 1 } })
      .passed,
  ).toBe(true);
  expect(
    meets({ contains: "closed" }, { status: "blocked", message: "The card is closed." }).passed,
  ).toBe(true);
  expect(meets({ equals: "x" }, { status: "shipped", message: "x" }).passed).toBe(false);
  expect(
    meets({ equals: null }, { status: "completed", message: "done", output: null }).passed,
  ).toBe(true);
});

test("a whole completion can be expected, too", () => {
  const completion = { status: "blocked", message: "The card is closed." };
  expect(meets({ equals: completion }, completion).passed).toBe(true);
});

test("contains and matches look at the text of the output, data as JSON", () => {
  expect(meets({ contains: '"id":7' }, { id: 7 }).passed).toBe(true);
  expect(meets({ matches: "R-\\d+" }, "refund R-17").passed).toBe(true);
  expect(meets({ matches: "^R-\\d+$" }, "refund R-17").passed).toBe(false);
});

test("a missing output meets nothing, and every message tells what was found", () => {
  expect(meets({ equals: null }, undefined)).toMatchInlineSnapshot(`
    {
      "message": "the agent gave no output",
      "passed": false,
    }
  `);
  expect(meets({ equals: "a" }, "b")).toMatchInlineSnapshot(`
    {
      "message": "expected an output equal to "a", found "b"",
      "passed": false,
    }
  `);
  expect(meets({ contains: "a" }, "a\u001b[2J")).toMatchInlineSnapshot(`
    {
      "message": "the output is one with "a"",
      "passed": true,
    }
  `);
  expect(meets({ contains: "x" }, "a\u001b[2J").message).toMatchInlineSnapshot(
    `"expected an output one with "x", found "a\\u001b[2J""`,
  );
  expect(meets({ matches: "(" }, "a").message).toContain("is unusable");
});

test("what is given as expected becomes an expectation, once", () => {
  expect(expectedOf({ equals: 1, contains: "a" })).toEqual({
    equals: { equals: 1, contains: "a" },
  });
  fc.assert(
    fc.property(anyJson(), (given) => {
      const expected = expectedOf(given);
      expect(expectedSchema.parse(expected)).toEqual(expected);
      expect(expectedOf(expected)).toEqual(expected);
    }),
  );
});

test("comparing never throws, and every value equals itself", () => {
  fc.assert(
    fc.property(anyJson(), anyJson(), (wanted, found) => {
      expect(meets({ equals: wanted }, wanted).passed).toBe(true);
      expect(typeof meets({ equals: wanted }, found).message).toBe("string");
    }),
  );
});
