import type { VirtualClock } from "./virtual-time.ts";

type Fn = (this: unknown, ...args: unknown[]) => unknown;
type CurrentClock = () => VirtualClock | undefined;

/** The class of dates of any realm. */
export interface DateLike {
  new (...args: unknown[]): { toString(): string };
  (): string;
  readonly now: () => number;
  readonly parse: (text: string) => number;
  readonly UTC: (...parts: number[]) => number;
  readonly prototype: object;
}

/**
 * A class that makes the same dates, but those of now by the virtual clock. It shares the prototype, so `instanceof`
 * holds both ways.
 */
export function boundDate(real: DateLike, current: CurrentClock): DateLike {
  const now = (): number => {
    const clock = current();
    return clock === undefined ? real.now() : Math.floor(clock.now());
  };
  function Date(...args: unknown[]): unknown {
    const clock = current();
    if (new.target === undefined) return clock === undefined ? real() : new real(now()).toString();
    const target = new.target === (Date as unknown) ? real : new.target;
    return Reflect.construct(
      real,
      clock !== undefined && args.length === 0 ? [now()] : args,
      target,
    );
  }
  return Object.defineProperties(Date, {
    prototype: { value: real.prototype, writable: false },
    length: { value: 7, configurable: true },
    now: { value: now, writable: true, configurable: true },
    parse: { value: real.parse, writable: true, configurable: true },
    UTC: { value: real.UTC, writable: true, configurable: true },
  }) as unknown as DateLike;
}

/** `AbortSignal.timeout` by the virtual clock. */
export function boundAbortTimeout(real: Fn, current: CurrentClock): Fn {
  return function (this: unknown, ...args) {
    const clock = current();
    const [ms] = args;
    // Node's own message for what is no delay.
    if (clock === undefined || typeof ms !== "number" || !Number.isSafeInteger(ms) || ms < 0)
      return Reflect.apply(real, this, args);
    const controller = new AbortController();
    const message = "The operation was aborted due to timeout";
    clock.schedule(() => controller.abort(new DOMException(message, "TimeoutError")), ms);
    return controller.signal;
  };
}
