import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers";
import promises from "node:timers/promises";
import { promisify } from "node:util";
import { ambientState } from "./ambient.ts";
import { boundAbortTimeout, boundDate, type DateLike } from "./bound-date.ts";
import { boundTimeoutOf, makeTimeout, type BoundTimeout } from "./bound-timeout.ts";
import { repeatedly, waited, type Wait } from "./bound-waits.ts";
import { calledByClient } from "./caller.ts";
import { currentHandlers } from "./trial-handlers.ts";
import { asVirtualClock, type VirtualClock } from "./virtual-time.ts";

type Fn = (this: unknown, ...args: unknown[]) => unknown;

interface Bound {
  holds: number;
  restore?: () => void;
}

/** Whether a function is a wrapper of ours: one that somebody kept and put back later is not wrapped again. */
const OURS = Symbol.for("twiceshy.bound");
const BOUND: unique symbol = Symbol.for("twiceshy.time") as never;

/**
 * Binds the time of this process to the trial that runs: timers, `Date`, `performance.now`, `node:timers` and
 * `node:timers/promises`, `util.promisify(setTimeout)` and `AbortSignal.timeout` go by the virtual clock of the
 * asynchronous context they are used in; where there is none, and for `setImmediate`, `queueMicrotask`,
 * `process.nextTick`, `process.hrtime` and the marks of `performance`, all is as before. Gives the function that lets go;
 * the last one restores what nobody else has patched meanwhile.
 */
export function bindTime(): () => void {
  const shared = globalThis as { [BOUND]?: Bound };
  const state = (shared[BOUND] ??= { holds: 0 });
  if (state.holds++ === 0) state.restore = install();
  let held = true;
  return () => {
    if (!held) return;
    held = false;
    if (--state.holds > 0) return;
    state.restore?.();
    delete state.restore;
  };
}

/** The virtual clock of the code that runs now. */
function current(): VirtualClock | undefined {
  return asVirtualClock(ambientState()?.clock);
}

function install(): () => void {
  const restores = [globalThis, timers].flatMap((holder) => [
    patch(holder, "setTimeout", (real) => timeoutOf(real)),
    patch(holder, "setInterval", intervalOf),
    patch(holder, "clearTimeout", clearOf),
    patch(holder, "clearInterval", clearOf),
  ]);
  restores.push(
    patch(promises, "setTimeout", (real) =>
      waitOf(real, ([ms, value, options]) => ({ ms, value, options })),
    ),
    patch(promises, "setInterval", repeatOf),
    patch(promises.scheduler, "wait", (real) => waitOf(real, ([ms, options]) => ({ ms, options }))),
    patch(globalThis.performance, "now", performanceOf),
    patch(AbortSignal, "timeout", (real) => boundAbortTimeout(real, current)),
    patchDate(),
  );
  // So that `import { setTimeout } from "node:timers/promises"` sees it.
  syncBuiltinESMExports();
  return () => {
    for (const restore of restores.reverse()) restore();
    syncBuiltinESMExports();
  };
}

function patch(holder: object, name: string, wrap: (real: Fn) => Fn): () => void {
  const descriptor = Object.getOwnPropertyDescriptor(holder, name);
  const real: unknown = Reflect.get(holder, name);
  if (typeof real !== "function" || OURS in real) return () => undefined;
  const ours = wrap(real as Fn);
  Object.defineProperty(ours, "name", { value: real.name, configurable: true });
  Object.defineProperty(ours, "length", { value: real.length, configurable: true });
  return put({ holder, name, descriptor }, ours);
}

interface Place {
  readonly holder: object;
  readonly name: string;
  readonly descriptor: PropertyDescriptor | undefined;
}

/** Puts a wrapper in its place; gives the function that takes it away, unless something else has taken the place. */
function put({ holder, name, descriptor }: Place, ours: object): () => void {
  Object.defineProperty(ours, OURS, { value: true });
  Object.defineProperty(holder, name, {
    value: ours,
    writable: true,
    enumerable: descriptor?.enumerable ?? true,
    configurable: true,
  });
  return () => {
    if (Object.getOwnPropertyDescriptor(holder, name)?.value !== ours) return;
    if (descriptor === undefined) Reflect.deleteProperty(holder, name);
    else Object.defineProperty(holder, name, descriptor);
  };
}

function timeoutOf(real: Fn): Fn {
  const setTimeout: Fn = function (this: unknown, ...args) {
    const clock = current();
    // Node's own message for what is no function.
    if (clock === undefined || typeof args[0] !== "function" || calledByClient(setTimeout, args[0]))
      return Reflect.apply(real, this, args);
    return makeTimeout(clock, "timeout", args);
  };
  return Object.defineProperty(setTimeout, promisify.custom, {
    enumerable: true,
    get: () => Reflect.get(promises, "setTimeout"),
  });
}

function intervalOf(real: Fn): Fn {
  const setInterval: Fn = function (this: unknown, ...args) {
    const clock = current();
    const timers = clock === undefined ? currentHandlers()?.timers : undefined;
    const isBound = clock !== undefined || timers !== undefined;
    if (!isBound || typeof args[0] !== "function" || calledByClient(setInterval, args[0]))
      return Reflect.apply(real, this, args);
    if (clock !== undefined) return makeTimeout(clock, "interval", args);
    const timer = Reflect.apply(real, this, args);
    timers?.add(timer);
    return timer;
  };
  return setInterval;
}

function clearOf(real: Fn): Fn {
  return function (this: unknown, ...args) {
    const timeout: BoundTimeout | undefined = boundTimeoutOf(args[0]);
    if (timeout === undefined) return Reflect.apply(real, this, args);
    timeout.close();
    return undefined;
  };
}

function waitOf(real: Fn, take: (args: readonly unknown[]) => Wait): Fn {
  return function (this: unknown, ...args) {
    const clock = current();
    return clock === undefined ? Reflect.apply(real, this, args) : waited(clock, take(args));
  };
}

function repeatOf(real: Fn): Fn {
  return function (this: unknown, ...args) {
    const clock = current();
    if (clock === undefined) return Reflect.apply(real, this, args);
    const [ms, value, options] = args;
    return repeatedly(clock, { ms, value, options });
  };
}

function performanceOf(real: Fn): Fn {
  return function (this: unknown, ...args) {
    const clock = current();
    return clock === undefined ? Reflect.apply(real, this, args) : clock.now() - clock.startMs;
  };
}

function patchDate(): () => void {
  const descriptor = Object.getOwnPropertyDescriptor(globalThis, "Date");
  const real = globalThis.Date as unknown as DateLike;
  if (OURS in real) return () => undefined;
  const ours = boundDate(real, current);
  const prototype = real.prototype;
  // So that `value.constructor === Date` holds for dates made before, too.
  const restoreConstructor = put(
    {
      holder: prototype,
      name: "constructor",
      descriptor: Object.getOwnPropertyDescriptor(prototype, "constructor"),
    },
    ours,
  );
  const restore = put({ holder: globalThis, name: "Date", descriptor }, ours);
  return () => {
    restoreConstructor();
    restore();
  };
}
