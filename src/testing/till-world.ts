import { toolError } from "../boundary/tool-error.ts";
import type { Json } from "../shared/json.ts";
import { defineWorld } from "../world/define.ts";
import type { World } from "../world/world.ts";

interface Till {
  total: number;
  log: Json[];
  kept: Json;
  session: boolean;
}

interface Given {
  readonly amount?: number;
  readonly value?: Json;
  readonly ms?: number;
  readonly fail?: boolean;
}

/**
 * A small service for tests: `add` changes the total and the log, `put` keeps a value and gives it back, `look` reads the total, `tell` gives back the
 * value that it is given, `renew` signs in. Each takes `ms` on the clock and answers with an error when told to `fail`.
 */
export function tillWorld(): World {
  const work = (
    { ms, fail = false }: Given,
    clock: { sleep(ms: number): Promise<void> },
    done: () => Json,
  ): unknown => {
    const finish = (): unknown => {
      if (fail) throw toolError("DECLINED", "the till is closed", { retryable: false });
      return { ok: true, data: done() };
    };
    return ms === undefined ? finish() : clock.sleep(ms).then(finish);
  };
  const state: Till = { total: 0, log: [], kept: null, session: false };
  return defineWorld({
    name: "till",
    state,
    rival: (state: Till) => {
      state.total += 1000;
    },
    tools: {
      add: {
        kind: "write",
        execute: (given: Given, state: Till, { clock }) =>
          work(given, clock, () => {
            state.total += given.amount ?? 1;
            state.log.push(given.amount ?? 1);
            return { total: state.total };
          }),
      },
      put: {
        kind: "write",
        execute: (given: Given, state: Till, { clock }) =>
          work(given, clock, () => {
            state.kept = given.value ?? null;
            return given.value ?? null;
          }),
      },
      renew: {
        kind: "write",
        execute: (given: Given, state: Till, { clock }) =>
          work(given, clock, () => {
            state.session = true;
            return { ok: "renewed" };
          }),
      },
      look: {
        kind: "read",
        execute: (given: Given, state: Till, { clock }) =>
          work(given, clock, () => ({ total: state.total, entries: [...state.log] })),
      },
      tell: {
        kind: "read",
        execute: (given: Given, _state: Till, { clock }) =>
          work(given, clock, () => given.value ?? null),
      },
    },
  }) as World;
}
