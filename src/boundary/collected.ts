import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

type Collect = () => void;

const COLLECT: unique symbol = Symbol.for("twiceshy.collect") as never;

/**
 * Whether nothing in the process refers to a value any more. Collects all garbage, which takes tens of milliseconds: asked
 * only in need, and in a later turn of the event loop than the reference was made in.
 */
export function isCollected(value: WeakRef<object>): boolean {
  const shared = globalThis as { [COLLECT]?: Collect; gc?: Collect };
  const collect = (shared[COLLECT] ??= shared.gc ?? exposed());
  collect();
  return value.deref() === undefined;
}

/** The collector is reached by a flag alone, that new contexts heed. */
function exposed(): Collect {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  return typeof collect === "function" ? (collect as Collect) : () => undefined;
}
