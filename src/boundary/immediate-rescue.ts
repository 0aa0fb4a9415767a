import { executionAsyncResource } from "node:async_hooks";

// Taken when this file is loaded, so that fake timers of a test do not matter.
const realSetImmediate = globalThis.setImmediate;
const realClearImmediate = globalThis.clearImmediate;

/** What Node keeps in an immediate; the same in Node 20 to 24. */
interface Immediate {
  _idleNext: Immediate | null;
  _idlePrev: Immediate | null;
  _destroyed: boolean;
  _onImmediate: ((...args: unknown[]) => void) | null;
  readonly _argv?: readonly unknown[];
}

const nothing = (): void => undefined;

/**
 * Prepares Node's list of immediates for the termination of the one that runs now, as Node would stumble over it. Gives the
 * function that calls, from a later turn, those of the same turn that Node has lost.
 *
 * Node runs the immediates of a turn from a list and takes each off when it has returned. A terminated one is still on
 * the list and marked as done, which Node does not expect (and fails on), unless it was the first: then Node has forgotten the list.
 */
export function rescueImmediates(known: unknown): () => void {
  const current = isImmediate(known) ? known : executionAsyncResource();
  if (!isImmediate(current) || !current._destroyed) return nothing;
  // Node may now do it once more, and count it twice: so one more is counted, that is on no list.
  current._destroyed = false;
  current._onImmediate = nothing;
  const uncounted = countOneMore();
  const rest: Immediate[] = [];
  for (let next = current._idleNext; next !== null; next = next._idleNext) rest.push(next);
  return () => {
    if (current._destroyed) return;
    clear(uncounted);
    for (const lost of rest) {
      const { _onImmediate: call, _argv: args } = lost;
      if (lost._destroyed || call === null) continue;
      clear(lost);
      realSetImmediate(() => Reflect.apply(call, lost, args ?? []));
    }
  };
}

/** Whether this Node keeps its immediates in the way that is known here. */
export function canRescue(): boolean {
  const made: unknown = realSetImmediate(nothing);
  const known = isImmediate(made) && !made._destroyed && "_idlePrev" in made;
  realClearImmediate(made as NodeJS.Immediate);
  return known && made._destroyed;
}

/** An immediate that Node counts and never meets: one between two others is taken off their list. */
function countOneMore(): Immediate | undefined {
  realSetImmediate(nothing);
  const made: unknown = realSetImmediate(nothing).unref();
  realSetImmediate(nothing);
  if (!isImmediate(made)) return undefined;
  const { _idlePrev: before, _idleNext: after } = made;
  if (before === null || after === null) return undefined;
  before._idleNext = after;
  after._idlePrev = before;
  made._idlePrev = null;
  made._idleNext = null;
  return made;
}

function clear(immediate: Immediate | undefined): void {
  if (immediate !== undefined) realClearImmediate(immediate as unknown as NodeJS.Immediate);
}

function isImmediate(value: unknown): value is Immediate {
  return (
    typeof value === "object" && value !== null && "_onImmediate" in value && "_idleNext" in value
  );
}
