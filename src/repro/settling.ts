/**
 * Lets the answers of calls that were recorded together arrive in their recorded order. A group waits some turns of the
 * microtask queue, so that every call of the agent's turn is there, then answers the earliest, and so on. No timers: the
 * order is the same on every machine, also under a user's fake timers, and nothing waits for a call that never comes.
 */
export type Settle = <T>(group: number, order: number, value: T) => Promise<T>;

/** More than the awaits between an agent's call and the boundary. */
const TURNS = 24;

interface Waiting {
  readonly order: number;
  readonly resolve: () => void;
}

export function openSettling(): Settle {
  const groups = new Map<number, Waiting[]>();
  return (group, order, value) =>
    new Promise((resolve) => {
      const waiting = groups.get(group);
      const entry = { order, resolve: () => resolve(value) };
      if (waiting === undefined) {
        groups.set(group, [entry]);
        void drain(groups, group);
      } else {
        waiting.push(entry);
      }
    });
}

async function drain(groups: Map<number, Waiting[]>, group: number): Promise<void> {
  const waiting = groups.get(group) ?? [];
  while (waiting.length > 0) {
    for (let turn = 0; turn < TURNS; turn++) await Promise.resolve();
    waiting.sort((a, b) => a.order - b.order);
    waiting.shift()?.resolve();
  }
  groups.delete(group);
}
