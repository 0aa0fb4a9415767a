import { Session, url } from "node:inspector";
import { isMainThread, Worker } from "node:worker_threads";
import { monotonic } from "../shared/clock.ts";
import { failure } from "../shared/error.ts";
import { hostGlobal } from "../shared/host.ts";
import { insideNode } from "./caller.ts";
import { reviveTurns, runningTurn } from "./idle-turn.ts";
import { canRescue, rescueImmediates } from "./immediate-rescue.ts";
import { currentHandlers, leaveContext } from "./trial-handlers.ts";
import { ASKING, BEAT, LIMIT, PLACES, WATCHDOG, WATCHED } from "./watchdog-worker.ts";

/** `later`: not at this point of the code. */
type Stopped = "stopped" | "later" | "alive";
type OnBlocked = (error: Error) => void;

/** The watchdog of a process; its thread reaches `probe` and `stop` by the name on `globalThis`. */
interface Watchdog {
  readonly memory: Int32Array;
  readonly watching: Map<OnBlocked, number>;
  readonly probe: () => boolean;
  readonly stop: (beat: number) => Stopped;
  heart?: { readonly timer: NodeJS.Timeout; readonly everyMs: number };
  /** Whether something was watched since the last beat. */
  used: boolean;
  /** Ends the watch for good: a realm that is left behind must not go on being watched. */
  readonly end: () => void;
}

const NAME = "twiceshy.watchdog";
const STATE: unique symbol = Symbol.for(NAME) as never;

// Taken when this file is loaded, so that fake timers of a test do not stop the heart.
const realSetInterval = globalThis.setInterval;
const realClearInterval = globalThis.clearInterval;
const realSetImmediate = globalThis.setImmediate;

const SLOWEST_BEAT_MS = 50;
const LONGEST_FAREWELL_MS = 300;

/**
 * Ends a synchronous endless loop: when this thread has not come back to its event loop for `ms`, its execution is
 * terminated from outside and `onBlocked` is told, from the event loop that then goes on. The function that looped never
 * settles; so whoever waits for it must not have called it on their own stack. What else waited for the same run of
 * promises is lost, too. Off under a debugger. Gives the function that ends the watch; `unavailable` outside of the
 * main thread (Vitest's pool `threads`) and in a Node that is not as known here: there nothing can end such a loop.
 */
export function watch(ms: number, onBlocked: OnBlocked): (() => void) | "unavailable" {
  const watchdog = running();
  if (watchdog === undefined) return "unavailable";
  const { memory, watching } = watchdog;
  watching.set(onBlocked, ms);
  watchdog.used = true;
  const limit = watching.size === 1 ? ms : Math.min(memory[LIMIT] ?? ms, ms);
  memory[LIMIT] = limit;
  memory[BEAT] = (memory[BEAT] ?? 0) + 1;
  memory[WATCHED] = watching.size;
  beatAtLeast(watchdog, Math.min(SLOWEST_BEAT_MS, Math.max(1, limit / 8)));
  return () => {
    watching.delete(onBlocked);
    memory[BEAT] = (memory[BEAT] ?? 0) + 1;
    memory[WATCHED] = watching.size;
  };
}

function running(): Watchdog | undefined {
  const shared = globalThis as { [STATE]?: Watchdog | "unavailable" };
  const known = (shared[STATE] ??= start());
  return known === "unavailable" ? undefined : known;
}

function start(): Watchdog | "unavailable" {
  if (!isMainThread || !canStop()) return "unavailable";
  const memory = new SharedArrayBuffer(PLACES * Int32Array.BYTES_PER_ELEMENT);
  const state = `globalThis[Symbol.for(${JSON.stringify(NAME)})]`;
  let worker: Worker;
  try {
    worker = new Worker(WATCHDOG, {
      eval: true,
      workerData: { memory, probe: `${state}.probe()`, stop: `${state}.stop` },
      // Loaders and hooks of the process are nothing to it.
      execArgv: [],
      env: {},
    });
    worker.unref();
    // A thread that cannot run leaves the trials without a watchdog, and no more.
    worker.on("error", () => undefined);
  } catch {
    return "unavailable";
  }
  const places = new Int32Array(memory);
  const host = hostGlobal() as { readonly process: NodeJS.Process; [STATE]?: unknown };
  const farewell = (): void => endSession(places);
  host.process.on("exit", farewell);
  const watchdog: Watchdog = {
    memory: places,
    watching: new Map(),
    used: true,
    probe: () => url() === undefined && watchdog.watching.size > 0,
    stop: (beat) => stop(watchdog, beat),
    end() {
      realClearInterval(watchdog.heart?.timer);
      host.process.off("exit", farewell);
      void worker.terminate();
      Reflect.deleteProperty(globalThis, STATE);
      if (host[STATE] === watchdog) Reflect.deleteProperty(host, STATE);
    },
  };
  // The watching thread looks for it there, also when it watches a realm.
  host[STATE] = watchdog;
  return watchdog;
}

