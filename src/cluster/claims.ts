import { byCodeUnit } from "../shared/json.ts";
import type { KnownCluster, Member } from "./group.ts";

/** The name of an earlier cluster, which the group that holds its runs may go on to have. */
export interface Claim {
  readonly id: string;
  readonly representative: string;
  /** Missing for a name that had become another cluster's alias. */
  readonly known: KnownCluster | undefined;
}

/**
 * The names of earlier clusters by the group that they belong to, the best first: the largest cluster's, then the aliases. A
 * name goes where its representative is, else where most of its members are; an alias of neither goes where its cluster is.
 */
export function claimsOf(
  groups: readonly (readonly Member[])[],
  existing: readonly KnownCluster[],
): ReadonlyMap<number, readonly Claim[]> {
  const claims = new Map<number, Claim[]>();
  if (existing.length === 0) return claims;
  const homes = new Map<string, number>();
  for (const [home, group] of groups.entries())
    for (const { item } of group) homes.set(item.id, home);
  const add = (home: number | undefined, claim: Claim): void => {
    if (home === undefined) return;
    const own = claims.get(home);
    if (own === undefined) claims.set(home, [claim]);
    else own.push(claim);
  };
  const largestFirst = [...existing].sort((a, b) => b.size - a.size || byCodeUnit(a.id, b.id));
  const homeOf = new Map(
    largestFirst.map((known) => [
      known.id,
      homes.get(known.representative) ?? commonest(known.members ?? [], homes),
    ]),
  );
  for (const known of largestFirst) {
    const { id, representative } = known;
    add(homeOf.get(id), { id, representative, known });
  }
  const seen = new Set(homeOf.keys());
  for (const { id: owner, aliases = {} } of largestFirst) {
    for (const [id, representative] of Object.entries(aliases).sort(([a], [b]) =>
      byCodeUnit(a, b),
    )) {
      if (seen.has(id)) continue;
      seen.add(id);
      const home = homes.get(representative) ?? homeOf.get(owner);
      add(home, { id, representative, known: undefined });
    }
  }
  return claims;
}

/** Where most of these are; of equals, where the first by id is. */
function commonest(
  members: readonly string[],
  homes: ReadonlyMap<string, number>,
): number | undefined {
  const counts = new Map<number, number>();
  for (const member of [...members].sort(byCodeUnit)) {
    const home = homes.get(member);
    if (home !== undefined) counts.set(home, (counts.get(home) ?? 0) + 1);
  }
  let best: number | undefined;
  for (const [home, count] of counts)
    if (best === undefined || count > (counts.get(best) ?? 0)) best = home;
  return best;
}
