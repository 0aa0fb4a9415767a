import { ambientState, leaveAmbient } from "./ambient.ts";
import type { Clock } from "./clock.ts";
import type { RealTimers } from "./real-timers.ts";

/** What a trial wants to be told of what its code does to the whole process. */
export interface TrialHandlers {
  /** It tried to end the process. */
  readonly onExit?: (error: Error) => void;
  /** A promise was rejected that nobody waited for. */
  readonly onRejection?: (reason: unknown, about: Attribution) => void;
  /** A timer, an event handler or another callback threw. */
  readonly onUncaught?: (error: unknown, about: Attribution) => void;
  /** It did not come back to the event loop, and was stopped. */
  readonly onBlocked?: (error: Error) => void;
  /** How its live network is closed. Default: it is not. */
  readonly network?: TrialNetwork;
  /** Where its repeating timers are kept, where its clock is the real one. */
  readonly timers?: RealTimers;
}

export interface TrialNetwork {
  /** Hosts that it may reach, as for `guardNetwork`. */
  readonly allow: readonly string[];
  /** The simulated tool whose code runs now. */
  readonly toolOf?: () => string | undefined;
  /** Told of what was refused, where it happened: the agent may catch the error. */
  readonly onRefused: (error: Error, tool: string | undefined) => void;
}

/** Whose it is. */
export interface Attribution {
  /** `own`: it came from this trial's code. `likely`: no other trial ran. `one of`: several ran, and each is told. */
  readonly certainty: "own" | "likely" | "one of";
}

/** What the trials of a process share. */
interface Trials {
  readonly running: Set<TrialHandlers>;
}

const TRIALS: unique symbol = Symbol.for("twiceshy.trials") as never;
/** Where a trial's clock keeps who is to be told: whatever the trial's code starts finds it there, also after the end. */
const HANDLERS: unique symbol = Symbol.for("twiceshy.trial-handlers") as never;

/** Trials that run now. */
export function runningTrials(): Set<TrialHandlers> {
  const shared = globalThis as { [TRIALS]?: Trials };
  return (shared[TRIALS] ??= { running: new Set() }).running;
}

/** A clock of one trial's own that carries who is to be told. */
export function withHandlers(clock: Clock, handlers: TrialHandlers): Clock {
  (clock as { [HANDLERS]?: TrialHandlers })[HANDLERS] = handlers;
  return clock;
}

/** Of the trial whose code runs now, also of one that has ended; undefined outside of trials. */
export function currentHandlers(): TrialHandlers | undefined {
  const clock = ambientState()?.clock as { [HANDLERS]?: TrialHandlers } | undefined;
  return clock?.[HANDLERS];
}

/** Who is told of something that happened now: the trial whose code runs, else those that could have done it. */
export function concerned(): { readonly handlers: TrialHandlers; readonly about: Attribution }[] {
  const own = currentHandlers();
  if (own !== undefined) return [{ handlers: own, about: { certainty: "own" } }];
  const running = [...runningTrials()];
  const certainty = running.length === 1 ? "likely" : "one of";
  return running.map((handlers) => ({ handlers, about: { certainty } }));
}

/**
 * Takes the code that runs now out of its trial, for good: what is terminated cannot put back what was there before, and
 * whatever is run next on the same resource would take itself for the trial's.
 */
export function leaveContext(): void {
  leaveAmbient();
}

/** Runs a callback that nobody waits for; what it throws is told to its trial, else it is an uncaught exception as ever. */
export function runReported(run: () => void): void {
  try {
    run();
  } catch (error) {
    const own = currentHandlers();
    if (own?.onUncaught !== undefined) own.onUncaught(error, { certainty: "own" });
    else
      process.nextTick(() => {
        throw error;
      });
  }
}
