import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fileText, type Json } from "./json.ts";

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