/**
 * Lets the watching thread end its session: Node waits for it before it ends, and prints that it waits for a debugger.
 * Its messages are heard between two steps of code that runs.
 */
function endSession(memory: Int32Array): void {
  const start = monotonic();
  memory[BEAT] = (memory[BEAT] ?? 0) + 1;
  while (Atomics.load(memory, ASKING) === 1 && monotonic() - start < LONGEST_FAREWELL_MS);
}

/** The beat goes on while something is watched, and ends itself: a timer that is left would keep a process with a stopped timer alive. */
function beatAtLeast(watchdog: Watchdog, everyMs: number): void {
  if (watchdog.heart !== undefined) {
    if (watchdog.heart.everyMs <= everyMs) return;
    realClearInterval(watchdog.heart.timer);
  }
  const timer = realSetInterval(() => {
    const { memory } = watchdog;
    memory[BEAT] = (memory[BEAT] ?? 0) + 1;
    if (watchdog.watching.size === 0 && !watchdog.used) {
      realClearInterval(timer);
      delete watchdog.heart;
    }
    watchdog.used = false;
  }, everyMs);
  timer.unref();
  watchdog.heart = { timer, everyMs };
}

/** Runs inside of the loop, between two of its steps. */
function stop(watchdog: Watchdog, beat: number): Stopped {
  if (watchdog.memory[BEAT] !== beat || url() !== undefined) return "alive";
  if (insideNode(watchdog.stop)) return "later";
  const own = currentHandlers()?.onBlocked;
  const told = own === undefined ? [...watchdog.watching.keys()] : [own];
  const ms = watchdog.memory[LIMIT] ?? 0;
  const rescue = rescueImmediates(runningTurn());
  const session = new Session();
  leaveContext();
  realSetImmediate(() => {
    session.disconnect();
    // So that the watching thread ends its session, too.
    watchdog.memory[BEAT] = (watchdog.memory[BEAT] ?? 0) + 1;
    rescue();
    reviveTurns();
    for (const onBlocked of told) onBlocked(blocked(ms));
  });
  forgetAsyncStack();
  session.connect();
  session.post("Runtime.terminateExecution");
  return "stopped";
}

/** Whether this Node has what a stop must mend: without it, the process would not outlive one. */
function canStop(): boolean {
  const { _fatalException: fatal } = hostGlobal().process as { readonly _fatalException?: unknown };
  return typeof fatal === "function" && canRescue();
}

/**
 * Node ends the process when it finds the ids of asynchronous contexts that the terminated functions have not taken off
 * its stack. It takes all of them off after an uncaught exception that was handled, so it is given one that nobody sees.
 */
function forgetAsyncStack(): void {
  const { process } = hostGlobal();
  const emit = Object.getOwnPropertyDescriptor(process, "emit");
  Object.defineProperty(process, "emit", { value: () => true, configurable: true });
  try {
    const { _fatalException: fatal } = process as unknown as {
      _fatalException?: (error: Error, fromPromise: boolean) => boolean;
    };
    fatal?.call(process, new Error("stopped"), false);
  } finally {
    if (emit === undefined) Reflect.deleteProperty(process, "emit");
    else Object.defineProperty(process, "emit", emit);
  }
}

function blocked(ms: number): Error {
  return failure("E_AGENT_BLOCKED", {
    to: "come back to the event loop",
    because: `the code of the trial ran for ${ms} ms without a pause, as an endless loop does, and was stopped`,
    fix: "Look for a loop whose end is never reached, or give long work a pause",
  });
}
