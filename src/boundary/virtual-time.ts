import { AsyncResource } from "node:async_hooks";
import { monotonic } from "../shared/clock.ts";
import { clockClosed, delayProblem, tooManyTimers } from "./clock-error.ts";
import type { Clock } from "./clock.ts";
import { stepWhenIdle, type Stepper } from "./idle-turn.ts";
import { RealWork, turnsAsked } from "./real-work.ts";
import { TimerQueue } from "./timer-queue.ts";
import { runReported } from "./trial-handlers.ts";

/** What a virtual clock is made of. */
export interface VirtualClockOptions {
  /** Epoch milliseconds at the start. */
  readonly startMs: number;
  /** Virtual milliseconds until its end. */
  readonly budgetMs: number;
  /** Told once, when the next timer lies beyond the budget: time then stands at the budget's end. */
  readonly onBudget?: () => void;
  /** Told of each delay that is no delay and of each timer too many, also when the agent catches the error. */
  readonly onMisuse?: (error: Error) => void;
  /** Timers and sleeps in all. Default: 100,000. */
  readonly maxTimers?: number;
  /** Real milliseconds to wait for undeclared real work that makes no progress. Default: 10,000. */
  readonly realWaitMs?: number;
}

type TimerCallback = (...args: never[]) => unknown;

export type TimerKind = "sleep" | "timeout" | "interval";

/** A timer that waits. */
export interface PendingTimer {
  readonly kind: TimerKind;
  /** Epoch milliseconds of the virtual clock. */
  readonly due: number;
}

/** What is done when a timer is due. */
interface Work {
  readonly kind: TimerKind;
  readonly delay: number;
  readonly run: () => void;
  /** Told when the clock is closed before. */
  readonly abandon?: () => void;
}

/** One place in the queue; a timer that is started anew takes another. */
interface Place {
  readonly due: number;
  readonly order: number;
  /** Missing when nobody waits for it any more. */
  timer: Timer | undefined;
}

interface Timer {
  readonly work: Work;
  /** Missing while it does not wait. */
  place?: Place | undefined;
  cancelled?: boolean;
}

/** A timer of a virtual clock, to be cancelled or started anew. */
export interface VirtualTimer {
  readonly clock: VirtualClock;
  /** Whether it waits. */
  readonly pending: boolean;
  /** Starts it anew from now, also when it was done. */
  refresh(): void;
  cancel(): void;
}

const VIRTUAL: unique symbol = Symbol.for("twiceshy.virtual-clock") as never;
const MOST_TIMERS = 100_000;
const MOST_REFUSALS = 100;
const MOST_ASKED_TURNS = 50;
const REAL_WAIT_MS = 10_000;
/** Node takes a longer delay for 1 ms. */
const LONGEST_DELAY = 2_147_483_647;

/**
 * Time of one trial: it costs no real time. It goes forward to the next timer only when the process is idle: no promise
 * can go on, nobody holds it, no declared real work is pending and no other is seen. Without a timer nothing is scheduled.
 */
export class VirtualClock implements Clock, Stepper {
  readonly [VIRTUAL] = true;
  readonly startMs: number;
  readonly #options: VirtualClockOptions;
  readonly #queue = new TimerQueue<Place>();
  readonly #work = new RealWork();
  #now: number;
  #made = 0;
  #waiting = 0;
  #fired = 0;
  #refused = 0;
  #lateSleeps = 0;
  #holds = 0;
  #state: "open" | "exhausted" | "closed" = "open";
  #askedTurns = 0;
  #wait: { readonly progress: number; readonly since: number } | undefined;

  constructor(options: VirtualClockOptions) {
    this.#options = options;
    this.startMs = options.startMs;
    this.#now = options.startMs;
  }

  now(): number {
    return this.#now;
  }

