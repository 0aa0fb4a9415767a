import {
  cluster,
  type Cluster,
  type Clusterable,
  type ClusterOptions,
} from "../cluster/cluster.ts";
import { isHandEdited, reproDigest, writtenDigest } from "../repro/hash.ts";
import { REPROS_VERSION, type Repro, type ReprosFile } from "../repro/repro.ts";
import { byCodeUnit, same, type Json } from "../shared/json.ts";
import type { Converted } from "./collect.ts";

export interface MergeInput {
  readonly agent: string;
  /** The committed file, when there is one: it is the truth about its repros. */
  readonly committed?: ReprosFile | undefined;
  /** What the traces at hand give. */
  readonly converted: readonly Converted[];
  readonly threshold: number;
  /** Ids of repros that passed and were accepted so; they stay as they are. */
  readonly accepted?: ReadonlySet<string>;
}

/**
 * The repros file of an agent after the traces at hand. Committed repros stay, also when their traces are gone. A pending one that
 * nobody edited or accepted as passing is replaced when a later success of its task, or its right answer, has arrived; of all others only the cluster
 * and how often they were seen are kept up. Gives `committed` itself when nothing changes.
 */
export function merge(input: MergeInput): ReprosFile {
  const { agent, committed, converted, threshold, accepted = new Set() } = input;
  const repros = new Map(committed?.repros.map((repro) => [repro.id, repro]));
  const blobs = new Map(Object.entries(committed?.blobs ?? {}));
  const oldest = new Map<string, number>();
  const known = new Map(
    converted.map((item) => [item, knownFor(item, { agent, repros })] as const),
  );
  const fresh = withIds(
    converted.filter((item) => known.get(item) === undefined),
    repros,
  );
  const holders = holdersOf(converted, known);
  for (const item of converted) {
    const before = known.get(item);
    const seen = item.seen + (holders.has(item) ? (item.others?.count ?? 0) : 0);
    const made = fresh.get(item);
    const repro =
      before === undefined
        ? made && { ...made, seen }
        : renewed(before, { ...item, seen }, accepted.has(before.id));
    if (repro === undefined) continue;
    repros.set(repro.id, repro);
    if (item.at !== undefined) oldest.set(repro.id, item.at);
    for (const [key, blob] of Object.entries(item.blobs)) blobs.set(key, blob);
  }
  const all = [...repros.values()].sort((a, b) => byCodeUnit(a.id, b.id));
  const clusters = clustersOf(all, { committed, oldest, threshold });
  const home = new Map(
    clusters.flatMap(({ id, members }) => members.map((member) => [member, id])),
  );
  const merged: ReprosFile = {
    formatVersion: REPROS_VERSION,
    agent,
    clusters: Object.fromEntries(
      clusters.map(({ id, label, size, representative, aliases }) => [
        id,
        { label, size, representative, ...(aliases === undefined ? {} : { aliases }) },
      ]),
    ),
    repros: all.map((repro) => withCluster(repro, home.get(repro.id))),
    blobs: Object.fromEntries(blobs),
  };
  return committed !== undefined && isSame(committed, merged) ? committed : merged;
}

/**
 * Of each cause, the repro that counts the failing traces without one of their own: always the same, else they would be
 * counted twice. It is the one that was seen most before, or else the oldest.
 */
function holdersOf(
  converted: readonly Converted[],
  known: ReadonlyMap<Converted, Repro | undefined>,
): ReadonlySet<Converted> {
  const holders = new Map<string, Converted>();
  const seen = (item: Converted): number => known.get(item)?.seen ?? 0;
  for (const item of converted) {
    if (item.others === undefined) continue;
    const best = holders.get(item.others.cause);
    const order =
      best === undefined
        ? -1
        : seen(best) - seen(item) ||
          (item.at ?? Infinity) - (best.at ?? Infinity) ||
          byCodeUnit(item.digest, best.digest);
    if (order < 0) holders.set(item.others.cause, item);
  }
  return new Set(holders.values());
}

