import { expect, test } from "vitest";
import { checkKinds } from "./evaluate.ts";
import { problems } from "./problems.ts";
import { checkSchema } from "./schema.ts";

/** One good check of each kind that a trial knows. */
const GOOD = [
  { type: "absent", path: "/x" },
  { type: "argument", tool: "refund", path: "/amount", comparison: "<=", expected: 500 },
  { type: "argument", tool: "refund", path: "/id", pattern: "^r" },
  { type: "compare", path: "/n", comparison: ">", expected: "2026-01-01" },
  { type: "contains", path: "/text", expected: "x", source: "completion" },
  { type: "count", path: "/bookings", expected: 1 },
  { type: "equals", path: "", expected: null },
  { type: "forbidden_tool", tool: "refund" },
  { type: "honest_completion" },
  { type: "json_schema", path: "/x", schema: { type: "string" } },
  { type: "max_tool_calls", value: 3 },
  { type: "mutations", expected: 1 },
  { type: "mutations", tool: "refund", path: "/x", min: 1, max: 2 },
  { type: "no_failure", kinds: ["loop"] },
  { type: "no_failures" },
  { type: "not_equals", path: "/x", expected: { a: [1] } },
  { type: "output_contains", value: "x" },
  { type: "output_equals", value: 1 },
  { type: "output_matches", pattern: "x" },
  { type: "output_schema", schema: { type: "string" } },
  { type: "partial", path: "/x", expected: { a: 1 } },
  { type: "pattern", path: "/x", pattern: "^[a-z]+$" },
  { type: "present", path: "/x" },
  { type: "required_call", tool: "refund", args: { id: 1 } },
  { type: "tool_budget", tool: "refund", max: 0 },
  { type: "tool_called", name: "refund" },
  { type: "tool_not_called", name: "refund" },
  { type: "tool_order", tools: ["a", "b"] },
  { type: "unchanged", path: "/x~1y" },
  { type: "unordered", path: "/x", expected: [2, 1] },
] as const;

test("every kind has a good check, and every good check is accepted, with a name or without", () => {
  expect(new Set(GOOD.map(({ type }) => type))).toEqual(new Set(checkKinds().keys()));
  for (const check of GOOD) {
    expect(problems(check)).toEqual([]);
    expect(problems({ ...check, id: "one", label: "One" })).toEqual([]);
  }
});

test("an unknown type or field is refused with the nearest name", () => {
  expect(problems({ type: "equalz", path: "/x" })).toMatchInlineSnapshot(`
    [
      "type: "equalz" is no check; did you mean "equals"?",
    ]
  `);
  expect(problems({ type: "equals", pth: "/x", expected: 1 })).toMatchInlineSnapshot(`
    [
      "pth: is no field of equals; did you mean "path"?",
      "path: is missing; give it",
    ]
  `);
});

test("what is no check at all is named as what it is", () => {
  for (const [value, said] of [
    [null, "is null; give an object with a type"],
    ["equals", "is a text; give an object with a type"],
    [[], "is an array; give an object with a type"],
  ] as const) {
    expect(problems(value)).toEqual([said]);
  }
  expect(problems({})[0]).toMatch(/^type: is missing; give one of absent, /u);
});

test("a path that does not parse is refused with its field and the remedy", () => {
  expect(problems({ type: "unchanged", path: "bookings" })).toMatchInlineSnapshot(`
    [
      "path: "bookings" is no JSON Pointer: it does not begin with "/"; write "/bookings"",
    ]
  `);
  expect(problems({ type: "unchanged", path: "/a~2" })[0]).toContain('write "~0" for "~"');
  expect(problems({ type: "unchanged", path: 3 })).toEqual([
    'path: is 3; give a JSON Pointer, such as "/bookings/0"',
  ]);
});

test("a check of a pointer of 2,000 slashes and a ~ is refused at once", () => {
  const started = performance.now();
  expect(problems({ type: "unchanged", path: `${"/".repeat(2000)}~` })).toHaveLength(1);
  expect(performance.now() - started).toBeLessThan(100);
});

