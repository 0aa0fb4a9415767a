import { isPromise, type Awaitable } from "../boundary/boundary.ts";
import type { Clock } from "../boundary/clock.ts";

/** Goes on with a value, at once where it is there already. */
export function after<A, B>(value: Awaitable<A>, use: (value: A) => Awaitable<B>): Awaitable<B> {
  return isPromise(value) ? value.then(use) : use(value);
}

/** A value after some time on the clock, at once when there is nothing to wait for. A clock that is closed ends the wait. */
export function wait<T>(clock: Clock, ms: number, value: T): Awaitable<T> {
  if (ms <= 0) return value;
  return clock.sleep(ms).then(
    () => value,
    () => value,
  );
}
