import { sha256 } from "../shared/hash.ts";
import { byCodeUnit } from "../shared/json.ts";
import { title } from "../shared/text.ts";
import { causeOf, type Cause, type ClusterFailure } from "./cause.ts";
import { components } from "./components.ts";

/** A group of like failures. */
export interface Cluster {
  /** Stable across machines, runs and additions: from the content that founded the cluster. */
  readonly id: string;
  /** One line that a person understands: "tool_error in refund: card closed". */
  readonly label: string;
  readonly signature: string;
  /** How many failing traces it stands for, equal ones counted. */
  readonly size: number;
  /** Id of the member that stands for all. */
  readonly representative: string;
  /** Sorted ids. */
  readonly members: readonly string[];
}

/** One failing run, or a repro of several equal ones. */
export interface Clusterable {
  readonly id: string;
  readonly failures: readonly ClusterFailure[];
  /** How many failing traces it stands for. Default 1. */
  readonly seen?: number;
  /** Epoch milliseconds; the oldest member represents its cluster. */
  readonly at?: number;
}

export interface ClusterOptions {
  /** Similarity from which two texts of one signature are one cause, 0 to 1. Default 0.85. */
  readonly threshold?: number;
  /** Clusters of an earlier time: one whose representative is still there keeps its id, label and representative. */
  readonly existing?: readonly Pick<Cluster, "id" | "label" | "size" | "representative">[];
}

interface Member {
  readonly item: Clusterable;
  readonly cause: Cause;
}

/**
 * Groups failing runs by their cause: first by the signature, field names and error codes of each run's primary failure,
 * then by likeness of its message. Independent of the order of the items. Largest cluster first, then by id.
 */
export function cluster(items: readonly Clusterable[], options: ClusterOptions = {}): Cluster[] {
  const members = items.map((item) => ({ item, cause: causeOf(item.failures) }));
  const groups = gated(members).flatMap((gate) => alike(gate, options.threshold ?? 0.85));
  return named(groups, options.existing ?? []).sort(
    (a, b) => b.size - a.size || byCodeUnit(a.id, b.id),
  );
}

/** Members that may be one cause. A timeout that tells no place joins the commonest place of its like. */
function gated(members: readonly Member[]): Member[][] {
  const gates = grouped(members, ({ cause }) => cause.gate);
  return [...gates.values()].flatMap((gate) => {
    const places = [...grouped(gate, ({ cause }) => cause.place ?? "")].sort(
      ([a, left], [b, right]) => sizeOf(right) - sizeOf(left) || byCodeUnit(a, b),
    );
    const unplaced = places.find(([place]) => place === "")?.[1] ?? [];
    const placed = places.filter(([place]) => place !== "").map(([, group]) => group);
    if (placed.length === 0) return [unplaced];
    placed[0]?.push(...unplaced);
    return placed;
  });
}

function alike(gate: readonly Member[], threshold: number): Member[][] {
  const byText = grouped(gate, ({ cause }) => cause.text);
  return components([...byText.keys()], threshold).map((texts) =>
    texts.flatMap((text) => byText.get(text) ?? []),
  );
}

function named(
  groups: readonly Member[][],
  existing: NonNullable<ClusterOptions["existing"]>,
): Cluster[] {
  const byRepresentative = new Map<string, NonNullable<ClusterOptions["existing"]>[number]>();
  const largestFirst = [...existing].sort((a, b) => b.size - a.size || byCodeUnit(a.id, b.id));
  for (const known of largestFirst) {
    if (!byRepresentative.has(known.representative))
      byRepresentative.set(known.representative, known);
  }
  const kept = groups.map((group) => {
    const candidates = group.flatMap(({ item }) => byRepresentative.get(item.id) ?? []);
    return candidates.length < 2
      ? candidates[0]
      : largestFirst.find((known) => candidates.includes(known));
  });
  const taken = new Set(kept.flatMap((known) => known?.id ?? []));
  const order = groups.map((group, index) => ({ group, known: kept[index], first: oldest(group) }));
  order.sort((a, b) => byCodeUnit(a.first.item.id, b.first.item.id));
  return order.map(({ group, known, first }) => {
    const id = known?.id ?? freshId(group, first, taken);
    taken.add(id);
    return {
      id,
      label: known?.label ?? labelOf(first.cause),
      signature: first.cause.failure?.signature ?? "",
      size: sizeOf(group),
      representative: known?.representative ?? first.item.id,
      members: group.map(({ item }) => item.id).sort(byCodeUnit),
    };
  });
}

/** From the smallest text of the group, so that most additions leave it as it is. */
function freshId(group: readonly Member[], first: Member, taken: ReadonlySet<string>): string {
  const founder =
    group.map(({ cause }) => cause).sort((a, b) => byCodeUnit(a.text, b.text))[0] ?? first.cause;
  const places = group.flatMap(({ cause }) => cause.place ?? []).sort(byCodeUnit);
  const content = JSON.stringify([founder.gate, places[0] ?? "", founder.text]);
  const id = `c_${sha256(content, 10)}`;
  return taken.has(id) ? `c_${sha256(`${content}${first.item.id}`, 10)}` : id;
}

function labelOf({ shown, place }: Cause): string {
  if (shown === undefined) return "no failure";
  return title(`${shown.kind}${place === undefined ? "" : ` in ${place}`}: ${shown.message}`);
}

function oldest(group: readonly Member[]): Member {
  const [first] = [...group].sort(
    (a, b) => (a.item.at ?? Infinity) - (b.item.at ?? Infinity) || byCodeUnit(a.item.id, b.item.id),
  );
  if (first === undefined) throw new RangeError("a cluster has at least one member");
  return first;
}

function sizeOf(group: readonly Member[]): number {
  return group.reduce((sum, { item }) => sum + (item.seen ?? 1), 0);
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
