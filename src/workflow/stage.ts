import type { Boundary } from "../boundary/boundary.ts";
import { realClock, type Clock } from "../boundary/clock.ts";
import { openContainment, type Containment } from "../boundary/contain.ts";
import { RealTimers } from "../boundary/real-timers.ts";
import { VirtualClock } from "../boundary/virtual-time.ts";
import { messageOf } from "../shared/error.ts";
import { oneLine } from "../shared/text.ts";
import { runningTool } from "../world/running.ts";
import type { Side } from "./trial-result.ts";
import type { TrialClock } from "./workflow.ts";

/** What happened to the code of a trial outside of its calls. */
export type StageEvent =
  | { readonly code: string; readonly message: string; readonly side?: Side }
  /** It threw where nobody waited for it. */
  | { readonly code: "stray_rejection" | "uncaught_error"; readonly thrown: unknown };

/** Where a trial's code runs: on a clock of its own, and without reach of the process. */
export interface Stage {
  readonly clock: Clock;
  /** Starts code that never throws, and all that it starts, on this stage; in a microtask. */
  start(boundary: Boundary, run: () => void): void;
  /** Stops the clock until what it returns is called. */
  hold(): () => void;
  /** Whether it is known that the clock waits for nothing; of a real one it is not known. */
  readonly idle: boolean;
  /** Timers that nobody waited for. */
  leftovers(): { readonly intervals: number; readonly timeouts: number };
  close(): void;
}

/** What a stage is opened with. */
interface StageOptions {
  readonly time: Required<TrialClock> | "real";
  /** Real milliseconds after which a synchronous loop is ended. */
  readonly ms: number;
  /** Hosts that the trial may reach. */
  readonly network: readonly string[];
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
  readonly #timers: RealTimers | undefined;
  readonly #containment: Containment;
  #starts = 0;

  constructor({ time, ms, network, tell, signalOf }: StageOptions) {
    if (time === "real") this.#timers = new RealTimers();
    else this.#virtual = virtualClock(time, tell);
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
      ...(this.#timers === undefined ? {} : { timers: this.#timers }),
      network: {
        allow: network,
        toolOf: runningTool,
        onRefused: (error, tool) => {
          const message = told(error);
          // A tool that goes to the live network is no simulation.
          tell({ code: "network_blocked", message, side: tool === undefined ? "agent" : "tool" });
        },
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

  get idle(): boolean {
    return this.#virtual?.idle === true;
  }

  leftovers(): { readonly intervals: number; readonly timeouts: number } {
    const pending = this.#virtual?.pending() ?? [];
    // What a dead agent left behind died with it.
    if (this.#starts !== 1) return { intervals: 0, timeouts: pending.length };
    const intervals = pending.filter(({ kind }) => kind === "interval").length;
    return {
      intervals: intervals + (this.#timers?.running ?? 0),
      timeouts: pending.length - intervals,
    };
  }

  close(): void {
    this.#virtual?.close();
    this.#timers?.close();
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
