import { sha256 } from "../shared/hash.ts";
import { byCodeUnit } from "../shared/json.ts";
import { title } from "../shared/text.ts";
import type { Cause } from "./cause.ts";
import { claimsOf, type Claim } from "./claims.ts";
import { sizeOf, type Cluster, type KnownCluster, type Member } from "./group.ts";

/**
 * Groups with ids, labels and representatives. A group that holds the representative of an earlier cluster is that cluster;
 * of several, the largest, and the names of the others become its aliases. The members of a group come in the order of their
 * texts.
 */
export function named(groups: readonly Member[][], existing: readonly KnownCluster[]): Cluster[] {
  const claims = claimsOf(groups, existing);
  const order = groups.map((group, place) => ({
    group,
    claims: claims.get(place) ?? [],
    first: oldest(group),
  }));
  const taken = new Set([...claims.values()].flatMap((list) => list.map(({ id }) => id)));
  order.sort((a, b) => byCodeUnit(a.first.item.id, b.first.item.id));
  return order.map((each) => {
    const id = each.claims[0]?.id ?? freshId(each.group, each.first, taken);
    taken.add(id);
    return clusterOf(id, each);
  });
}

interface Named {
  readonly group: readonly Member[];
  readonly claims: readonly Claim[];
  readonly first: Member;
}

function clusterOf(id: string, { group, claims, first }: Named): Cluster {
  const [claim, ...others] = claims;
  const members = group.map(({ item }) => item.id).sort();
  const isThere = claim !== undefined && members.includes(claim.representative);
  return {
    id,
    label: claim?.known?.label ?? labelOf(first.cause),
    signature: first.cause.failure?.signature ?? "",
    size: sizeOf(group),
    representative: isThere ? claim.representative : first.item.id,
    members,
    ...weightOf(group),
    wordings: wordingsOf(group),
    ...(others.length === 0 ? {} : { aliases: aliasesOf(others) }),
  };
}

function aliasesOf(claims: readonly Claim[]): Record<string, string> {
  return Object.fromEntries(
    claims
      .map(({ id, representative }): [string, string] => [id, representative])
      .sort(([a], [b]) => byCodeUnit(a, b)),
  );
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

function wordingsOf(group: readonly Member[]): number {
  let [count, before] = [0, ""];
  for (const { cause } of group) {
    if (count === 0 || cause.text !== before) count++;
    before = cause.text;
  }
  return count;
}

/** From the smallest text of the group, so that most additions leave it as it is. */
function freshId(group: readonly Member[], first: Member, taken: ReadonlySet<string>): string {
  const founder = (group[0] ?? first).cause;
  let place = "";
  for (const { cause } of group) {
    if (cause.place !== undefined && (place === "" || cause.place < place)) place = cause.place;
  }
  const content = JSON.stringify([founder.gate, place, founder.text]);
  const id = `c_${sha256(content, 10)}`;
  return taken.has(id) ? `c_${sha256(`${content}${first.item.id}`, 10)}` : id;
}

function labelOf({ shown, place }: Cause): string {
  if (shown === undefined) return "no failure";
  return title(`${shown.kind}${place === undefined ? "" : ` in ${place}`}: ${shown.message}`);
}

function oldest(group: readonly Member[]): Member {
  let [first] = group;
  for (const member of group) {
    if (first === undefined) break;
    const order = (member.item.at ?? Infinity) - (first.item.at ?? Infinity);
    if (order < 0 || (!(order > 0) && member.item.id < first.item.id)) first = member;
  }
  if (first === undefined) throw new RangeError("a cluster has at least one member");
  return first;
}