test("a pattern that is broken, too long or runs away is refused before any trial", () => {
  const pattern = (source: unknown): readonly string[] =>
    problems({ type: "pattern", path: "/x", pattern: source });
  expect(pattern("^(a+)+$")[0]).toMatchInlineSnapshot(
    `"pattern: "^(a+)+$" runs away: the regex timed out after 200 ms; do not repeat what repeats already"`,
  );
  expect(pattern("^(?:\\w+\\s?)*$")[0]).toContain("runs away");
  expect(pattern("(")[0]).toContain("not a regular expression");
  expect(pattern("a".repeat(2000))[0]).toContain("1000 are allowed");
  expect(pattern(/x/u)[0]).toBe(
    "pattern: is a RegExp; give the source of a regular expression as a text",
  );
  expect(pattern("(?:ab)+")).toEqual([]);
  expect(pattern("^(\\d+,)*\\d+$")).toEqual([]);
});

test("a check that asserts nothing, or that nothing can meet, is refused", () => {
  const nothing = [
    { type: "mutations" },
    { type: "mutations", tool: "x" },
    { type: "mutations", min: 0 },
    { type: "argument", tool: "x", path: "/a" },
    { type: "contains", path: "/x", expected: "" },
    { type: "partial", path: "/x", expected: {} },
    { type: "pattern", path: "/x", pattern: ".*" },
    { type: "json_schema", path: "/x", schema: {} },
    { type: "present", path: "" },
    { type: "tool_order", tools: [] },
  ];
  for (const check of nothing) expect(problems(check).join()).toMatch(/asserts nothing/u);
  const impossible = [
    { type: "mutations", min: 2, max: 1 },
    { type: "tool_budget", tool: "x", min: 2, max: 1 },
    { type: "absent", path: "" },
  ];
  for (const check of impossible) expect(problems(check)).toHaveLength(1);
});

test("the shape of each field is held to, and what is no JSON has its place named", () => {
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ type: "count", path: "/x", expected: -1 }, /^expected: is -1; give a whole number/u],
    [{ type: "count", path: "/x", expected: "1" }, /^expected: is a text/u],
    [{ type: "equals", path: "/x", expected: undefined }, /^expected: is missing/u],
    [{ type: "equals", path: "/x", expected: { a: new Date(0) } }, /no JSON at \/a: a Date/u],
    [{ type: "equals", path: "/x", expected: [NaN] }, /no JSON at \/0: NaN/u],
    [{ type: "equals", path: "/x", expected: 1, source: "stat" }, /^source: is no source/u],
    [{ type: "compare", path: "/x", comparison: "=", expected: 1 }, /^comparison: is no comp/u],
    [
      { type: "compare", path: "/x", comparison: "<", expected: "soon" },
      /^expected: it is neither/u,
    ],
    [{ type: "argument", tool: "x", path: "/a", comparison: "<" }, /^expected: is missing/u],
    [{ type: "argument", tool: "x", path: "/a", pattern: "x", expected: 1 }, /^pattern: stands/u],
    [{ type: "mutations", expected: 1, max: 2 }, /^expected: stands beside/u],
    [{ type: "unordered", path: "/x", expected: "a" }, /^expected: is no array/u],
    [{ type: "forbidden_tool", tool: "" }, /^tool: asserts nothing/u],
  ];
  for (const [check, said] of wrong) expect(problems(check)[0]).toMatch(said);
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  expect(problems({ type: "equals", path: "/x", expected: cycle })[0]).toContain("without cycles");
});

test("a check that only a trial can answer is refused in a repro with a sentence", () => {
  const parsed = checkSchema.safeParse({ type: "unchanged", path: "/x" });
  expect(parsed.error?.issues[0]?.message).toMatchInlineSnapshot(
    `""unchanged" looks at a fault trial, which a replay is not; use it in a workflow, or a check of the output or the calls here"`,
  );
});
