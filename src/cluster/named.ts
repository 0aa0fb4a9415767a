import { sha256 } from "../shared/hash.ts";
import { byCodeUnit } from "../shared/json.ts";
import { title } from "../shared/text.ts";
import type { Cause } from "./cause.ts";
import { sizeOf, type Cluster, type KnownCluster, type Member } from "./group.ts";

/**
 * Groups with ids, labels and representatives. A group that holds the representative of an earlier cluster is that
 * cluster; of several, the largest.
 */
export function named(groups: readonly Member[][], existing: readonly KnownCluster[]): Cluster[] {
  const largestFirst = [...existing].sort((a, b) => b.size - a.size || byCodeUnit(a.id, b.id));
  const byRepresentative = new Map<string, KnownCluster>();
  const rank = new Map<KnownCluster, number>();
  for (const [place, known] of largestFirst.entries()) {
    rank.set(known, place);
    if (!byRepresentative.has(known.representative))
      byRepresentative.set(known.representative, known);
  }
  const order = groups.map((group) => ({
    group,
    known: least(
      byRepresentative.size === 0
        ? []
        : group.flatMap(({ item }) => byRepresentative.get(item.id) ?? []),
      (a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0),
    ),
    first: oldest(group),
  }));
  const taken = new Set(order.flatMap(({ known }) => known?.id ?? []));
  order.sort((a, b) => byCodeUnit(a.first.item.id, b.first.item.id));
  return order.map((each) => {
    const id = each.known?.id ?? freshId(each.group, each.first, taken);
    taken.add(id);
    return clusterOf(id, each);
  });
}

interface Named {
  readonly group: readonly Member[];
  readonly known: KnownCluster | undefined;
  readonly first: Member;
}

function clusterOf(id: string, { group, known, first }: Named): Cluster {
  return {
    id,
    label: known?.label ?? labelOf(first.cause),
    signature: first.cause.failure?.signature ?? "",
    size: sizeOf(group),
    representative: known?.representative ?? first.item.id,
    members: group.map(({ item }) => item.id).sort(byCodeUnit),
    ...weightOf(group),
  };
}

function weightOf(group: readonly Member[]): Pick<Cluster, "latest" | "cost"> {
  let latest = -Infinity;
  let cost: number | undefined;
  for (const { item } of group) {
    if (item.at !== undefined && item.at > latest) latest = item.at;
    if (item.cost !== undefined) cost = (cost ?? 0) + item.cost;
  }
  return {
    ...(latest === -Infinity ? {} : { latest }),
    ...(cost === undefined ? {} : { cost }),
  };
}

/** From the smallest text of the group, so that most additions leave it as it is. */
function freshId(group: readonly Member[], first: Member, taken: ReadonlySet<string>): string {
  const founder = (least(group, byText) ?? first).cause;
  let place = "";
  for (const { cause } of group) {
    if (cause.place !== undefined && (place === "" || cause.place < place)) place = cause.place;
  }
  const content = JSON.stringify([founder.gate, place, founder.text]);
  const id = `c_${sha256(content, 10)}`;
  return taken.has(id) ? `c_${sha256(`${content}${first.item.id}`, 10)}` : id;
}

function byText({ cause: a }: Member, { cause: b }: Member): number {
  return byCodeUnit(a.text, b.text) || byCodeUnit(a.gate, b.gate);
}

function labelOf({ shown, place }: Cause): string {
  if (shown === undefined) return "no failure";
  return title(`${shown.kind}${place === undefined ? "" : ` in ${place}`}: ${shown.message}`);
}

function oldest(group: readonly Member[]): Member {
  const first = least(
    group,
    (a, b) => (a.item.at ?? Infinity) - (b.item.at ?? Infinity) || byCodeUnit(a.item.id, b.item.id),
  );
  if (first === undefined) throw new RangeError("a cluster has at least one member");
  return first;
}

function least<T>(values: readonly T[], compare: (a: T, b: T) => number): T | undefined {
  let best = values[0];
  for (const value of values) if (best !== undefined && compare(value, best) < 0) best = value;
  return best;
}
