import { cluster, type Cluster } from "../cluster/cluster.ts";
import type { Embedder } from "../cluster/embedder.ts";
import type { Memo } from "../cluster/memo.ts";
import type { Seen } from "./collect.ts";

/** The failing traces of one agent with one cause; `members` are trace ids. */
export interface CauseOfTraces extends Cluster {
  readonly agent: string;
}

/** Groups failing traces by cause, each agent's apart. */
export function causesOfTraces(
  failing: Iterable<Seen>,
  options: { readonly threshold: number; readonly embedder?: Embedder; readonly memo?: Memo },
): CauseOfTraces[] {
  const agents = new Map<string, Seen[]>();
  for (const seen of failing) {
    if (!seen.failing) continue;
    const known = agents.get(seen.agent);
    if (known === undefined) agents.set(seen.agent, [seen]);
    else known.push(seen);
  }
  return [...agents].flatMap(([agent, list]) =>
    cluster(list.map(clusterable), options).map((one) => Object.assign(one, { agent })),
  );
}

/** A failing trace as clustering takes it. */
export function clusterable({
  id,
  failures,
  startedAt,
  cost,
}: Seen): Parameters<typeof cluster>[0][number] {
  return {
    id,
    failures,
    ...(startedAt === undefined ? {} : { at: startedAt }),
    ...(cost === undefined ? {} : { cost }),
  };
}
