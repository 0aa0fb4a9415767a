import * as fc from "fast-check";
import { expect, test } from "vitest";
import { validateSchema } from "../shared/json-schema.ts";
import { anyJson } from "../testing/traces.ts";
import { inferSchema } from "./infer-schema.ts";

test("every value meets the schema that it was seen for, whatever its members are called", () => {
  fc.assert(
    fc.property(fc.array(anyJson(), { minLength: 1, maxLength: 5 }), (values) => {
      const schema = inferSchema(values);
      expect(values.flatMap((value) => validateSchema(schema, value))).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test("the order of the values changes nothing", () => {
  fc.assert(
    fc.property(fc.array(anyJson(), { maxLength: 5 }), (values) => {
      expect(inferSchema(values.toReversed())).toEqual(inferSchema(values));
    }),
  );
});

test("whole numbers and others are numbers; what JSON cannot hold, and an object of very many members, may be anything", () => {
  expect(inferSchema([1, 2.5])).toEqual({ type: "number" });
  expect(inferSchema([{ at: { $t: "date", v: "2026-01-01T00:00:00.000Z" } }])).toEqual({
    type: "object",
    properties: { at: {} },
    required: ["at"],
  });
  const rows = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`row_${n}`, n]));
  expect(inferSchema([rows])).toEqual({ type: "object" });
  expect(inferSchema([])).toEqual({});
});

test("half a million items are looked at in the time that they take", () => {
  const items = Array.from({ length: 500_000 }, (_, n) => ({ n }));
  expect(inferSchema([{ items }])).toMatchObject({
    properties: { items: { items: { properties: { n: { type: "integer" } } } } },
  });
});
