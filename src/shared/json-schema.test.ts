import * as fc from "fast-check";
import { expect, test } from "vitest";
import { validateSchema } from "./json-schema.ts";

test("no schema and no value makes it throw", () => {
  const keyword = fc.constantFrom(
    "type",
    "properties",
    "items",
    "$ref",
    "pattern",
    "enum",
    "allOf",
    "$id",
    "$schema",
    "x",
  );
  fc.assert(
    fc.property(
      fc.oneof(fc.jsonValue(), fc.dictionary(keyword, fc.jsonValue())),
      fc.jsonValue(),
      (schema, value) => {
        expect(Array.isArray(validateSchema(schema as never, value as never))).toBe(true);
      },
    ),
    { numRuns: 150 },
  );
});

const refund = {
  type: "object",
  properties: {
    id: { type: "string", pattern: "^A-\\d+$" },
    amount: { type: "number", minimum: 0 },
  },
  required: ["id", "amount"],
  additionalProperties: false,
};

test("a valid value has no problems", () => {
  expect(validateSchema(refund, { id: "A-1", amount: 2 })).toEqual([]);
});

test("problems name their place, sorted", () => {
  expect(validateSchema(refund, { id: "B", amount: -1, note: "x" })).toMatchInlineSnapshot(`
    [
      "/amount must be >= 0",
      "/id must match pattern "^A-\\d+$"",
      "the value must NOT have additional properties: note",
    ]
  `);
  expect(validateSchema(refund, {})).toMatchInlineSnapshot(`
    [
      "the value must have required property 'amount'",
      "the value must have required property 'id'",
    ]
  `);
  expect(validateSchema({ enum: ["open", "closed"] }, "lost")).toMatchInlineSnapshot(`
    [
      "the value must be equal to one of the allowed values: ["open","closed"]",
    ]
  `);
});

test("many problems are cut and counted", () => {
  const problems = validateSchema(
    { items: { type: "string" } },
    Array.from({ length: 100 }, (_, i) => i),
  );
  expect(problems).toHaveLength(21);
  expect(problems.at(-1)).toBe("and 80 more problems");
});

test("a schema that cannot be used is one problem that says so", () => {
  for (const schema of [
    { type: "nothing" },
    { $ref: "https://example.com/s.json" },
    [],
    null,
    "x",
    { pattern: "(" },
  ]) {
    const problems = validateSchema(schema, "x");
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^the schema cannot be used: /u);
  }
});

test("a catastrophic pattern in a schema ends as a problem", () => {
  expect(validateSchema({ type: "string", pattern: "^(a+)+$" }, `${"a".repeat(50_000)}!`)).toEqual([
    'the schema cannot be used: in "pattern": the regex timed out after 200 ms',
  ]);
});

test("draft 7 tuples and 2020-12 tuples are both checked", () => {
  expect(validateSchema({ items: [{ type: "string" }, { type: "number" }] }, ["a", "b"])).toEqual([
    "/1 must be number",
  ]);
  expect(
    validateSchema({ prefixItems: [{ type: "string" }, { type: "number" }] }, ["a", "b"]),
  ).toEqual(["/1 must be number"]);
});

test("the dialects that $schema names are used", () => {
  for (const $schema of [
    "http://json-schema.org/draft-07/schema#",
    "http://json-schema.org/draft-06/schema#",
    "https://json-schema.org/draft/2020-12/schema",
  ]) {
    expect(validateSchema({ $schema, type: "string" }, 1)).toEqual(["the value must be string"]);
  }
  expect(validateSchema({ $schema: "http://json-schema.org/draft-04/schema#" }, 1)[0]).toMatch(
    /cannot be used/u,
  );
});

test("two schemas with one $id do not disturb each other", () => {
  expect(validateSchema({ $id: "s", type: "string" }, 1)).toHaveLength(1);
  expect(validateSchema({ $id: "s", type: "number" }, 1)).toHaveLength(0);
});

test("true accepts everything and false nothing", () => {
  expect(validateSchema(true, 1)).toEqual([]);
  expect(validateSchema(false, 1)).toHaveLength(1);
});

test("exact integers are integers, and undefined members are missing", () => {
  const value = { id: { $t: "bigint", v: "9007199254740993" }, note: { $t: "undefined" } };
  expect(
    validateSchema({ properties: { id: { type: "integer" } }, additionalProperties: false }, value),
  ).toEqual([]);
});

test("an own __proto__ member is seen by a schema", () => {
  const value = JSON.parse('{"__proto__":1}') as never;
  expect(validateSchema({ additionalProperties: false }, value)).toHaveLength(1);
});

test("members that a value only inherits are none of it", () => {
  const schema = { type: "object", properties: { toString: { type: "null" } } };
  expect(validateSchema(schema, {})).toEqual([]);
  expect(validateSchema({ ...schema, required: ["toString"] }, {})).toHaveLength(1);
  expect(validateSchema(schema, { toString: 1 })).toHaveLength(1);
});
