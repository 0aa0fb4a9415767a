import { within } from "./ambient.ts";
import { bindTime } from "./bound-time.ts";
import { liveAnswer, type Boundary } from "./boundary.ts";
import { realClock, type Clock } from "./clock.ts";
import { turn } from "./idle-turn.ts";
import { guardTrialNetwork } from "./network.ts";
import { guardProcess } from "./process-guard.ts";
import { runningTrials, withHandlers, type TrialHandlers } from "./trial-handlers.ts";
import { asVirtualClock } from "./virtual-time.ts";
import { watch } from "./watchdog.ts";

/** What a trial's code is kept in. */
export interface ContainmentOptions extends TrialHandlers {
  /** A clock of this trial alone. Default: the real one. */
  readonly clock?: Clock;
  /** Real milliseconds after which a synchronous loop is ended. Default: none is. */
  readonly ms?: number;
}

/** A trial under way. */
export interface Containment {
  /** Why a synchronous endless loop cannot be ended here; missing where it can, or was not asked for. */
  readonly watchdog?: "unavailable";
  /**
   * Runs code, and all that it starts, in the trial; gives what it gives. It starts in a turn of its own of the event loop
   * (a microtask, without a watchdog): were it on the caller's stack, the end of a loop would end the caller, too.
   */
  run<T>(boundary: Boundary, run: () => T | Promise<T>): Promise<T>;
  /** The trial is over. What its leftovers do is still kept from the process, and told to it, but no longer put down to it by guess. Idempotent. */
  leave(): void;
}

interface Lease {
  release?: () => void;
  /** Whether a trial ran since the last look. */
  used: boolean;
}

const LEASE: unique symbol = Symbol.for("twiceshy.containment") as never;
const LINGER_MS = 250;
const IDLE: Boundary = { call: liveAnswer, nextId: () => "" };

// Taken when this file is loaded, so that fake timers of a test do not matter.
const realSetInterval = globalThis.setInterval;
const realClearInterval = globalThis.clearInterval;

/**
 * Keeps the code of one trial from ending or stopping the process: it runs on a clock of its own, `process.exit` is
 * refused, stray errors are told to the trial that made them, and endless loops are ended. Where its handlers say so, it
 * reaches no live host.
 */
export function openContainment(options: ContainmentOptions): Containment {
  const clock = withHandlers(ownClock(options.clock), options);
  const trials = runningTrials();
  lease();
  trials.add(options);
  const { ms, onBlocked } = options;
  const watched = ms === undefined || onBlocked === undefined ? undefined : watch(ms, onBlocked);
  const start = typeof watched === "function" ? turn : () => Promise.resolve();
  return {
    ...(watched === "unavailable" ? { watchdog: watched } : {}),
    run: (boundary, run) => start().then(() => within(boundary, run, clock)),
    leave() {
      trials.delete(options);
      if (typeof watched === "function") watched();
    },
  };
}

/** The same for code that is run once. */
export function contain<T>(
  run: () => T | Promise<T>,
  options: ContainmentOptions & { readonly boundary: Boundary },
): Containment & { readonly result: Promise<T> } {
  const containment = openContainment(options);
  return { ...containment, result: containment.run(options.boundary, run) };
}

/** The handlers hang on the clock, so a real one is made anew for each trial. */
function ownClock(clock: Clock | undefined): Clock {
  if (asVirtualClock(clock) !== undefined && clock !== undefined) return clock;
  const { now, sleep, real } = clock ?? realClock(() => new AbortController().signal);
  return {
    now: () => now.call(clock),
    sleep: (ms) => sleep.call(clock, ms),
    real: (work) => real.call(clock, work) as typeof work,
  };
}

/** The patches stay for a while after the last trial: the next one mostly comes at once. */
function lease(): void {
  const shared = globalThis as { [LEASE]?: Lease };
  const state = (shared[LEASE] ??= { used: false });
  state.used = true;
  if (state.release !== undefined) return;
  // The storage of contexts begins with its first use: a promise that was made before has no context of its own.
  within(IDLE, () => undefined);
  const releaseTime = bindTime();
  const guard = guardProcess();
  const openNetwork = guardTrialNetwork();
  const timer = realSetInterval(() => {
    if (!state.used && runningTrials().size === 0) state.release?.();
    state.used = false;
  }, LINGER_MS);
  timer.unref();
  state.release = () => {
    realClearInterval(timer);
    openNetwork();
    guard.release();
    releaseTime();
    delete state.release;
  };
}
