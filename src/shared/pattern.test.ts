import * as fc from "fast-check";
import { expect, test } from "vitest";
import { findPattern, testPattern } from "./pattern.ts";

test("a pattern matches as a regular expression does", () => {
  const part = fc.constantFrom(
    "a",
    "b",
    "[ab]",
    "a+",
    "b*",
    "(a|b)",
    "^",
    "$",
    ".",
    "\\d",
    "a{2}",
    "(?:ab)?",
  );
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 5 }),
      fc.string({ unit: fc.constantFrom("a", "b", "1"), maxLength: 12 }),
      fc.constantFrom("", "i", "u"),
      (parts, subject, flags) => {
        const pattern = parts.join("");
        expect(testPattern(pattern, subject, flags)).toEqual({
          matched: new RegExp(pattern, flags).test(subject),
        });
        const spans = [...subject.matchAll(new RegExp(pattern, `${flags}g`))]
          .filter(([text]) => text !== "")
          .map((match) => [match.index, match.index + match[0].length]);
        expect(findPattern(pattern, subject, flags)).toEqual({ spans });
      },
    ),
    { numRuns: 100 },
  );
});

test("a catastrophic pattern ends at its time limit of 200 ms as an error, and not as a match", () => {
  for (const pattern of ["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "^(\\w+\\s?)*$"]) {
    const start = performance.now();
    expect(testPattern(pattern, `${"a".repeat(99_999)}!`)).toEqual({
      error: "the regex timed out after 200 ms",
    });
    expect(performance.now() - start).toBeLessThan(1000);
  }
});

test("repetition that is quick on little text is guarded on much", () => {
  expect(testPattern("a*b", "a".repeat(100_000))).toEqual({
    error: "the regex timed out after 200 ms",
  });
});

test("a pattern that is no regular expression is refused with its reason", () => {
  expect(testPattern("(", "x")).toMatchInlineSnapshot(`
    {
      "error": "the pattern is not a regular expression: Invalid regular expression: /(/: Unterminated group",
    }
  `);
  expect(testPattern("a", "x", "gy")).toMatchInlineSnapshot(`
    {
      "error": "the flags "gy" are not allowed, only i, m, s and u are",
    }
  `);
  expect(testPattern("a".repeat(10_000), "x")).toMatchInlineSnapshot(`
    {
      "error": "the regular expression has 10000 characters, and 1000 are allowed",
    }
  `);
});

test("a pattern whose optional parts would keep the compiler busy for hours is refused", () => {
  for (const part of ["a?", "(?:a|)", "[ab]??", "a{0,1}", "(|a)", "(?:a?b?c?)"]) {
    const start = performance.now();
    const result = testPattern(part.repeat(60) + "a".repeat(60), "b");
    expect(result).toEqual({ error: "the regular expression has more than 16 optional parts" });
    expect(performance.now() - start).toBeLessThan(100);
  }
  expect(
    testPattern("^(?:\\+?1[-. ]?)?\\(?\\d{3}\\)?[-. ]?\\d{3}[-. ]?\\d{4}$", "(555) 123-4567"),
  ).toEqual({ matched: true });
});

test("a subject is cut after 100,000 characters", () => {
  expect(testPattern("b", `${"a".repeat(100_000)}b`)).toEqual({ matched: false });
  expect(testPattern("b", `${"a".repeat(99_999)}b`)).toEqual({ matched: true });
});

test("a pattern cannot reach the program that tests it", () => {
  expect(testPattern("(x)(y)*", "xyy")).toEqual({ matched: true });
  expect(testPattern("constructor|__proto__", "__proto__")).toEqual({ matched: true });
});
