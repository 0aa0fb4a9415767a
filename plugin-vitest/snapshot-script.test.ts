import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseScript, scriptLine } from "./snapshot-script.ts";

const HEADER = "// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html";

/** What Vitest 4 itself does with the text. */
function evaluated(script: string): Record<string, string> {
  const exports = Object.create(null) as Record<string, string>;
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- the reference to compare with
  new Function("exports", script)(exports);
  return exports;
}

const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom("`", "\\", "$", "{", "}", "\n", ";", "'", "\u2028", "="),
    fc.string({ minLength: 1, maxLength: 2 }),
  ),
});

test("any keys and values that are written as a script are read back without evaluating them", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(text, text), { selector: ([key]) => key }), (pairs) => {
      const script = `${HEADER}\n\n${pairs.map(([key, value]) => scriptLine(key, value)).join("\n\n")}\n`;
      expect(parseScript(script, "a.snap").map(({ key, value }) => [key, value])).toEqual(pairs);
    }),
  );
});

test("evaluating a script as Vitest 4 does gives the same values", () => {
  fc.assert(
    fc.property(text, text, (key, value) => {
      expect(evaluated(scriptLine(key, value))[key]).toBe(
        value.replaceAll("\r\n", "\n").replaceAll("\r", "\n"),
      );
    }),
  );
});

test("a template expression in a value stays text", () => {
  expect(evaluated(scriptLine("a", "${globalThis.canary = 1}"))["a"]).toBe(
    "${globalThis.canary = 1}",
  );
  expect(globalThis).not.toHaveProperty("canary");
});

test("an empty file has no entries", () => {
  expect(parseScript("", "a.snap")).toEqual([]);
  expect(parseScript(`${HEADER}\n`, "a.snap")).toEqual([]);
});

test("code in place of an entry is refused, not run", () => {
  expect(() =>
    parseScript(`${HEADER}\n\nglobalThis.canary = 1;\n`, "a.snap"),
  ).toThrowErrorMatchingInlineSnapshot(
    `[TwiceshyError [E_SNAPSHOT_FORMAT]: Failed to read the snapshots for a.snap: the runner wrote them in a form that is not known here. Use a version of vitest that package.json of twiceshy names as its peer.]`,
  );
  expect(() => parseScript(`${scriptLine("a", "b")}\nprocess.exit(1)`, "a.snap")).toThrow(
    "Failed to read",
  );
});
