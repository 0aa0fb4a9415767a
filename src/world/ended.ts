import type { OpenOptions } from "./open.ts";

/** What a world that has ended goes by: it tells nobody anything, and nothing of it is waited for. */
export const ENDED: OpenOptions = Object.freeze({
  clock: Object.freeze({
    now: () => 0,
    sleep: () => new Promise<never>(() => undefined),
    real: <T>(work: Promise<T>) => work,
  }),
});
