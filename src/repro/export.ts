import { type Json, sorted } from "../shared/json.ts";
import { contentHash } from "./hash.ts";
import { REPROS_VERSION, type Repro, type ReprosFile } from "./repro.ts";

export type ExportStatus = "confirmed" | "pending" | "all";

export interface ExportOptions {
  /** `all` has rejected repros too. */
  readonly status: ExportStatus;
  /** One repro a cluster: the representative when it is chosen, else the first id. */
  readonly dedup?: boolean;
}

/** Repros as lines of JSON, each whole on its own: with its agent, its content hash and the large results that it uses. */
export function exported(files: readonly ReprosFile[], options: ExportOptions): string[] {
  return files.flatMap((file) => {
    const chosen = file.repros.filter(
      ({ status }) => options.status === "all" || status === options.status,
    );
    const kept = options.dedup === true ? onePerCluster(file, chosen) : chosen;
    return kept.map((repro) => canonicalLine(file, repro));
  });
}

function onePerCluster(file: ReprosFile, repros: readonly Repro[]): Repro[] {
  const best = new Map<string, Repro>();
  for (const repro of repros) {
    const known = best.get(repro.cluster);
    const representative =
      Object.hasOwn(file.clusters, repro.cluster) &&
      file.clusters[repro.cluster]?.representative === repro.id;
    if (known === undefined || representative) best.set(repro.cluster, repro);
  }
  return repros.filter((repro) => best.get(repro.cluster) === repro);
}

function canonicalLine(file: ReprosFile, repro: Repro): string {
  const used = new Set(repro.cassette.flatMap(({ blob }) => (blob === undefined ? [] : [blob])));
  const blobs = Object.fromEntries(Object.entries(file.blobs).filter(([key]) => used.has(key)));
  const line = {
    formatVersion: REPROS_VERSION,
    agent: file.agent,
    hash: contentHash(repro, file.blobs),
    repro,
    blobs,
  };
  return JSON.stringify(sorted(line as unknown as Json));
}
