/**
 * The real clock. The functions are taken when this file is loaded, so that fake timers which a test
 * installs later neither stop our budgets nor change what we measure.
 */
const RealDate = globalThis.Date;
const realSetTimeout = globalThis.setTimeout;
const realClearTimeout = globalThis.clearTimeout;
const realSetImmediate = globalThis.setImmediate;
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

/** One turn of the event loop: everything that can run without waiting has run. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    realSetImmediate(resolve);
  });
}

/** As `turn`, and calls a function then: each promise that is not made is one less to follow. */
export function afterTurn(fn: () => void): void {
  realSetImmediate(fn);
}

/** Something to call at a point of the monotonic clock. */
interface Deadline {
  readonly at: number;
  readonly fn: () => void;
}

/** All deadlines share one timer: most are called off within a millisecond, and starting a timer for each costs more. */
interface Deadlines {
  readonly waiting: Set<Deadline>;
  timer?: NodeJS.Timeout | undefined;
  /** When the timer fires. */
  wakesAt: number;
}

const DEADLINES: unique symbol = Symbol.for("twiceshy.deadlines") as never;

/** Calls `fn` once after `ms`, unless the returned function was called before. */
export function deadline(ms: number, fn: () => void): () => void {
  const shared = globalThis as { [DEADLINES]?: Deadlines };
  const all = (shared[DEADLINES] ??= { waiting: new Set(), wakesAt: 0 });
  const entry = { at: monotonic() + delay(ms), fn };
  all.waiting.add(entry);
  wakeAt(all, entry.at);
  return () => {
    // The timer stays for the next ones, but no process waits for it.
    if (all.waiting.delete(entry) && all.waiting.size === 0) all.timer?.unref();
  };
}

function wakeAt(all: Deadlines, at: number): void {
  if (all.timer !== undefined && all.wakesAt <= at) {
    all.timer.ref();
    return;
  }
  realClearTimeout(all.timer);
  all.wakesAt = at;
  all.timer = realSetTimeout(() => wake(all), Math.max(1, at - monotonic()));
}

function wake(all: Deadlines): void {
  all.timer = undefined;
  const time = monotonic();
  const due = [...all.waiting].filter(({ at }) => at <= time);
  for (const entry of due) all.waiting.delete(entry);
  const next = Math.min(...Array.from(all.waiting, ({ at }) => at));
  if (next !== Number.POSITIVE_INFINITY) wakeAt(all, next);
  for (const { fn } of due) fn();
}

/** Blocks this thread; for the short waits between synchronous retries. */
export function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, delay(ms));
}
