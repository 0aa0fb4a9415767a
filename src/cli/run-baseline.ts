import type { BaselineEntry } from "../baseline/baseline.ts";
import { BASELINE_VERSION } from "../baseline/baseline.ts";
import { readBaseline, writeBaseline } from "../baseline/file.ts";
import { importBaseline } from "../importer/faultspool-tests.ts";
import type { ReprosAt } from "../repro/folder.ts";
import { contentHash } from "../repro/hash.ts";
import { existsSync } from "node:fs";
import { readCapped } from "../shared/file.ts";
import type { RunResult } from "../runner/run.ts";

const MAX_BYTES = 64 * 1024 * 1024;

/** Accepted verdicts by repro id: of a baseline of ours, or of Faultspool's outcomes by the ids of its tests. None when there is no file. */
export function readEntries(path: string, folder: readonly ReprosAt[]): Map<string, BaselineEntry> {
  if (!existsSync(path)) return new Map();
  const isOurs = readCapped(path, MAX_BYTES).includes('"formatVersion"');
  const ours = isOurs ? readBaseline(path) : undefined;
  if (ours !== undefined) return new Map(Object.entries(ours.entries));
  const outcomes = importBaseline(path);
  const entries = folder.flatMap(({ file }) =>
    file.repros.flatMap((repro): [string, BaselineEntry][] => {
      const verdict =
        repro.origin === "imported" ? outcomes.get(repro.source.trace) : outcomes.get(repro.id);
      return verdict === undefined
        ? []
        : [[repro.id, { verdict, hash: contentHash(repro, file.blobs) }]];
    }),
  );
  return new Map(entries);
}

/** Keeps the entries of repros that did not run. */
export function writeEntries(
  path: string,
  before: ReadonlyMap<string, BaselineEntry>,
  { outcomes }: RunResult,
): void {
  const entries = new Map(before);
  for (const { repro, write } of outcomes) if (write !== undefined) entries.set(repro, write);
  const agents = [...new Set(outcomes.map(({ agent }) => agent))];
  writeBaseline(path, {
    formatVersion: BASELINE_VERSION,
    agent: agents.length === 1 ? (agents[0] ?? "") : "*",
    entries: Object.fromEntries(entries),
  });
}
