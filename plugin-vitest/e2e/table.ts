import type { BaselineEntry } from "../../src/baseline/baseline.ts";
import type { Repro } from "../../src/repro/repro.ts";
import { accepted, reproFor } from "./desk.ts";

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

export interface Row {
  readonly repro: Repro;
  readonly entry: string;
  readonly now: Now;
  readonly cells: readonly string[];
}

export const ROWS: readonly Row[] = STATUSES.flatMap((status) =>
  TABLE.map(([entry, now, ...cells]) => ({
    repro: reproFor(`${status}-${entry}-${now} ${now}`, status),
    entry,
    now,
    cells,
  })),
);

export function before(): Record<string, BaselineEntry> {
  return Object.fromEntries(
    ROWS.flatMap(({ repro, entry }) => {
      const value = ENTRY[entry]?.(repro);
      return value === undefined ? [] : [[repro.id, value]];
    }),
  );
}

/** The entry that a cell leaves. */
export function after({ repro, entry, now }: Row, cell: string): BaselineEntry | undefined {
  if (!cell.endsWith("written")) return ENTRY[entry]?.(repro);
  const signatures = SIGNATURES[now];
  return accepted(repro, VERDICT[now], signatures.length === 0 ? {} : { signatures });
}

export function titleOf({ repro }: Row): string {
  return `${repro.title} [${repro.id}]`;
}

export const isPending = ({ repro }: Row): boolean => repro.status === "pending";
