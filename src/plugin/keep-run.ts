import type { Run } from "../index.ts";
import { now } from "../shared/clock.ts";
import { messageOf } from "../shared/error.ts";
import { oneLine } from "../shared/text.ts";
import { journalRun, waitingRuns } from "../store/journal.ts";
import type { Row } from "./section.ts";

/** Where a run is kept: nowhere without a store. */
export interface KeptBy {
  readonly store?: string;
  readonly agentVersion?: string;
}

/** Runs that may wait beside a store before a run of tests puts them into it itself. */
const MOST_WAITING = 50;

/**
 * Keeps a run's verdicts with the agent's version, beside the store. Returns one line when it could not: a run of tests
 * never fails for its own history.
 */
export async function keepRun(
  rows: readonly Row[],
  { store, agentVersion }: KeptBy,
): Promise<string | undefined> {
  if (rows.length === 0 || store === undefined) return undefined;
  try {
    for (const run of runsOf(rows, agentVersion ?? "dev")) journalRun(store, run);
  } catch (thrown) {
    return `This run's verdicts were not kept: ${oneLine(messageOf(thrown), 400)}`;
  }
  const waiting = waitingRuns(store);
  return waiting > MOST_WAITING ? takeIn(store, waiting) : undefined;
}

/** Where nobody ever asks for the history it must not fill the folder. */
async function takeIn(path: string, waiting: number): Promise<string | undefined> {
  try {
    const { openStore } = await import("../store/store.ts");
    const store = openStore(path, { busyMs: 2000 });
    try {
      store.runs(1);
    } finally {
      store.close();
    }
    return undefined;
  } catch (thrown) {
    return `The verdicts of ${waiting} runs wait beside the store: ${oneLine(messageOf(thrown), 400)}`;
  }
}

function runsOf(rows: readonly Row[], agentVersion: string): Run[] {
  const at = now();
  const agents = [...new Set(rows.map((row) => row.verdict.agent))].sort();
  return agents.map((agent) => ({
    agent,
    agentVersion,
    at,
    verdicts: rows
      .filter((row) => row.verdict.agent === agent)
      .map(({ verdict }) => ({
        repro: verdict.repro,
        verdict: verdict.verdict,
        regressed: verdict.regressed,
        reason: verdict.reason,
      })),
  }));
}
