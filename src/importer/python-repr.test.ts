import * as fc from "fast-check";
import { expect, test } from "vitest";
import { anyJson } from "../testing/traces.ts";
import type { Json } from "../shared/json.ts";
import { looksPython, pythonValue } from "./python-repr.ts";

/** A value as Python writes it. */
function written(value: Json): string {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value === "string")
    return `'${value.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  if (typeof value === "number") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => written(item)).join(", ")}]`;
  return `{${Object.entries(value)
    .map(([key, item]) => `${written(key)}: ${written(item)}`)
    .join(", ")}}`;
}

test("a value that Python wrote is read back, and cut anywhere it is none", () => {
  fc.assert(
    fc.property(anyJson(), (value) => {
      const text = written(value);
      // JSON has no -0.
      expect(pythonValue(text)).toEqual(JSON.parse(JSON.stringify(value)));
      const cut =
        typeof value === "object" && value !== null ? pythonValue(text.slice(0, -1)) : undefined;
      expect(cut).toBeUndefined();
    }),
  );
});

test("any text is a value or none, and never an error", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...Array.from("{}[]()'\",:\\ux0 TrueNon1e-.")) }),
      (text) => {
        const value = pythonValue(text);
        expect(value === undefined || JSON.stringify(value) !== undefined).toBe(true);
        expect(typeof looksPython(text)).toBe("boolean");
      },
    ),
  );
});

test.each<[string, Json | undefined]>([
  ["{'a': (1, 2), \"b\": {'c'}}", { a: [1, 2], b: ["c"] }],
  ["{1: None, None: 'x',}", { "1": null, null: "x" }],
  [String.raw`'\x41\u00e9\U0001F600\n\'\q'`, "Aé😀\n'\\q"],
  ["[12345678901234567890]", [{ $t: "bigint", v: "12345678901234567890" }]],
  ["{'__proto__': 1}", JSON.parse('{"__proto__": 1}') as Json],
  ["[datetime.datetime(2024, 1, 1)]", undefined],
  ["['a', ...]", undefined],
  ["'a' 'b'", undefined],
])("the text %j is read as it means", (text, value) => {
  expect(pythonValue(text)).toEqual(value);
});

test("a text that nests too deeply is none", () => {
  expect(pythonValue("[".repeat(100_000))).toBeUndefined();
});
