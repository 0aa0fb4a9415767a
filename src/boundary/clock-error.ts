import { failure, TwiceshyError } from "../shared/error.ts";

/** What `clock.sleep` refuses; undefined for a delay that it takes. */
export function delayProblem(ms: unknown): Error | undefined {
  if (typeof ms === "number" && ms >= 0 && ms !== Infinity) return undefined;
  const shown = typeof ms === "number" ? String(ms) : typeof ms;
  const message = `Failed to sleep for ${shown} ms: a delay is a finite number of milliseconds from 0. Compute the delay so that it is never negative.`;
  return Object.assign(new RangeError(message), { code: "E_CLOCK_DELAY" });
}

export function tooManyTimers(made: number): Error {
  return failure("E_CLOCK_TIMERS", {
    to: "start another timer",
    because: `the trial has made ${made} of them`,
    fix: "Look for a loop that waits for something that never comes, and give its waiting an end",
  });
}

const CLOSED = "E_CLOCK_CLOSED";

export function clockClosed(): Error {
  return failure(CLOSED, {
    to: "sleep",
    because: "the trial has ended, and its clock stands still",
    fix: "Await every sleep before the agent returns",
  });
}

/** Whether an error says no more than that a trial had ended; what comes of it is nobody's fault. */
export function isClockClosed(thrown: unknown): boolean {
  return TwiceshyError.is(thrown) && thrown.code === CLOSED;
}
