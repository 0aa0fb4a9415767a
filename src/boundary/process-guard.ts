import { failure } from "../shared/error.ts";
import { hostGlobal } from "../shared/host.ts";
import { isClockClosed } from "./clock-error.ts";
import { concerned, currentHandlers } from "./trial-handlers.ts";

type Fn = (this: unknown, ...args: unknown[]) => unknown;

/** A hold on the guard of this process. */
export interface ProcessGuard {
  /** Lets go; with the last one all is as it was before. */
  release(): void;
}

interface Shared {
  holds: number;
  restore?: () => void;
}

const SHARED: unique symbol = Symbol.for("twiceshy.process-guard") as never;
const OURS = Symbol.for("twiceshy.guarded");

/**
 * Keeps the code of trials from ending the process: `process.exit`, `reallyExit`, `abort` and a `kill` of the process
 * itself throw there and tell the trial; a stray rejection or an uncaught exception of a trial is told to it alone.
 * All that is not a trial's goes its way as before.
 */
export function guardProcess(): ProcessGuard {
  const shared = globalThis as { [SHARED]?: Shared };
  const state = (shared[SHARED] ??= { holds: 0 });
  if (state.holds++ === 0) state.restore = install();
  let held = true;
  return {
    release() {
      if (!held) return;
      held = false;
      if (--state.holds > 0) return;
      state.restore?.();
      delete state.restore;
    },
  };
}

function install(): () => void {
  const restores = [
    ...["exit", "reallyExit", "abort"].map((name) =>
      patch(process, name, (real) => refuseExit(name, real)),
    ),
    patch(process, "kill", refuseKill),
    // What nobody caught is told to the thread's own process; in a realm, `process` may be a copy of it.
    patch(hostGlobal().process, "emit", tellTrials),
  ];
  return () => {
    for (const restore of restores.reverse()) restore();
  };
}

function patch(holder: object, name: string, wrap: (real: Fn) => Fn): () => void {
  const descriptor = Object.getOwnPropertyDescriptor(holder, name);
  const real: unknown = Reflect.get(holder, name);
  // One that somebody kept and put back later is not wrapped again.
  if (typeof real !== "function" || OURS in real) return () => undefined;
  const ours = wrap(real as Fn);
  Object.defineProperty(ours, OURS, { value: true });
  Object.defineProperty(ours, "name", { value: name, configurable: true });
  Object.defineProperty(holder, name, {
    value: ours,
    writable: true,
    enumerable: descriptor?.enumerable ?? true,
    configurable: true,
  });
  return () => {
    if (Reflect.get(holder, name) !== ours) return;
    if (descriptor === undefined) Reflect.deleteProperty(holder, name);
    else Object.defineProperty(holder, name, descriptor);
  };
}

function refuseExit(name: string, real: Fn): Fn {
  return function (this: unknown, ...args) {
    refuse(`process.${name}(${args.map((arg) => String(arg)).join(", ")})`);
    return Reflect.apply(real, this, args);
  };
}

function refuseKill(real: Fn): Fn {
  return function (this: unknown, ...args) {
    const [pid, signal] = args;
    // Signal 0 only asks whether the process is there; a group is named by a negative number, the own one by 0.
    const itself = pid === process.pid || pid === 0 || pid === -process.pid;
    if (itself && signal !== 0) refuse(`process.kill of its own process`);
    return Reflect.apply(real, this, args);
  };
}

/** Throws, in a trial; the trial is told before, as the agent may catch it. */
function refuse(called: string): void {
  const handlers = currentHandlers();
  if (handlers === undefined) return;
  const error = failure("E_PROCESS_EXIT", {
    to: `run ${called} in a trial`,
    because: "it would end the test runner and all other trials",
    fix: "Return a completion, or throw an error, where the agent wants to stop",
  });
  handlers.onExit?.(error);
  throw error;
}

function tellTrials(real: Fn): Fn {
  return function (this: unknown, ...args) {
    const [event, error] = args;
    if (event === "unhandledRejection" && takeRejection(error)) return true;
    if (event === "uncaughtException" && takeUncaught(error)) return true;
    if (event === "uncaughtExceptionMonitor" && hasTaker("onUncaught")) return true;
    return Reflect.apply(real, this, args);
  };
}

/** Node runs this in the context in which the promise was made. */
function takeRejection(reason: unknown): boolean {
  if (isClockClosed(reason)) return true;
  let taken = false;
  for (const { handlers, about } of concerned()) {
    if (handlers.onRejection === undefined) continue;
    handlers.onRejection(reason, about);
    taken = true;
  }
  return taken;
}

function takeUncaught(error: unknown): boolean {
  if (isClockClosed(error)) return true;
  let taken = false;
  for (const { handlers, about } of concerned()) {
    if (handlers.onUncaught === undefined) continue;
    handlers.onUncaught(error, about);
    taken = true;
  }
  return taken;
}

function hasTaker(name: "onUncaught" | "onRejection"): boolean {
  return concerned().some(({ handlers }) => handlers[name] !== undefined);
}
