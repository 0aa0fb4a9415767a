import type { VirtualClock } from "./virtual-time.ts";

/** What the functions of `node:timers/promises` are given. */
export interface Wait {
  readonly ms: unknown;
  readonly value?: unknown;
  readonly options: unknown;
}

/** `setTimeout` of `node:timers/promises` on a virtual clock. */
export function waited(clock: VirtualClock, { ms, value, options }: Wait): Promise<unknown> {
  const signal = signalOf(options);
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(abortError(signal));
      return;
    }
    const abort = (): void => {
      timer.cancel();
      if (signal !== undefined) reject(abortError(signal));
    };
    const timer = clock.schedule(() => {
      signal?.removeEventListener("abort", abort);
      resolve(value);
    }, Number(ms));
    signal?.addEventListener("abort", abort, { once: true });
  });
}

/**
 * `setInterval` of `node:timers/promises`.
 *
 * @yields {unknown} The value, once for every time that has come.
 */
export async function* repeatedly(
  clock: VirtualClock,
  { ms, value, options }: Wait,
): AsyncGenerator<unknown, void> {
  const signal = signalOf(options);
  let due = 0;
  let wake: () => void = () => undefined;
  const timer = clock.every(() => {
    due += 1;
    wake();
  }, Number(ms));
  const abort = (): void => wake();
  signal?.addEventListener("abort", abort);
  try {
    for (;;) {
      if (signal?.aborted === true) throw abortError(signal);
      for (; due > 0; due -= 1) yield value;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (due > 0 || signal?.aborted === true) resolve();
      });
    }
  } finally {
    timer.cancel();
    signal?.removeEventListener("abort", abort);
  }
}

function signalOf(options: unknown): AbortSignal | undefined {
  if (typeof options !== "object" || options === null || !("signal" in options)) return undefined;
  return options.signal as AbortSignal | undefined;
}

/** As Node's own. */
function abortError(signal: AbortSignal): Error {
  const error = new Error("The operation was aborted", { cause: signal.reason });
  error.name = "AbortError";
  return Object.assign(error, { code: "ABORT_ERR" });
}
