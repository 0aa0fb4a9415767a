import { byCodeUnit } from "../shared/json.ts";
import { causes } from "./cause.ts";
import { components, type ComponentOptions } from "./components.ts";
import { hashing, type Embedder } from "./embedder.ts";
import { sizeOf, type Cluster, type Clusterable, type KnownCluster, type Member } from "./group.ts";
import type { Memo } from "./memo.ts";
import { named } from "./named.ts";

export type { Cluster, Clusterable };

export interface ClusterOptions {
  /** Similarity from which two texts of one signature are one cause, 0 to 1. Default 0.85. */
  readonly threshold?: number;
  /** Clusters of an earlier time: one whose representative is still there keeps its id, label and representative. */
  readonly existing?: readonly KnownCluster[];
  /** What tells how alike two texts are. Default: the built-in one. */
  readonly embedder?: Embedder;
  /** What was found at an earlier time: only messages of a signature with new ones are compared again. */
  readonly memo?: Memo;
}

/**
 * Groups failing runs by their cause: first by the signature, field names and error codes of each run's primary failure,
 * then by likeness of its message. Independent of the order of the items; the time grows with their number. Most
 * important first: by size, then recency, then cost, then id.
 */
export function cluster(items: readonly Clusterable[], options: ClusterOptions = {}): Cluster[] {
  const causeOf = causes();
  const members = items.map((item) => ({ item, cause: causeOf(item.failures) }));
  const { threshold = 0.85, embedder = hashing, memo } = options;
  const groups = gated(members).flatMap((gate) => alike(gate, { threshold, embedder, memo }));
  return named(groups, options.existing ?? []).sort(byImportance);
}

/** The texts that `cluster` would compare, sorted: for an embedder that must know them before. */
export function textsOf(items: readonly Clusterable[]): string[] {
  const causeOf = causes();
  return [...new Set(items.map(({ failures }) => causeOf(failures).text))].sort(byCodeUnit);
}

type Ranked = Pick<Cluster, "id" | "size" | "latest" | "cost">;

/** Order by size, then recency, then cost, the largest first; then by id. */
export function byImportance(a: Ranked, b: Ranked): number {
  return (
    b.size - a.size ||
    (b.latest ?? 0) - (a.latest ?? 0) ||
    (b.cost ?? 0) - (a.cost ?? 0) ||
    byCodeUnit(a.id, b.id)
  );
}

/** Members that may be one cause. A timeout that tells no place joins the commonest place of its like. */
function gated(members: readonly Member[]): Member[][] {
  const gates = grouped(members, ({ cause }) => cause.gate);
  return [...gates.values()].flatMap((gate) => {
    const [first] = gate;
    if (gate.every(({ cause }) => cause.place === first?.cause.place)) return [gate];
    const places = [...grouped(gate, ({ cause }) => cause.place ?? "")];
    places.sort(([a, left], [b, right]) => sizeOf(right) - sizeOf(left) || byCodeUnit(a, b));
    const unplaced = places.find(([place]) => place === "")?.[1] ?? [];
    const placed = places.filter(([place]) => place !== "").map(([, group]) => group);
    if (unplaced.length > 0) placed[0] = [...(placed[0] ?? []), ...unplaced];
    return placed;
  });
}

/** The groups of a gate; the members of each in the order of their texts. */
function alike(gate: readonly Member[], options: ComponentOptions): Member[][] {
  const byText = grouped(gate, ({ cause }) => cause.text);
  if (byText.size === 1) return [[...gate]];
  return components([...byText.keys()], options).map((texts) =>
    texts.flatMap((text) => byText.get(text) ?? []),
  );
}

function grouped<T>(values: readonly T[], keyOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}
