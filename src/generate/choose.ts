import { cluster, type Clusterable } from "../cluster/cluster.ts";
import type { Embedder } from "../cluster/embedder.ts";
import { byCodeUnit } from "../shared/json.ts";
import type { Seen } from "./collect.ts";

/** Failing runs of one cause from which repros are made; the others are counted, as they would test the same again. */
export const REPROS_OF_A_CAUSE = 1000;
/** Runs of one cause that are tried, when some of them cannot be replayed. */
export const TRIED_OF_A_CAUSE = 2 * REPROS_OF_A_CAUSE;

/** Failing runs that are equal but for their ids and times, oldest first. */
export type Equals = readonly [Seen, ...Seen[]];

/** Failing runs of one agent with one cause. */
export interface CauseGroup {
  /** Names it among the groups of one collection. */
  readonly cause: string;
  /** Oldest first. */
  readonly runs: readonly Equals[];
}

export interface ChooseOptions {
  readonly threshold: number;
  readonly embedder?: Embedder;
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

function groupsOf(
  agent: string,
  runs: ReadonlyMap<string, Equals>,
  options: ChooseOptions,
): CauseGroup[] {
  const items = [...runs].map(([content, equal]) => itemOf(content, equal));
  return cluster(items, options).map(({ id, members }) => ({
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
