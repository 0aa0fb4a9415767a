import { expect, test } from "vitest";
import { checkKinds } from "./evaluate.ts";
import { isFor } from "./problems.ts";
import { checkSchema } from "./schema.ts";

/** One good check of each kind. */
const GOOD = [
  { type: "no_failures" },
  { type: "no_failure", kinds: ["loop"] },
  { type: "no_failure", signatures: ["loop:search"] },
  { type: "max_tool_calls", value: 0 },
  { type: "output_contains", value: "R-1" },
  { type: "output_equals", value: null },
  { type: "output_equals", value: { a: [1] } },
  { type: "output_matches", pattern: "R-\\d+" },
  { type: "output_matches", pattern: "^$" },
  { type: "output_schema", schema: { type: "string" } },
  { type: "tool_called", name: "refund" },
  { type: "tool_called", name: "refund", args: { id: 1 } },
  { type: "tool_not_called", name: "refund" },
];

function problem(check: unknown): string {
  const parsed = checkSchema.safeParse(check);
  if (parsed.success) return "none";
  return parsed.error.issues.map(({ path, message }) => `/${path.join("/")} ${message}`).join("; ");
}

test("every kind has a good check, and every good check is accepted", () => {
  const kinds = [...checkKinds().values()].filter((kind) => isFor(kind, "replay"));
  expect(new Set(GOOD.map(({ type }) => type))).toEqual(new Set(kinds.map(({ type }) => type)));
  for (const check of GOOD) expect(problem(check)).toBe("none");
});

test("every kind refuses a field that it does not know", () => {
  for (const check of GOOD) {
    expect(problem({ ...check, flags: "gy" })).not.toBe("none");
    expect(problem({ ...check, id: "one" })).not.toBe("none");
  }
});

test("an unknown check type is refused", () => {
  expect(problem({ type: "equalz", value: 1 })).toMatch(/^\/type /);
});

test("a check that always holds is refused: it asserts nothing", () => {
  const nothing = [
    { type: "output_contains", value: "" },
    { type: "output_contains", value: "  " },
    { type: "output_matches", pattern: ".*" },
    { type: "output_matches", pattern: "" },
    { type: "output_matches", pattern: "[\\s\\S]*" },
    { type: "output_matches", pattern: "x?" },
    { type: "output_schema", schema: {} },
    { type: "output_schema", schema: true },
    { type: "no_failure" },
    { type: "no_failure", kinds: [] },
  ];
  for (const check of nothing) expect(problem(check)).toMatch(/asserts nothing/);
});

test("a broken or endless pattern is refused with its place", () => {
  expect(problem({ type: "output_matches", pattern: "(" })).toMatch(/^\/pattern /);
  expect(problem({ type: "output_matches", pattern: "a".repeat(10_000) })).toMatch(/^\/pattern /);
});

test("a missing or wrong field is refused", () => {
  expect(problem({ type: "output_equals" })).toMatch(/^\/value /);
  expect(problem({ type: "max_tool_calls", value: -1 })).toMatch(/^\/value /);
  expect(problem({ type: "max_tool_calls", value: "3" })).toMatch(/^\/value /);
  expect(problem({ type: "tool_called", name: "" })).toMatch(/^\/name /);
});
