import type { Boundary } from "../boundary/boundary.ts";
import { realClock, type Clock } from "../boundary/clock.ts";
import { openContainment, type Containment } from "../boundary/contain.ts";
import { VirtualClock } from "../boundary/virtual-time.ts";
import { messageOf } from "../shared/error.ts";
import { oneLine } from "../shared/text.ts";
import type { TrialClock } from "./workflow.ts";

/** What happened to the code of a trial outside of its calls. */
export type StageEvent =
  | { readonly code: string; readonly message: string }
  /** It threw where nobody waited for it. */
  | { readonly code: "stray_rejection" | "uncaught_error"; readonly thrown: unknown };

/** Where a trial's code runs: on a clock of its own, and without reach of the process. */
export interface Stage {
  readonly clock: Clock;
  /** Starts code that never throws, and all that it starts, on this stage; in a microtask. */
  start(boundary: Boundary, run: () => void): void;
  /** Stops the clock until what it returns is called. */
  hold(): () => void;
  /** Timers that nobody waited for. */
  leftovers(): { readonly intervals: number; readonly timeouts: number };
  close(): void;
}

/** What a stage is opened with. */
interface StageOptions {
  readonly time: Required<TrialClock> | "real";
  /** Real milliseconds after which a synchronous loop is ended. */
  readonly ms: number;
  readonly tell: (event: StageEvent) => void;
  readonly signalOf: () => AbortSignal;
}

/** Opens the stage of one trial. */
export function openStage(options: StageOptions): Stage {
  return new TrialStage(options);
}

class TrialStage implements Stage {
  readonly clock: Clock;
  readonly #virtual: VirtualClock | undefined;
  readonly #containment: Containment;
  #starts = 0;

  constructor({ time, ms, tell, signalOf }: StageOptions) {
    if (time !== "real") this.#virtual = virtualClock(time, tell);
    this.clock = this.#virtual ?? realClock(signalOf);
    this.#containment = openContainment({
      clock: this.clock,
      ms,
      onExit: (error) => tell({ code: "exit", message: told(error) }),
      onBlocked: (error) => tell({ code: "agent_blocked", message: told(error) }),
      onRejection: (thrown, { certainty }) => {
        if (certainty !== "one of") tell({ code: "stray_rejection", thrown });
      },
      onUncaught: (thrown, { certainty }) => {
        if (certainty !== "one of") tell({ code: "uncaught_error", thrown });
      },
    });
  }

  start(boundary: Boundary, run: () => void): void {
    this.#starts++;
    void this.#containment.run(boundary, run);
  }

  hold(): () => void {
    return this.#virtual?.hold() ?? (() => undefined);
  }

  leftovers(): { readonly intervals: number; readonly timeouts: number } {
    const pending = this.#virtual?.pending() ?? [];
    // What a dead agent left behind died with it.
    const intervals =
      this.#starts === 1 ? pending.filter(({ kind }) => kind === "interval").length : 0;
    return { intervals, timeouts: pending.length - intervals };
  }

  close(): void {
    this.#virtual?.close();
    this.#containment.leave();
  }
}

function virtualClock(
  { startMs, budgetMs }: Required<TrialClock>,
  tell: (event: StageEvent) => void,
): VirtualClock {
  return new VirtualClock({
    startMs,
    budgetMs,
    onBudget: () =>
      tell({
        code: "time_budget",
        message: `the trial's virtual time was used up: clock.budgetMs admits ${budgetMs} ms, and the next timer was due later; raise it if the agent may wait so long`,
      }),
    onMisuse: (error) => tell({ code: "clock_contract", message: told(error) }),
  });
}

function told(error: Error): string {
  return oneLine(messageOf(error), 600);
}
