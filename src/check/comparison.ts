import type { Json } from "../shared/json.ts";
import { momentOf } from "./moment.ts";

type Test = (a: number, b: number) => boolean;

const TESTS: ReadonlyMap<string, { readonly test: Test; readonly words: string }> = new Map([
  ["<", { test: (a, b) => a < b, words: "less than" }],
  ["<=", { test: (a, b) => a <= b, words: "at most" }],
  [">", { test: (a, b) => a > b, words: "more than" }],
  [">=", { test: (a, b) => a >= b, words: "at least" }],
  ["!=", { test: (a, b) => a !== b, words: "another value than" }],
]);

/** Every comparison, as a check writes it. */
export const COMPARISONS: readonly string[] = [...TESTS.keys()];

/** A comparison in words: "at most". */
export function wordsOf(comparison: string): string {
  return TESTS.get(comparison)?.words ?? comparison;
}

/** Whether a comparison holds; undefined when the two cannot be compared. Numbers with numbers, ISO dates with ISO dates. */
export function holds(
  left: Json | undefined,
  comparison: string,
  right: Json | undefined,
): boolean | undefined {
  const test = TESTS.get(comparison)?.test;
  if (test === undefined) throw new TypeError(`"${comparison}" is no comparison`);
  if (typeof left === "number" && typeof right === "number") return test(left, right);
  if (typeof left !== "string" || typeof right !== "string") return undefined;
  const [first, second] = [momentOf(left), momentOf(right)];
  return first === undefined || second === undefined ? undefined : test(first, second);
}

/** What is wrong with the right side of a comparison, and what to do. */
export function boundProblem(expected: Json | undefined): string | undefined {
  if (typeof expected === "number") return undefined;
  if (typeof expected === "string" && momentOf(expected) !== undefined) return undefined;
  return 'it is neither a number nor an ISO date; give one, such as 500 or "2026-01-31T10:00:00Z"';
}
