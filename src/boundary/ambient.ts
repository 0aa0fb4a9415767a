import { AsyncLocalStorage } from "node:async_hooks";
import type { Boundary } from "./boundary.ts";
import type { Clock } from "./clock.ts";

/** What the code that runs now belongs to. */
interface Ambient {
  /** Missing inside a live tool: what a tool does itself lies behind the boundary. */
  readonly boundary?: Boundary;
  /** The tool that runs now. */
  readonly tool?: string;
  /** The clock of the trial that runs now; missing where time is real. */
  readonly clock?: Clock;
}

/** One storage for every copy of the package. */
const STORAGE: unique symbol = Symbol.for("twiceshy.ambient") as never;

function storage(): AsyncLocalStorage<Ambient> {
  const shared = globalThis as { [STORAGE]?: AsyncLocalStorage<Ambient> };
  return (shared[STORAGE] ??= new AsyncLocalStorage<Ambient>());
}

/** The boundary that instrumented tools pass now; undefined where nothing records or replays. */
export function ambient(): Boundary | undefined {
  return storage().getStore()?.boundary;
}

/** Everything that is known about the code that runs now; undefined outside of any boundary. */
export function ambientState(): Ambient | undefined {
  return storage().getStore();
}

/** Runs code, and all that it starts, inside a boundary; and on a clock, where a trial gives one. */
export function within<T>(boundary: Boundary, run: () => T, clock?: Clock): T {
  return storage().run(clock === undefined ? { boundary } : { boundary, clock }, run);
}

/** Runs a live tool: the tools that it uses itself are not the agent's calls. */
export function insideTool<T>(tool: string, run: () => T): T {
  const clock = storage().getStore()?.clock;
  return storage().run(clock === undefined ? { tool } : { tool, clock }, run);
}
