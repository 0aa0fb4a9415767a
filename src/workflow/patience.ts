import { isCollected } from "../boundary/collected.ts";
import { deadline, monotonic, turn } from "../shared/clock.ts";

/** How long an agent is waited for, and what ends the wait. */
interface Patience {
  /** Real milliseconds at most. */
  readonly ms: number;
  /** What is gone when nothing can make the agent go on; missing while something is known that can. */
  readonly stalled: () => WeakRef<object> | undefined;
  readonly onHung: () => void;
  readonly onTime: () => void;
}

/** When it is looked whether the agent can still go on: a look stops the process for a moment. */
const LOOKS_MS = [250, 1000, 4000];

/**
 * Tells when the real time is over; and before, when the agent hangs: when the garbage collector has found that nothing in
 * the process holds on to what the agent waits for, be it known to this code or not. So it is no guess: work in the thread
 * pool, in an addon or in another thread keeps what it will settle. Gives the function that ends the wait.
 */
export function beginPatience({ ms, stalled, onHung, onTime }: Patience): () => void {
  const started = monotonic();
  let over = false;
  let cancel: () => void = () => undefined;
  const arm = (look: number): void => {
    const at = LOOKS_MS[look] ?? ms;
    const left = Math.min(at, ms) - (monotonic() - started);
    cancel = deadline(Math.max(1, left), at < ms ? () => void looks(look) : onTime);
  };
  const looks = async (look: number): Promise<void> => {
    const hung = await isHung(stalled);
    if (over) return;
    if (hung) onHung();
    else arm(look + 1);
  };
  arm(0);
  return () => {
    over = true;
    cancel();
  };
}

async function isHung(stalled: Patience["stalled"]): Promise<boolean> {
  const waiting = stalled();
  if (waiting === undefined) return false;
  // Nothing is collected in the turn in which it was still in hand.
  await turn();
  return stalled() !== undefined && isCollected(waiting);
}
