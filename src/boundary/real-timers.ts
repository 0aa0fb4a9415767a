/** What Node keeps in a timer; the same in Node 20 to 24. */
interface RealTimer {
  readonly _destroyed?: boolean;
}

// Taken when this file is loaded, so that fake timers of a test do not matter.
const realClearInterval = globalThis.clearInterval;

/** So many are forgotten only now and then: an agent may begin and end one for every request. */
const KEPT = 64;

/** The repeating timers that the code of a trial has on the real clock: nothing else ends those that it leaves behind. */
export class RealTimers {
  readonly #intervals = new Set<RealTimer>();
  #closed = false;

  add(timer: unknown): void {
    if (this.#closed || typeof timer !== "object" || timer === null) return;
    if (this.#intervals.size >= KEPT) this.#forget();
    this.#intervals.add(timer);
  }

  /** How many go on. */
  get running(): number {
    this.#forget();
    return this.#intervals.size;
  }

  /** Ends those that go on; later ones are not kept any more. */
  close(): void {
    this.#closed = true;
    for (const timer of this.#intervals) realClearInterval(timer as NodeJS.Timeout);
    this.#intervals.clear();
  }

  #forget(): void {
    for (const timer of this.#intervals)
      if (timer._destroyed === true) this.#intervals.delete(timer);
  }
}