  /**
   * Rejects with a RangeError for a delay that is negative or no finite number, and with an error of the code
   * `E_CLOCK_CLOSED` when the trial has ended, also while it waits.
   */
  sleep(ms: number): Promise<void> {
    if (this.#state === "closed") return this.#late();
    const problem = delayProblem(ms) ?? (this.#full() ? tooManyTimers(this.#made) : undefined);
    if (problem !== undefined) return this.#refuse(problem);
    const slept = new Promise<void>((resolve, reject) => {
      const abandon = (): void => {
        slept.catch(() => undefined);
        reject(clockClosed());
      };
      this.#start({ work: { kind: "sleep", delay: ms, run: resolve, abandon } });
    });
    return slept;
  }

  real<T>(work: Promise<T>): Promise<T> {
    const release = this.hold();
    void Promise.resolve(work).then(release, release);
    return work;
  }

  /** Stops the clock until the function that it gives is called. */
  hold(): () => void {
    let held = true;
    this.#holds += 1;
    return () => {
      if (!held) return;
      held = false;
      this.#holds -= 1;
      this.#wake();
    };
  }

  /** Calls a function once, in the asynchronous context of now. Delays are whole milliseconds from 1, as in Node. */
  schedule(fn: TimerCallback, ms: number, args: readonly unknown[] = []): VirtualTimer {
    return this.#schedule("timeout", ms, () => Reflect.apply(fn, undefined, args));
  }

  /** Calls a function again and again. */
  every(fn: TimerCallback, ms: number, args: readonly unknown[] = []): VirtualTimer {
    return this.#schedule("interval", ms, () => Reflect.apply(fn, undefined, args));
  }

  cancel(timer: VirtualTimer): void {
    timer.cancel();
  }

  /** What waits now, in the order of the times. */
  pending(): PendingTimer[] {
    if (this.#waiting === 0) return [];
    return this.#queue.list().flatMap(({ timer, due }) => {
      return timer === undefined ? [] : [{ kind: timer.work.kind, due }];
    });
  }

  /** Ends it: time stands still for ever, sleeps that wait reject, timers are dropped. */
  close(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    for (const { timer } of this.#queue.drain()) timer?.work.abandon?.();
  }

  /** Whether it is known to wait for nothing: no timer, no declared work, no other that is seen. */
  get idle(): boolean {
    return this.#waiting === 0 && this.#holds === 0 && this.#work.progress() === undefined;
  }

  /** Timers and sleeps that were made (each repeat of an interval counts), and how many came due. */
  get stats(): { readonly made: number; readonly fired: number; readonly elapsedMs: number } {
    return { made: this.#made, fired: this.#fired, elapsedMs: this.#now - this.startMs };
  }

  /** One turn of an idle process; the turns alone call it. */
  step(): "turn" | "wait" | "done" {
    const next = this.#next();
    if (this.#state !== "open" || this.#holds > 0 || next === undefined) return "done";
    if (this.#busy()) return "wait";
    const end = this.startMs + this.#options.budgetMs;
    if (next.due > end) {
      this.#state = "exhausted";
      this.#now = Math.max(this.#now, end);
      this.#options.onBudget?.();
      return "done";
    }
    this.#now = Math.max(this.#now, next.due);
    this.#fire(next);
    return "turn";
  }

  /** The first place that somebody waits for. */
  #next(): (Place & { readonly timer: Timer }) | undefined {
    for (;;) {
      const first = this.#queue.first();
      if (first === undefined) return undefined;
      if (isTaken(first)) return first;
      this.#queue.shift();
    }
  }

  #fire({ timer }: { readonly timer: Timer }): void {
    this.#queue.shift();
    this.#waiting -= 1;
    this.#fired += 1;
    this.#askedTurns = 0;
    timer.place = undefined;
    timer.work.run();
    // Its own callback may have cancelled it or started it anew.
    if (timer.work.kind !== "interval" || timer.cancelled === true || timer.place !== undefined)
      return;
    this.#begin(timer);
  }

  #schedule(kind: TimerKind, ms: number, fn: () => void): VirtualTimer {
    const context = new AsyncResource("TwiceshyTimer", { requireManualDestroy: true });
    const run = (): void => context.runInAsyncScope(runReported, undefined, fn);
    const delay = ms >= 1 && ms <= LONGEST_DELAY ? Math.trunc(ms) : 1;
    const timer: Timer = { work: { kind, delay, run } };
    this.#begin(timer);
    return {
      clock: this,
      get pending() {
        return timer.place !== undefined;
      },
      refresh: () => {
        if (timer.cancelled === true) return;
        this.#leave(timer);
        this.#begin(timer);
      },
      cancel: () => {
        timer.cancelled = true;
        this.#leave(timer);
      },
    };
  }

  /** Starts a timer whose maker is told nothing when it cannot be. */
  #begin(timer: Timer): void {
    if (this.#state === "closed") return;
    if (this.#full()) this.#tell(tooManyTimers(this.#made));
    else this.#start(timer);
  }

  #start(timer: Timer): void {
    const place: Place = { due: this.#now + timer.work.delay, order: this.#made++, timer };
    timer.place = place;
    this.#waiting += 1;
    this.#queue.add(place);
    this.#wake();
  }

  #leave(timer: Timer): void {
    if (timer.place === undefined) return;
    timer.place.timer = undefined;
    timer.place = undefined;
    this.#waiting -= 1;
    // Clients set a timeout for every request and clear it again.
    if (this.#queue.size > 64 && this.#queue.size > 2 * this.#waiting)
      this.#queue.keep((place) => place.timer !== undefined);
  }

  #wake(): void {
    if (this.#state === "open" && this.#holds === 0 && this.#waiting > 0) stepWhenIdle(this);
  }

  /** Whether real work goes on that nobody declared. It is waited for while it makes progress, and `realWaitMs` longer. */
  #busy(): boolean {
    if (this.#askedTurns < MOST_ASKED_TURNS && turnsAsked()) {
      this.#askedTurns += 1;
      return true;
    }
    const progress = this.#work.progress();
    if (progress === undefined) {
      this.#wait = undefined;
      return false;
    }
    const now = monotonic();
    if (this.#wait?.progress !== progress) this.#wait = { progress, since: now };
    if (now - this.#wait.since < (this.#options.realWaitMs ?? REAL_WAIT_MS)) return true;
    this.#work.giveUp();
    this.#wait = undefined;
    return false;
  }

  #full(): boolean {
    return this.#made >= (this.#options.maxTimers ?? MOST_TIMERS);
  }

  #tell(problem: Error): void {
    if (this.#refused++ < MOST_REFUSALS) this.#options.onMisuse?.(problem);
  }

  /** An agent that tries again and again whatever it is told must not run for ever: it is left waiting. */
  #refuse(problem: Error): Promise<never> {
    this.#tell(problem);
    return this.#refused > MOST_REFUSALS ? never() : Promise.reject(problem);
  }

  /** A rejection that is no stray one when nobody waits for it. */
  #late(): Promise<never> {
    if (this.#lateSleeps++ >= MOST_REFUSALS) return never();
    const rejection = Promise.reject(clockClosed());
    rejection.catch(() => undefined);
    return rejection;
  }
}

function never(): Promise<never> {
  return new Promise<never>(() => undefined);
}

function isTaken(place: Place): place is Place & { readonly timer: Timer } {
  return place.timer !== undefined;
}

/** The virtual clock that a value is, of any copy of the package. */
export function asVirtualClock(value: object | undefined): VirtualClock | undefined {
  return value !== undefined && VIRTUAL in value ? (value as VirtualClock) : undefined;
}
