import { now, sleep } from "../shared/clock.ts";

/** Time as an agent or a tool sees it: real in a capture, virtual in a trial. */
export interface Clock {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Waits; on a virtual clock it costs no real time. */
  readonly sleep: (ms: number) => Promise<void>;
  /** Declares real work, such as a model call: a virtual clock stands still until it has settled. Returns what it was given. */
  readonly real: <T>(work: Promise<T>) => Promise<T>;
}

/** The real clock; a sleep ends early, without an error, when the signal is aborted. */
export function realClock(signalOf: () => AbortSignal): Clock {
  return { now, sleep: (ms) => sleep(ms, signalOf()), real: (work) => work };
}
