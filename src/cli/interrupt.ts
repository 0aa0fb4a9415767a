import { EXIT } from "./command.ts";

/** Ends a command when a person or a CI job asks for it. */
export interface Interrupt {
  readonly signal: AbortSignal;
  /** Listens no more. */
  done(): void;
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** The first signal asks for an end, after which what was measured is kept; a second one ends the process at once. */
export function interruptible(): Interrupt {
  const controller = new AbortController();
  const listener = (): void => {
    if (controller.signal.aborted) process.exit(EXIT.incomplete);
    controller.abort(new Error("interrupted"));
  };
  for (const name of SIGNALS) process.on(name, listener);
  return {
    signal: controller.signal,
    done() {
      for (const name of SIGNALS) process.off(name, listener);
    },
  };
}
