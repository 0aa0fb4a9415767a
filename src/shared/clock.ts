/**
 * The real clock. The functions are taken when this file is loaded, so that fake timers which a test
 * installs later neither stop our budgets nor change what we measure.
 */
const RealDate = globalThis.Date;
const realSetTimeout = globalThis.setTimeout;
const realClearTimeout = globalThis.clearTimeout;
const realMonotonic = globalThis.performance.now.bind(globalThis.performance);

/** Longer delays fire at once in Node; about 24.8 days. */
const LONGEST_DELAY = 2_147_483_647;

function delay(ms: number): number {
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), LONGEST_DELAY);
}

/** Epoch milliseconds. Information only: this clock may jump, so never order or measure by it. */
export function now(): number {
  return RealDate.now();
}

/** Milliseconds of a clock that never goes backwards; only differences mean something. */
export function monotonic(): number {
  return realMonotonic();
}

/** The date of a point in time: epoch milliseconds or an ISO text; an invalid date for anything else. */
export function dateAt(time: number | string): Date {
  return new RealDate(time);
}

/** Waits; ends early, without an error, when the signal is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const end = (): void => {
      realClearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = realSetTimeout(end, delay(ms));
    signal?.addEventListener("abort", end, { once: true });
  });
}

/** Calls `fn` once after `ms`, unless the returned function was called before. */
export function deadline(ms: number, fn: () => void): () => void {
  const timer = realSetTimeout(fn, delay(ms));
  return () => {
    realClearTimeout(timer);
  };
}

/** Blocks this thread; for the short waits between synchronous retries. */
export function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, delay(ms));
}
