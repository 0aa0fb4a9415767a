import { cluster, type Clusterable } from "../cluster/cluster.ts";
import type { Embedder } from "../cluster/embedder.ts";
import type { Memo } from "../cluster/memo.ts";
import { byCodeUnit } from "../shared/json.ts";
import type { Seen } from "./collect.ts";

/** Failing runs that are equal but for their ids and times, oldest first. */
export type Equals = readonly [Seen, ...Seen[]];

/** Failing runs of one agent with one cause. */
export interface CauseGroup {
  readonly agent: string;
  /** Names it among the groups of one collection. */
  readonly cause: string;
  /** Oldest first. */
  readonly runs: readonly Equals[];
}

/** By agent, the traces that have a repro in the files. */
export type Committed = () => ReadonlyMap<string, ReadonlySet<string>>;

export interface ChooseOptions {
  readonly threshold: number;
  readonly embedder?: Embedder;
  readonly memo?: Memo;
}

/** The failing runs by cause; groups and runs in an order that does not depend on theirs. */
export function byCause(failing: readonly Seen[], options: ChooseOptions): CauseGroup[] {
  const agents = new Map<string, Map<string, [Seen, ...Seen[]]>>();
  for (const seen of failing) {
    const runs = agents.get(seen.agent) ?? new Map<string, [Seen, ...Seen[]]>();
    agents.set(seen.agent, runs);
    const equal = runs.get(seen.content);
    if (equal === undefined) runs.set(seen.content, [seen]);
    else equal.push(seen);
  }
  return [...agents]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .flatMap(([agent, runs]) => {
      for (const equal of runs.values()) equal.sort(byAge);
      return groupsOf(agent, runs, options);
    });
}

/**
 * How many repros each cause gives, so that all of an agent's causes together give at most so many: a small cause gives all
 * of its runs, and what is left is shared equally. Never none, as each cause is to be tested.
 */
export function shareOf(groups: readonly Pick<CauseGroup, "runs">[], most: number): number {
  const sizes = groups.map(({ runs }) => runs.length).sort((a, b) => a - b);
  let left = most;
  for (const [at, size] of sizes.entries()) {
    const share = Math.floor(left / (sizes.length - at));
    if (size > share) return Math.max(1, share);
    left -= size;
  }
  return Math.max(1, most);
}

/** A cause with its runs in the order in which they are tried, and how many repros it may give. */
export type Chosen = CauseGroup & { readonly most: number };

/** Each agent's causes share its repros. Of a cause with more runs, those that have one keep it, and then the oldest come. */
export function chosenOf(
  groups: readonly CauseGroup[],
  most: number,
  committed: Committed,
): Chosen[] {
  const shares = new Map<string, number>();
  for (const { agent } of groups) {
    if (shares.has(agent)) continue;
    shares.set(
      agent,
      shareOf(
        groups.filter((group) => group.agent === agent),
        most,
      ),
    );
  }
  let known: ReturnType<Committed> | undefined;
  return groups.map((group) => {
    const { agent, runs } = group;
    const share = shares.get(agent) ?? most;
    if (runs.length <= share) return { ...group, most: share };
    const kept = (known ??= committed()).get(agent);
    const hasOne = (equal: Equals): boolean => equal.some(({ id }) => kept?.has(id) === true);
    const before = runs.filter((equal) => hasOne(equal));
    const others = runs.filter((equal) => !hasOne(equal));
    return { ...group, runs: [...before, ...others], most: Math.max(share, before.length) };
  });
}

function groupsOf(
  agent: string,
  runs: ReadonlyMap<string, Equals>,
  options: ChooseOptions,
): CauseGroup[] {
  const items = [...runs].map(([content, equal]) => itemOf(content, equal));
  return cluster(items, options).map(({ id, members }) => ({
    agent,
    cause: `${id} ${agent}`,
    runs: members
      .flatMap((content) => {
        const equal = runs.get(content);
        return equal === undefined ? [] : [equal];
      })
      .sort(([a], [b]) => byAge(a, b)),
  }));
}

function itemOf(id: string, equal: Equals): Clusterable {
  const [{ failures, startedAt }] = equal;
  const item = { id, failures, seen: equal.length };
  return startedAt === undefined ? item : { ...item, at: startedAt };
}

function byAge(a: Seen, b: Seen): number {
  return (a.startedAt ?? Infinity) - (b.startedAt ?? Infinity) || byCodeUnit(a.id, b.id);
}
