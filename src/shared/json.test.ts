import * as fc from "fast-check";
import { expect, test } from "vitest";
import { byCodeUnit, canonical, fileText, type Json } from "./json.ts";

test("the text of a file is the value again, whatever it holds", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
      // JSON knows no -0.
      const json = JSON.parse(JSON.stringify(value)) as Json;
      expect(JSON.parse(fileText(json))).toEqual(json);
    }),
  );
});

test("the text of a file holds no character that hides or reorders others", () => {
  const text = fileText({ "a\u202e": "x\u2066y\u200b\u0085\u2028\ufeff\u{e0041}" });
  expect(text).toBe('{\n  "a\\u202e": "x\\u2066y\\u200b\\u0085\\u2028\\ufeff\\udb40\\udc41"\n}\n');
});

test("letters, emoji and the joiners that scripts need stay readable in a file", () => {
  const text = "Zoë, 東京, می‌خواهم, 👩‍💻";
  expect(fileText(text)).toBe(`"${text}"\n`);
});

/** The definition: keys by code unit, strings in NFC. */
function defined(value: Json | undefined): string {
  if (typeof value === "string") return JSON.stringify(value.normalize("NFC"));
  if (Array.isArray(value)) return `[${value.map((item) => defined(item)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const keys = Object.keys(value).sort(byCodeUnit);
  return `{${keys.map((key) => `${defined(key)}:${defined(value[key])}`).join(",")}}`;
}

test("canonical text is what its definition says, for keys and letters of every sort", () => {
  const key = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("10", "9", "b", "a", "toJSON"),
  );
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(fc.string({ unit: "binary" }), fc.double({ noNaN: true }), fc.constant(null)),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(key, tie("value"), { maxKeys: 4 }),
    ) as fc.Arbitrary<Json>,
  }));
  fc.assert(
    fc.property(value, (json) => {
      expect(canonical(json)).toBe(defined(json));
    }),
  );
  expect(canonical({ e: "e\u0301", "\u007f": [undefined as unknown as Json, -0] })).toBe(
    '{"e":"\u00e9","\u007f":[null,0]}',
  );
});
