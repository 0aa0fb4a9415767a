import { mkdtempSync, readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { TwiceshyError } from "../shared/error.ts";
import { BASELINE_VERSION, baselineFileSchema, type BaselineFile } from "./baseline.ts";
import { baselineText, emptyBaseline, parseBaseline, readBaseline, writeBaseline } from "./file.ts";

const BASELINE: BaselineFile = {
  formatVersion: BASELINE_VERSION,
  agent: "support-bot",
  entries: {
    "77aa0001": { verdict: "still_fails", hash: "aa", signatures: ["loop:search"], note: "known" },
    "3f2a91c4": { verdict: "passes", hash: "bb" },
  },
};

function folder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "twiceshy-baseline-")));
}

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (thrown) {
    if (TwiceshyError.is(thrown)) return `${thrown.code} ${thrown.message}`;
  }
  return "nothing";
}

test("a written baseline reads back equal, sorted, with either line end", () => {
  const path = join(folder(), "support-bot.baseline.json");
  writeBaseline(path, BASELINE);
  const text = readFileSync(path, "utf8");
  expect(text.indexOf("3f2a91c4")).toBeLessThan(text.indexOf("77aa0001"));
  expect(readBaseline(path)).toEqual(BASELINE);
  writeFileSync(path, text.replaceAll("\n", "\r\n"));
  expect(readBaseline(path)).toEqual(BASELINE);
  const before = statSync(path).mtimeMs;
  writeBaseline(path, BASELINE);
  expect(statSync(path).mtimeMs).toBe(before);
  expect(readFileSync(path, "utf8")).toContain("\r\n");
});

test("a missing baseline is none, an empty one has no entries", () => {
  expect(readBaseline(join(folder(), "none.json"))).toBeUndefined();
  expect(parseBaseline(baselineText(emptyBaseline("a")), "p").entries).toEqual({});
});

test("merge-conflict markers are named with their line", () => {
  const text = baselineText(BASELINE).replace('  "entries"', '<<<<<<< HEAD\n  "entries"');
  expect(codeOf(() => parseBaseline(text, "a.baseline.json"))).toMatchInlineSnapshot(
    `"E_BASELINE_CONFLICT Failed to read the baseline a.baseline.json: line 3 is a merge-conflict marker (<<<<<<< HEAD). Keep the wanted entry of each side; what is missing is written again by a local run."`,
  );
});

test("half a JSON file is named, never taken for an empty baseline", () => {
  const text = baselineText(BASELINE);
  expect(codeOf(() => parseBaseline(text.slice(0, 60), "a.baseline.json"))).toMatchInlineSnapshot(
    `"E_BASELINE_JSON Failed to read the baseline a.baseline.json: it is no JSON: line 4: Expected property name or '}'. Correct that place, or restore the file from version control."`,
  );
  expect(codeOf(() => parseBaseline("", "a.baseline.json"))).toContain("E_BASELINE_JSON");
});

test("a newer version is refused with both versions", () => {
  const text = baselineText({ ...BASELINE, formatVersion: 99 as never });
  expect(codeOf(() => parseBaseline(text, "a.baseline.json"))).toMatchInlineSnapshot(
    `"E_BASELINE_VERSION Failed to read the baseline a.baseline.json: its formatVersion is 99, this package reads version 1. Install the newer twiceshy that wrote it."`,
  );
});

test("a baseline is parsed, never evaluated", () => {
  expect(codeOf(() => parseBaseline("module.exports = { entries: {} }", "p"))).toContain(
    "E_BASELINE_JSON",
  );
});

test("the reader accepts exactly what the schema accepts", () => {
  const near = fc.oneof(
    fc.constantFrom<unknown>("passes", "h", 1, null, ["s"], ["s", 1], {}),
    fc.jsonValue(),
  );
  const entry = fc.record(
    { verdict: near, hash: near, signatures: near, note: near, other: near },
    { requiredKeys: [] },
  );
  const good = fc.record(
    {
      verdict: fc.constantFrom("passes", "still_fails"),
      hash: fc.string(),
      signatures: fc.array(fc.string()),
      note: fc.string(),
    },
    { requiredKeys: ["verdict", "hash"] },
  );
  const file = fc.record(
    {
      formatVersion: fc.constantFrom<unknown>(1, 1, 1, 2, "1"),
      agent: fc.constantFrom<unknown>("a", "a", "a", 1),
      entries: fc.oneof(fc.dictionary(fc.string(), fc.oneof(good, entry)), fc.jsonValue()),
      other: fc.constant(1),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(
      fc.oneof(
        file,
        fc.record({
          formatVersion: fc.constant(1),
          agent: fc.string(),
          entries: fc.dictionary(fc.string(), good),
        }),
      ),
      (value) => {
        const text = JSON.stringify(value);
        const accepted = codeOf(() => parseBaseline(text, "p")) === "nothing";
        expect(accepted).toBe(baselineFileSchema.safeParse(JSON.parse(text)).success);
      },
    ),
    { numRuns: 500 },
  );
});
