import { isPromise, type Awaitable } from "../boundary/boundary.ts";
import type { Clock } from "../boundary/clock.ts";
import type { Later } from "./fault.ts";

interface Entry {
  /** Calls that must still be answered; infinite for what waits for the clock. */
  calls: number;
  readonly callId: string;
  readonly run: () => Awaitable<void>;
  done: boolean;
}

/** What is done after so many more calls, at a time on the clock, or when the agent has ended. */
export class LaterQueue {
  readonly #clock: Clock;
  #waiting: Entry[] = [];
  #going: Set<Promise<unknown>> | undefined;
  #drop: Map<string, () => void> | undefined;
  #died: Set<string> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Nothing waits: a call costs nothing. */
  get idle(): boolean {
    return this.#waiting.length === 0;
  }

  add(when: Later, callId: string, run: () => Awaitable<void>): void {
    const { ms } = when;
    const calls = ms === undefined ? Math.max(1, when.calls ?? 1) : Number.POSITIVE_INFINITY;
    const entry: Entry = { calls, callId, run, done: false };
    this.#waiting.push(entry);
    if (ms === undefined) return;
    const due = (): void => this.#start(entry);
    // A clock that is closed rejects: what is still due then is done by `drain`, or never.
    this.#clock.sleep(ms).then(due, () => undefined);
  }

  /** To be asked when a call begins; what it returns is to be called when that call is answered. */
  begin(): () => void {
    const before = [...this.#waiting];
    return () => {
      for (const entry of before) if (--entry.calls <= 0) this.#start(entry);
    };
  }

  /** Work that belongs to a call, and goes on when the call was answered. */
  goesOn(work: Promise<unknown>, callId: string): void {
    if (this.#died?.has(callId) === true) return;
    const ended = new Promise<void>((resolve) => {
      work.then(
        () => resolve(),
        () => resolve(),
      );
      (this.#drop ??= new Map()).set(callId, resolve);
    });
    const going = (this.#going ??= new Set());
    const settled: Promise<unknown> = ended.then(() => going.delete(settled));
    going.add(settled);
  }

  /** The agent died at this call: it is never answered, so nothing of it is waited for. */
  died(callId: string): void {
    (this.#died ??= new Set()).add(callId);
    this.#drop?.get(callId)?.();
  }

  /** Does at once all that waits, in its order, and waits for all that goes on. */
  drain(): Awaitable<void> {
    for (const entry of this.#waiting) this.#start(entry);
    const going = this.#going;
    if (going === undefined || going.size === 0) return;
    return this.#settle(going);
  }

  async #settle(going: ReadonlySet<Promise<unknown>>): Promise<void> {
    while (going.size > 0 || this.#waiting.length > 0) {
      for (const entry of this.#waiting) this.#start(entry);
      await Promise.all(going);
    }
  }

  #start(entry: Entry): void {
    if (entry.done) return;
    entry.done = true;
    this.#waiting = this.#waiting.filter((other) => other !== entry);
    const ran = entry.run();
    if (isPromise(ran)) this.goesOn(ran, entry.callId);
  }
}
