import { isCollected } from "../boundary/collected.ts";
import { deadline, monotonic, turn } from "../shared/clock.ts";

/** How long an agent is waited for, and what ends the wait. */
export interface Waits {
  /** Real milliseconds at most. */
  readonly ms: number;
  /** What is gone when nothing can make the agent go on; missing while something is known that can. */
  stalled(): WeakRef<object> | undefined;
  onHung(): void;
  onTime(): void;
}

/** When it is looked whether the agent can still go on: a look stops the process for a moment. */
const LOOKS_MS = [250, 1000, 4000];

/**
 * Tells when the real time is over; and before, when the agent hangs: when the garbage collector has found that nothing in
 * the process holds on to what the agent waits for, be it known to this code or not. So it is no guess: work in the thread
 * pool, in an addon or in another thread keeps what it will settle.
 */
export class Patience {
  readonly #waits: Waits;
  readonly #started = monotonic();
  #look = 0;
  #over = false;
  #cancel: (() => void) | undefined;

  constructor(waits: Waits) {
    this.#waits = waits;
    this.#arm();
  }

  /** Ends the wait. */
  end(): void {
    this.#over = true;
    this.#cancel?.();
  }

  #arm(): void {
    const { ms } = this.#waits;
    const at = LOOKS_MS[this.#look] ?? ms;
    const left = Math.min(at, ms) - (monotonic() - this.#started);
    this.#cancel = deadline(Math.max(1, left), () => {
      if (at < ms) void this.#looks();
      else this.#waits.onTime();
    });
  }

  async #looks(): Promise<void> {
    const hung = await isHung(this.#waits);
    if (this.#over) return;
    if (hung) this.#waits.onHung();
    else {
      this.#look += 1;
      this.#arm();
    }
  }
}

async function isHung(waits: Waits): Promise<boolean> {
  const waiting = waits.stalled();
  if (waiting === undefined) return false;
  // Nothing is collected in the turn in which it was still in hand.
  await turn();
  return waits.stalled() !== undefined && isCollected(waiting);
}
