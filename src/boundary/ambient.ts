import { AsyncLocalStorage } from "node:async_hooks";
import type { Boundary } from "./boundary.ts";
import type { Clock } from "./clock.ts";

/** What the code that runs now belongs to. */
interface Ambient {
  /** Missing inside a live tool: what a tool does itself lies behind the boundary. */
  readonly boundary: Boundary | undefined;
  /** The tool that runs now. */
  readonly tool: string | undefined;
  /** The clock of the trial that runs now; missing where time is real. */
  readonly clock: Clock | undefined;
  /** What of a simulated world the running code is part of; the world's own matter. */
  readonly inside: object | undefined;
  /** The guard of the network that judges the running code; that guard's own matter. */
  readonly guard: object | undefined;
  /** Nothing but `inside` and `guard` is known. */
  readonly bare: boolean;
}

const STORAGE: unique symbol = Symbol.for("twiceshy.ambient") as never;

/**
 * One storage for every copy of the package, and for all that is ambient: each more would cost every promise of the
 * process. It hangs on the class, which is the host's in every realm (Jest's too): a guard of one realm must know the code
 * of another.
 */
function storage(): AsyncLocalStorage<Ambient> {
  const shared = AsyncLocalStorage as { [STORAGE]?: AsyncLocalStorage<Ambient> };
  return (shared[STORAGE] ??= new AsyncLocalStorage<Ambient>());
}

/** The boundary that instrumented tools pass now; undefined where nothing records or replays. */
export function ambient(): Boundary | undefined {
  return ambientState()?.boundary;
}

/** Everything that is known about the code that runs now; undefined outside of any boundary. */
export function ambientState(): Ambient | undefined {
  const state = storage().getStore();
  return state?.bare === true ? undefined : state;
}

/** What of a world the running code is part of; see `runInside`. */
export function ambientInside(): object | undefined {
  return storage().getStore()?.inside;
}

/** The guard that judges what runs now; see `runGuarded`. */
export function ambientGuard(): object | undefined {
  return storage().getStore()?.guard;
}

/** Runs code, and all that it starts, inside a boundary; and on a clock, where a trial gives one. */
export function within<T>(boundary: Boundary, run: () => T, clock?: Clock): T {
  const { inside, guard } = storage().getStore() ?? NOTHING;
  return storage().run({ boundary, tool: undefined, clock, inside, guard, bare: false }, run);
}

/** Runs a live tool: the tools that it uses itself are not the agent's calls. */
export function insideTool<T>(tool: string, run: () => T): T {
  const { clock, inside, guard } = storage().getStore() ?? NOTHING;
  return storage().run({ boundary: undefined, tool, clock, inside, guard, bare: false }, run);
}

/** Runs code, and all that it starts, as part of something of a world; all else is as around it. */
export function runInside<T>(inside: object, run: () => T): T {
  const { boundary, tool, clock, guard, bare } = storage().getStore() ?? NOTHING;
  return storage().run({ boundary, tool, clock, inside, guard, bare }, run);
}

/** Runs code, and all that it starts, judged by a guard of the network; all else is as around it. */
export function runGuarded<T>(guard: object, run: () => T): T {
  const { boundary, tool, clock, inside, bare } = storage().getStore() ?? NOTHING;
  return storage().run({ boundary, tool, clock, inside, guard, bare }, run);
}

/** Takes the code that runs now, and what it starts, out of everything, for good. */
export function leaveAmbient(): void {
  storage().enterWith(undefined as never);
}

const NOTHING: Ambient = Object.freeze({
  boundary: undefined,
  tool: undefined,
  clock: undefined,
  inside: undefined,
  guard: undefined,
  bare: true,
});
