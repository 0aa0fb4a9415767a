import { expect, test } from "vitest";
import { baseline, BASELINE, entriesIn } from "../../plugin-vitest/e2e/desk.ts";

import {
  after,
  before,
  isPending,
  ROWS,
  titleOf,
  type Row,
} from "../../plugin-vitest/e2e/table.ts";
import { config, desk } from "./desk.ts";
import type { JestOutcome, JestProject } from "./project.ts";

function colours(outcome: JestOutcome): Record<string, string> {
  const tests = outcome.json.testResults.flatMap((file) => file.assertionResults);
  return Object.fromEntries(
    tests.map((one) => [one.title, one.status === "passed" ? "green" : "red"]),
  );
}

/** One project for all runs of the table; each run starts from the same files. */
async function runTable(
  p: JestProject,
  cellOf: (row: Row) => string,
  how: { args?: string[]; env?: Record<string, string>; options?: string },
): Promise<JestOutcome> {
  p.write({ "jest.config.js": config(how.options), [BASELINE]: baseline(before()) });
  const outcome = await p.run(...(how.args ?? []), how.env ?? {});
  expect(colours(outcome)).toEqual(
    Object.fromEntries(ROWS.map((row) => [titleOf(row), cellOf(row).split(" ")[0]])),
  );
  const entries = Object.fromEntries(
    ROWS.flatMap((row) => {
      const entry = after(row, cellOf(row));
      return entry === undefined ? [] : [[row.repro.id, entry]];
    }),
  );
  expect(entriesIn(p.read(BASELINE))).toEqual(entries);
  return outcome;
}

test("the table holds in a local run", async () => {
  const p = desk(ROWS.map(({ repro }) => repro));
  const outcome = await runTable(p, ({ cells }) => cells[0] ?? "", {});
  expect(outcome.code).toBe(1);
});

test("the table holds in CI, where nothing is written even with -u", async () => {
  const p = desk(ROWS.map(({ repro }) => repro));
  const cellOf = (row: Row): string => row.cells[isPending(row) ? 2 : 1] ?? "";
  const outcome = await runTable(p, cellOf, { env: { CI: "true" } });
  expect(outcome.output).toContain("improved");
  const text = p.read(BASELINE);
  await runTable(p, cellOf, { env: { CI: "true" }, args: ["-u"] });
  expect(p.read(BASELINE)).toBe(text);
});

test("the table holds with -u, and a fall from passes needs one word more", async () => {
  const p = desk(ROWS.map(({ repro }) => repro));
  await runTable(p, ({ cells }) => cells[3] ?? "", { args: ["-u"] });
  const all = await runTable(p, ({ cells }) => cells[4] ?? "", {
    args: ["-u"],
    env: { TWICESHY_ACCEPT_REGRESSIONS: "1" },
  });
  expect(all.code).toBe(0);
});

test('gate "any" makes every verdict but passes red, and "none" none', async () => {
  const p = desk(ROWS.map(({ repro }) => repro));
  const written = ({ cells }: Row): string =>
    cells[0]?.endsWith("written") === true ? " written" : "";
  await runTable(
    p,
    (row) => `${row.now === "ok" && row.entry !== "changed" ? "green" : "red"}${written(row)}`,
    { options: 'gate: "any"' },
  );
  const none = await runTable(p, (row) => `green${written(row)}`, { options: 'gate: "none"' });
  expect(none.code).toBe(0);
});
