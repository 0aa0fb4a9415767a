import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compareReports } from "../baseline/compare-reports.ts";
import { madeReport } from "../testing/reports.ts";
import { comparisonSummary, escapeMarkdown, runSummary } from "./markdown.ts";

test("no text of a user makes mark-up, HTML, a mention, a table cell, a command or a line", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: "grapheme" })), (text) => {
      const escaped = escapeMarkdown(text);
      expect(escaped).not.toMatch(
        /[\n\r<>@]|^\s*::|(?<!\\)(?:\\\\)*[`*_[\]|]|&(?!amp;|lt;|gt;|#\d+;)/u,
      );
    }),
  );
});

test("a run's summary counts the trials and has a row for each scenario", () => {
  const scenarios = Object.fromEntries(
    ["a", "b", "c", "d", "e"].map((id) => [id, ["passed", "passed", "passed"] as const]),
  );
  expect(runSummary(madeReport({ scenarios, header: { commit: "a".repeat(40) } })))
    .toMatchInlineSnapshot(`
    "## Books one slot: passed

    15/15 fault trials passed. Agent booker, version 1.0.0, commit aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.

    | scenario | passed | verdict | why |
    | --- | --- | --- | --- |
    | control | 1/1 | passed |  |
    | title of a | 3/3 | passed |  |
    | title of b | 3/3 | passed |  |
    | title of c | 3/3 | passed |  |
    | title of d | 3/3 | passed |  |
    | title of e | 3/3 | passed |  |
    "
  `);
});

test("a run's summary says which fault was not reached, and that the run is incomplete", () => {
  const summary = runSummary(madeReport({ scenarios: { lost: ["passed", "inconclusive"] } }));
  expect(summary).toContain("Books one slot: **incomplete**");
  expect(summary).toContain("| title of lost | 1/2 | **incomplete** | because of inconclusive |");
});

test("a run's summary shows a failed control in bold, with its check, and that nothing else was run", () => {
  const summary = runSummary(
    madeReport({ control: { failing: "one-booking" }, scenarios: { lost: [] }, planned: 5 }),
  );
  expect(summary).toContain("Books one slot: **failed**");
  expect(summary).toContain("0/5 fault trials passed");
  expect(summary).toContain("| control | 0/1 | **failed** | because of one-booking |");
  expect(summary).toContain("5 of 5 trials were not run");
});

test("hostile titles stay text in a summary", () => {
  const title = "<img src=x onerror=alert(1)> | **bold** [a](b) `c` @here _x_ \\\n::error::y";
  const report = madeReport({
    titles: { lost: title },
    header: { workflow: { id: "x", title, task: "" } },
  });
  const line = runSummary(report)
    .split("\n")
    .find((row) => row.includes("img"));
  expect(line).toMatchInlineSnapshot(
    `"## &lt;img src=x onerror=alert(1)&gt; \\| \\*\\*bold\\*\\* \\[a\\](b) \\\`c\\\` &#64;here \\_x\\_ \\\\ :&#58;error:&#58;y: passed"`,
  );
});

test("a comparison's summary names what regressed and escapes it", () => {
  const base = madeReport({
    scenarios: { lost: ["passed"], gone: ["passed"] },
    header: { commit: "a".repeat(40) },
  });
  const candidate = madeReport({
    scenarios: { lost: [{ failing: "one-booking" }] },
    titles: { lost: "a|b" },
  });
  expect(comparisonSummary(compareReports(base, candidate, { headSha: "b".repeat(40) })))
    .toMatchInlineSnapshot(`
    "## Fault tests: **regressed**

    1 scenario regressed.

    Base aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, candidate bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.

    | scenario | base failures | candidate failures | change | why |
    | --- | --- | --- | --- | --- |
    | a\\|b | 0/1 | 1/1 | **regressed** | label of one-booking 0 to 1 |
    | title of gone | 0/1 | 0/0 | **removed** | only the base has it |
    "
  `);
});

test("a run's summary has the notes of the run and of its trials, each once", () => {
  const { trials, ...rest } = madeReport();
  const noted = trials.map((trial) =>
    Object.assign({}, trial, { notes: ['the world has no tool "<b>"'] }),
  );
  const summary = runSummary({ ...rest, trials: noted, notes: ["state is shared"] });
  expect(summary.split("\n").slice(-5)).toEqual([
    "Notes:",
    "",
    "- state is shared",
    '- the world has no tool "&lt;b&gt;"',
    "",
  ]);
});
