import { randomBytes } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isVerdict } from "../check/verdict.ts";
import { readCapped, sweepTemporary, writeAtomic } from "../shared/file.ts";
import { isObject, type Json } from "../shared/json.ts";
import type { Run, RunVerdict } from "./store.ts";

const VERSION = 1;
const NAME = /^\d{13,16}-[0-9a-f]{12}\.json$/u;
/** A run of 100,000 verdicts is far below it. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The folder beside a store where runs wait that no process has put into it yet. */
export function journalOf(store: string): string {
  return `${store.replace(/\.db$/u, "")}.runs`;
}

/**
 * Keeps a run beside the store, as a file of its own, without opening the store: a run of tests loads no database and
 * waits for nobody's lock. Whoever asks the store for runs takes it in. Throws E_FILE_*.
 */
export function journalRun(store: string, run: Run): void {
  const { agent, agentVersion, at, verdicts } = run;
  const rows = verdicts.map((one) => [one.repro, one.verdict, one.regressed, one.reason]);
  const name = `${String(at).padStart(13, "0")}-${randomBytes(6).toString("hex")}.json`;
  const text = JSON.stringify({ formatVersion: VERSION, agent, agentVersion, at, verdicts: rows });
  writeAtomic(join(journalOf(store), name), text, { mode: 0o600 });
}

/** How many runs wait. */
export function waitingRuns(store: string): number {
  return namesIn(journalOf(store)).length;
}

/**
 * Hands the waiting runs over in the order of their times, and forgets those that were taken. A file that cannot be read
 * stays where it is. When the process ends in between, a run is handed over again: `take` must know one that it has.
 */
export function takeWaiting(store: string, take: (runs: readonly Run[]) => void): void {
  const folder = journalOf(store);
  const waiting = namesIn(folder).flatMap((name) => {
    const run = readRun(join(folder, name));
    return run === undefined ? [] : [{ name, run }];
  });
  if (waiting.length === 0) return;
  take(waiting.map(({ run }) => run));
  for (const { name } of waiting) rmSync(join(folder, name), { force: true });
  sweepTemporary(folder);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => NAME.test(name))
      .sort();
  } catch {
    return [];
  }
}

function readRun(path: string): Run | undefined {
  try {
    return runOf(JSON.parse(readCapped(path, MAX_BYTES)) as Json);
  } catch {
    return undefined;
  }
}

function runOf(value: Json): Run | undefined {
  if (!isObject(value) || value["formatVersion"] !== VERSION) return undefined;
  const { agent, agentVersion, at, verdicts } = value;
  if (typeof agent !== "string" || typeof agentVersion !== "string") return undefined;
  if (typeof at !== "number" || !Number.isSafeInteger(at) || !Array.isArray(verdicts))
    return undefined;
  const read = verdicts.map((row) => verdictOf(row));
  if (read.includes(undefined)) return undefined;
  return { agent, agentVersion, at, verdicts: read.filter((one) => one !== undefined) };
}

function verdictOf(row: Json): RunVerdict | undefined {
  if (!Array.isArray(row)) return undefined;
  const [repro, verdict, regressed, reason] = row;
  if (typeof repro !== "string" || typeof reason !== "string" || typeof regressed !== "boolean")
    return undefined;
  return typeof verdict === "string" && isVerdict(verdict)
    ? { repro, verdict, regressed, reason }
    : undefined;
}
