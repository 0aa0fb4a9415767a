import { isVerdict } from "../check/verdict.ts";
import type { Database } from "./driver.ts";
import type { Run, RunVerdict, StoreStats } from "./store.ts";

/** Writes runs that are not there yet; the caller holds the transaction. */
export function addNewRuns(db: Database, runs: readonly Run[]): void {
  const known = db
    .prepare("SELECT count(*) FROM runs WHERE agent = ? AND agent_version = ? AND at = ?")
    .pluck();
  for (const run of runs) {
    if (known.get(run.agent, run.agentVersion, run.at) === 0) addRun(db, run);
  }
}

/** Writes one run; the caller holds the transaction. */
export function addRun(db: Database, run: Run): void {
  const { lastInsertRowid } = db
    .prepare("INSERT INTO runs (agent, agent_version, at) VALUES (?, ?, ?)")
    .run(run.agent, run.agentVersion, run.at);
  const insert = db.prepare("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?, ?, ?)");
  for (const one of run.verdicts) {
    insert.run(lastInsertRowid, one.repro, one.verdict, one.regressed ? 1 : 0, one.reason);
  }
}

interface RunRow {
  id: number;
  agent: string;
  agent_version: string;
  at: number;
}
interface VerdictRow {
  repro: string;
  verdict: string;
  regressed: number;
  reason: string;
}

/** Newest first. */
export function readRuns(db: Database, limit: number): Run[] {
  const rows = db
    .prepare("SELECT * FROM runs ORDER BY at DESC, id DESC LIMIT ?")
    .all(limit) as RunRow[];
  const verdicts = db.prepare(
    "SELECT repro, verdict, regressed, reason FROM verdicts WHERE run = ? ORDER BY repro",
  );
  return rows.map((row) => ({
    agent: row.agent,
    agentVersion: row.agent_version,
    at: row.at,
    verdicts: (verdicts.all(row.id) as VerdictRow[]).flatMap((one) => verdictOf(one)),
  }));
}

function verdictOf(row: VerdictRow): RunVerdict[] {
  if (!isVerdict(row.verdict)) return [];
  return [
    { repro: row.repro, verdict: row.verdict, regressed: row.regressed === 1, reason: row.reason },
  ];
}

const REAL = "severity <> 'low'";

export function readStats(db: Database): StoreStats {
  const count = (sql: string): number => Number(db.prepare(sql).pluck().get());
  const latest = readRuns(db, 1)[0];
  return {
    traces: count("SELECT count(*) FROM traces"),
    undetected: count("SELECT count(*) FROM traces WHERE detected = 0"),
    failing: count(`SELECT count(DISTINCT trace) FROM failures WHERE ${REAL}`),
    agents: db
      .prepare(
        `SELECT agent, count(*) AS traces,
           count(CASE WHEN EXISTS (SELECT 1 FROM failures WHERE trace = traces.id AND ${REAL}) THEN 1 END) AS failing
         FROM traces GROUP BY agent ORDER BY agent`,
      )
      .all() as { agent: string; traces: number; failing: number }[],
    kinds: db
      .prepare(
        `SELECT kind, count(DISTINCT trace) AS traces FROM failures WHERE ${REAL} GROUP BY kind ORDER BY traces DESC, kind`,
      )
      .all() as { kind: string; traces: number }[],
    runs: count("SELECT count(*) FROM runs"),
    ...(latest === undefined ? {} : { latestRun: latest }),
  };
}
