import { AsyncLocalStorage } from "node:async_hooks";
import type { Boundary } from "./boundary.ts";

/** What the code that runs now belongs to. */
interface Ambient {
  /** Missing inside a live tool: what a tool does itself lies behind the boundary. */
  readonly boundary?: Boundary;
  /** The tool that runs now. */
  readonly tool?: string;
  /** The guard that judges this code's network. */
  readonly guard?: object | undefined;
}

/**
 * One storage for every copy of the package, and for all that it tells: each further one would cost every promise of the
 * process. The class is the host's in every realm (Jest's too), so it hangs there, not on `globalThis`.
 */
const STORAGE: unique symbol = Symbol.for("twiceshy.ambient") as never;

function storage(): AsyncLocalStorage<Ambient> {
  const holder = AsyncLocalStorage as { [STORAGE]?: AsyncLocalStorage<Ambient> };
  return (holder[STORAGE] ??= new AsyncLocalStorage<Ambient>());
}

/** The boundary that instrumented tools pass now; undefined where nothing records or replays. */
export function ambient(): Boundary | undefined {
  return storage().getStore()?.boundary;
}

/** Everything that is known about the code that runs now; undefined outside of any boundary. */
export function ambientState(): Ambient | undefined {
  return storage().getStore();
}

/** Runs code, and all that it starts, inside a boundary. */
export function within<T>(boundary: Boundary, run: () => T): T {
  const current = storage();
  return current.run({ boundary, guard: current.getStore()?.guard }, run);
}

/** Runs a live tool: the tools that it uses itself are not the agent's calls. */
export function insideTool<T>(tool: string, run: () => T): T {
  const current = storage();
  return current.run({ tool, guard: current.getStore()?.guard }, run);
}

/** Runs code whose network this guard judges. */
export function guarded<T>(guard: object, run: () => T): T {
  const current = storage();
  return current.run({ ...current.getStore(), guard }, run);
}
