import * as fc from "fast-check";
import { expect, test } from "vitest";
import { holdsFact, numbersOf, numberTokens, occursAsWord } from "./fact.ts";

test("every integer is found in its grouped, decimal and plain notation", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1e12 }),
      fc.constantFrom("en-US", "de-DE", "de-CH"),
      (value, locale) => {
        const fact = String(value);
        expect(holdsFact(`It is ${value} in all.`, fact)).toBe(true);
        expect(holdsFact(`Paid ${value.toLocaleString(locale)}.`, fact)).toBe(true);
        expect(holdsFact(`(${value}.00 EUR)`, fact)).toBe(true);
      },
    ),
  );
});

test("a number is never found inside a longer one", () => {
  fc.assert(
    fc.property(fc.nat({ max: 9999 }), fc.integer({ min: 1, max: 9 }), (value, digit) => {
      expect(holdsFact(`year ${digit}${value}`, String(value))).toBe(false);
      expect(holdsFact(`year ${value}${digit}`, String(value))).toBe(false);
    }),
  );
});

test("a text holds itself whatever its case and spaces", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (text) => {
      fc.pre(text.trim() !== "");
      expect(holdsFact(`x ${text.toUpperCase().toLowerCase()} y`, text.toLowerCase())).toBe(true);
    }),
  );
});

test.each([
  ["Ada Lovelace paid 1,200 for 5 items.", "1200", true],
  ["Ada Lovelace paid 1,200 for 5 items.", "1,200", true],
  ["Total: 1.200,50 EUR", "1200.5", true],
  ["Total: 1 200 EUR", "1200", true],
  ["It is 18C now", "18", true],
  ["In 2015 it began", "5", false],
  ["In 2015 it began", "15", false],
  ["version 1.200.3", "1200", false],
  ["order A-1002", "1002", false],
  ["order A-1002", "A-1002", true],
  ["on 2024-03-01", "2024", false],
  ["It costs 1,200.", "1.2", false],
  ["refunded", "refund", true],
  ["Refund R-77 done", "r-77", true],
  ["Refund\n\tR-77  done", "refund r-77", true],
])("%j holds %j: %j", (text, fact, holds) => {
  expect(holdsFact(text, fact)).toBe(holds);
});

test("whole words stand alone: no longer word, id or number around them", () => {
  expect(occursAsWord("ada lovelace's order", "ada lovelace")).toBe(true);
  expect(occursAsWord("adapter", "ada")).toBe(false);
  expect(occursAsWord("a-1002-b", "a-1002")).toBe(false);
  expect(occursAsWord("x a-1002-b, a-1002.", "a-1002")).toBe(true);
  expect(occursAsWord("12.5", "12")).toBe(false);
  expect(occursAsWord("anything", "")).toBe(false);
});

test("numerals have every value that they can mean", () => {
  expect(numbersOf("1.200")).toEqual([1.2, 1200]);
  expect(numbersOf("1,200")).toEqual([1200]);
  expect(numbersOf("1,5")).toEqual([1.5]);
  expect(numbersOf("0,200")).toEqual([0.2]);
  expect(numbersOf("-40")).toEqual([40]);
  expect(numbersOf("1.2.3")).toEqual([]);
  expect(numbersOf("A-1")).toEqual([]);
  expect(numberTokens("a 15 b 1,200 c").map(({ text }) => text)).toEqual(["15", "1,200"]);
});
