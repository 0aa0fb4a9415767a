import type { Run } from "../src/index.ts";
import { messageOf } from "../src/shared/error.ts";
import { oneLine } from "../src/shared/text.ts";
import type { ReporterOptions } from "./reporter.ts";
import type { Row } from "./reporter-section.ts";

/**
 * Keeps a run's verdicts with the agent's version. Opens the store only when there are any.
 * Returns one line when it could not: a run of tests never fails for its own history.
 */
export async function keepRun(
  rows: readonly Row[],
  { store: path, agentVersion }: ReporterOptions,
): Promise<string | undefined> {
  if (rows.length === 0 || path === undefined) return undefined;
  try {
    const { openStore } = await import("../src/store/store.ts");
    const store = openStore(path, { busyMs: 2000 });
    try {
      for (const run of runsOf(rows, agentVersion ?? "dev")) store.addRun(run);
    } finally {
      store.close();
    }
    return undefined;
  } catch (thrown) {
    return `This run's verdicts were not kept: ${oneLine(messageOf(thrown), 400)}`;
  }
}

function runsOf(rows: readonly Row[], agentVersion: string): Run[] {
  const at = Date.now();
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
