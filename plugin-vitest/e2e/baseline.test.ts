import { expect, test } from "vitest";
import type { BaselineEntry } from "../../src/baseline/baseline.ts";
import type { Repro } from "../../src/repro/repro.ts";
import { accepted, baseline, BASELINE, config, desk, entriesIn, reproFor } from "./desk.ts";
import type { Outcome, Project } from "./project.ts";

const STATUSES = ["confirmed", "pending"] as const;
const NOW = ["ok", "same", "other", "miss"] as const;
type Now = (typeof NOW)[number];

const VERDICT = {
  ok: "passes",
  same: "still_fails",
  other: "fails_differently",
  miss: "unreplayable",
} as const;
const SIGNATURES: Record<Now, string[]> = {
  ok: [],
  same: ["tool_error:refund", "unsupported_claim:refund"],
  other: ["exception:TypeError"],
  miss: [],
};

/** What stands in the baseline before each run. */
const ENTRY: Record<string, (repro: Repro) => BaselineEntry | undefined> = {
  none: () => undefined,
  passes: (repro) => accepted(repro, "passes"),
  same: (repro) =>
    accepted(repro, "still_fails", { signatures: SIGNATURES.same, note: "ticket 7" }),
  other: (repro) => accepted(repro, "fails_differently", { signatures: SIGNATURES.other }),
  changed: (repro) => ({ ...accepted(repro, "passes"), hash: "0000000000000000" }),
};

/**
 * The table "When a repro's test is red". Columns: entry, verdict now, then a local run, a CI run of a confirmed and of a
 * pending repro, `-u`, `-u` with `--accept-regressions`.
 */
const TABLE: readonly (readonly [string, Now, string, string, string, string, string])[] = [
  // entry     now      local           CI       CI pending  -u       -u accept
  ["none", "ok", "green written", "green", "green", "green written", "green written"],
  ["none", "same", "red", "red", "green", "green written", "green written"],
  ["none", "other", "red", "red", "green", "green written", "green written"],
  ["none", "miss", "red", "red", "green", "green written", "green written"],
  ["passes", "ok", "green", "green", "green", "green", "green"],
  ["passes", "same", "red", "red", "green", "red", "green written"],
  ["passes", "other", "red", "red", "green", "red", "green written"],
  ["passes", "miss", "red", "red", "green", "red", "green written"],
  ["same", "ok", "green written", "green", "green", "green written", "green written"],
  ["same", "same", "green", "green", "green", "green", "green"],
  ["same", "other", "red", "red", "green", "green written", "green written"],
  ["same", "miss", "red", "red", "green", "green written", "green written"],
  ["other", "ok", "green written", "green", "green", "green written", "green written"],
  ["other", "same", "red", "red", "green", "green written", "green written"],
  ["other", "other", "green", "green", "green", "green", "green"],
  ["other", "miss", "red", "red", "green", "green written", "green written"],
  ["changed", "ok", "red", "red", "red", "green written", "green written"],
  ["changed", "same", "red", "red", "red", "red", "green written"],
  ["changed", "other", "red", "red", "red", "red", "green written"],
  ["changed", "miss", "red", "red", "red", "red", "green written"],
];

interface Row {
  readonly repro: Repro;
  readonly entry: string;
  readonly now: Now;
  readonly cells: readonly string[];
}

const ROWS: readonly Row[] = STATUSES.flatMap((status) =>
  TABLE.map(([entry, now, ...cells]) => ({
    repro: reproFor(`${status}-${entry}-${now} ${now}`, status),
    entry,
    now,
    cells,
  })),
);

function before(): Record<string, BaselineEntry> {
  return Object.fromEntries(
    ROWS.flatMap(({ repro, entry }) => {
      const value = ENTRY[entry]?.(repro);
      return value === undefined ? [] : [[repro.id, value]];
    }),
  );
}

/** The entry that a cell leaves. */
function after({ repro, entry, now }: Row, cell: string): BaselineEntry | undefined {
  if (!cell.endsWith("written")) return ENTRY[entry]?.(repro);
  const signatures = SIGNATURES[now];
  return accepted(repro, VERDICT[now], signatures.length === 0 ? {} : { signatures });
}

function colours(outcome: Outcome): Record<string, string> {
  const tests = outcome.json.testResults.flatMap((file) => file.assertionResults);
  return Object.fromEntries(
    tests.map((one) => [one.title, one.status === "passed" ? "green" : "red"]),
  );
}

function titleOf({ repro }: Row): string {
  return `${repro.title} [${repro.id}]`;
}

/** One project for all runs of the table; each run starts from the same files. */
async function runTable(
  p: Project,
  cellOf: (row: Row) => string,
  how: { args?: string[]; env?: Record<string, string>; options?: string },
): Promise<Outcome> {
  p.write({ "vitest.config.ts": config(how.options), [BASELINE]: baseline(before()) });
  const outcome = await p.run(how);
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

const isPending = ({ repro }: Row): boolean => repro.status === "pending";

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
