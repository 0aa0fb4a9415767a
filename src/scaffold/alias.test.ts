import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hostileText } from "../testing/hostile.ts";
import { aliasesOf } from "./alias.ts";

const name = fc.oneof(
  hostileText(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("a.b", "a b", "a_b", "a_b_2", "__proto__", "then", "", "constructor", "7up"),
);

test("every name gets an identifier of its own, in any order of the names, and no text can be more than that", () => {
  fc.assert(
    fc.property(fc.array(name, { maxLength: 12 }), (names) => {
      const aliases = aliasesOf(names);
      expect([...aliases.keys()]).toEqual([...new Set(names)]);
      expect(new Set(aliases.values()).size).toBe(aliases.size);
      for (const alias of aliases.values()) {
        expect(alias).toMatch(/^[A-Za-z][A-Za-z0-9_]{0,45}$/);
        expect(alias in {}).toBe(false);
      }
    }),
    { numRuns: 500 },
  );
});

test("a plain name is its own alias, whatever else would become it", () => {
  const names = ["search orders", "search_orders", "Größe", "7up", "日本", "then"];
  expect([...aliasesOf(names).values()]).toEqual([
    "search_orders_2",
    "search_orders",
    "Gro_e",
    "tool_7up",
    "tool",
    "tool_then",
  ]);
});

test("a name of ten thousand characters, and thousands of equal ones, are quick", () => {
  const names = Array.from({ length: 3000 }, (_, n) => `${"n".repeat(10_000)} ${n}`);
  expect(new Set(aliasesOf(names).values()).size).toBe(3000);
});
