import type { VirtualClock, VirtualTimer } from "./virtual-time.ts";

/** A virtual timer in the shape of Node's `Timeout`. */
export interface BoundTimeout {
  ref(): BoundTimeout;
  unref(): BoundTimeout;
  hasRef(): boolean;
  refresh(): BoundTimeout;
  close(): BoundTimeout;
  [Symbol.toPrimitive](): number;
  [Symbol.dispose](): void;
}

interface Known {
  readonly byId: Map<number, BoundTimeout>;
  lastId: number;
}

const MARK: unique symbol = Symbol.for("twiceshy.timeout") as never;
const KNOWN: unique symbol = Symbol.for("twiceshy.timeouts") as never;
/** Far above the ids that Node gives its own timers. */
const FIRST_ID = 2 ** 48;

/** `setTimeout(fn, ms, ...args)` and `setInterval` on a virtual clock. */
export function makeTimeout(
  clock: VirtualClock,
  kind: "timeout" | "interval",
  [fn, ms, ...args]: readonly unknown[],
): BoundTimeout {
  const call = (): unknown => Reflect.apply(fn as (...args: unknown[]) => unknown, timeout, args);
  const delay = Number(ms);
  const timer = kind === "timeout" ? clock.schedule(call, delay) : clock.every(call, delay);
  const timeout: BoundTimeout = new Timeout(timer);
  return timeout;
}

/** The virtual timer that a value names: itself or its number; undefined for all else. */
export function boundTimeoutOf(value: unknown): BoundTimeout | undefined {
  if (typeof value === "object" && value !== null)
    return MARK in value ? (value as unknown as BoundTimeout) : undefined;
  if (typeof value === "number" || typeof value === "string")
    return known().byId.get(Number(value));
  return undefined;
}

function known(): Known {
  const shared = globalThis as { [KNOWN]?: Known };
  return (shared[KNOWN] ??= { byId: new Map(), lastId: FIRST_ID });
}

/** Named as Node's is. */
class Timeout implements BoundTimeout {
  readonly [MARK] = true;
  readonly #timer: VirtualTimer;
  #referenced = true;
  #id: number | undefined;

  constructor(timer: VirtualTimer) {
    this.#timer = timer;
  }

  ref(): BoundTimeout {
    this.#referenced = true;
    return this;
  }

  /** Only told by `hasRef`: a trial's time goes on for every timer. */
  unref(): BoundTimeout {
    this.#referenced = false;
    return this;
  }

  hasRef(): boolean {
    return this.#referenced && this.#timer.pending;
  }

  refresh(): BoundTimeout {
    this.#timer.refresh();
    return this;
  }

  close(): BoundTimeout {
    this.#timer.cancel();
    if (this.#id !== undefined) known().byId.delete(this.#id);
    return this;
  }

  [Symbol.toPrimitive](): number {
    if (this.#id === undefined) {
      this.#id = ++known().lastId;
      known().byId.set(this.#id, this);
    }
    return this.#id;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