/** Blobs need no look: they change with the recordings that name them. */
function isSame(committed: ReprosFile, merged: ReprosFile): boolean {
  const before = new Set(committed.repros);
  return (
    committed.repros.length === merged.repros.length &&
    merged.repros.every((repro) => before.has(repro)) &&
    same(committed.clusters as Json, merged.clusters as Json)
  );
}

/** The committed repro that a conversion gives again. */
function knownFor(
  { digest, repro: { written } }: Converted,
  { agent, repros }: { readonly agent: string; readonly repros: ReadonlyMap<string, Repro> },
): Repro | undefined {
  for (let length = 64; length >= 8; length--) {
    const repro = repros.get(digest.slice(0, length));
    // An edited repro has another digest now; one that was not edited tells whether it only begins alike.
    if (repro === undefined) continue;
    if (repro.written === written || isHandEdited(repro)) return repro;
    if (reproDigest(agent, repro) === digest) return repro;
  }
  return undefined;
}

/** New repros with ids of their own: as many digits as it takes to differ from every other id and digest here. */
function withIds(
  items: readonly Converted[],
  taken: ReadonlyMap<string, Repro>,
): Map<Converted, Repro> {
  const result = new Map<Converted, Repro>();
  const starts = new Map<string, number>();
  for (const { digest } of items) {
    const start = digest.slice(0, 8);
    starts.set(start, (starts.get(start) ?? 0) + 1);
  }
  for (const item of items) {
    const { digest, repro } = item;
    let length = 8;
    const unique = (): boolean => {
      const id = digest.slice(0, length);
      if (taken.has(id)) return false;
      if (length === 8) return starts.get(id) === 1;
      return !items.some((other) => other !== item && other.digest.startsWith(id));
    };
    while (length < 64 && !unique()) length++;
    const named = { ...repro, id: digest.slice(0, length), seen: item.seen };
    result.set(item, length === 8 ? named : { ...named, written: writtenDigest(named) });
  }
  return result;
}

/** A committed repro after the traces at hand. */
function renewed(before: Repro, { repro, seen }: Converted, isAccepted: boolean): Repro {
  const count = Math.max(before.seen ?? 1, seen);
  const better =
    (before.origin === "inferred" && repro.origin === "retry") ||
    (before.needs !== undefined && repro.needs === undefined);
  if (before.status !== "pending" || !better || isAccepted || isHandEdited(before)) {
    return count === before.seen ? before : { ...before, seen: count };
  }
  const { cluster: home, id } = before;
  const next = { ...repro, id, cluster: home, seen: count };
  return { ...next, written: writtenDigest(next) };
}

function clustersOf(
  repros: readonly Repro[],
  about: {
    readonly committed: ReprosFile | undefined;
    readonly oldest: ReadonlyMap<string, number>;
    readonly threshold: number;
  },
): Cluster[] {
  const members = new Map<string, string[]>();
  for (const { id, cluster: home } of repros) {
    const own = members.get(home);
    if (own === undefined) members.set(home, [id]);
    else own.push(id);
  }
  const existing: Known[] = [];
  for (const [id, { aliases, ...known }] of Object.entries(about.committed?.clusters ?? {})) {
    existing.push({
      id,
      ...known,
      members: members.get(id) ?? [],
      ...(aliases === undefined ? {} : { aliases }),
    });
  }
  const items = repros
    .filter(({ status }) => status !== "rejected")
    .map((repro) => clusterable(repro, about.oldest.get(repro.id)));
  return cluster(items, { threshold: about.threshold, existing });
}

type Known = NonNullable<ClusterOptions["existing"]>[number];

function clusterable({ id, failures, seen }: Repro, at: number | undefined): Clusterable {
  return {
    id,
    failures,
    ...(seen === undefined ? {} : { seen }),
    ...(at === undefined ? {} : { at }),
  };
}

function withCluster(repro: Repro, home: string | undefined): Repro {
  return home === undefined || home === repro.cluster ? repro : { ...repro, cluster: home };
}
