import type { Boundary } from "../boundary/boundary.ts";
import { realClock, type Clock } from "../boundary/clock.ts";
import { openContainment, type Containment, type ContainmentOptions } from "../boundary/contain.ts";
import { RealTimers } from "../boundary/real-timers.ts";
import type { Attribution, TrialNetwork } from "../boundary/trial-handlers.ts";
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

/** Who is told what happens on a stage. */
export interface StageHost {
  tell(event: StageEvent): void;
  /** Aborted when the agent's time is over. */
  readonly signal: AbortSignal;
}

/** What a stage is opened with. */
interface StageOptions {
  readonly time: Required<TrialClock> | "real";
  /** Real milliseconds after which a synchronous loop is ended. */
  readonly ms: number;
  /** Hosts that the trial may reach. */
  readonly network: readonly string[];
}

/** Opens the stage of one trial. */
export function openStage(host: StageHost, options: StageOptions): Stage {
  return new TrialStage(host, options);
}

/** What the containment of a trial tells its stage. */
class Contained implements ContainmentOptions, TrialNetwork {
  readonly clock: Clock;
  readonly ms: number;
  readonly allow: readonly string[];
  readonly toolOf = runningTool;
  declare readonly timers?: RealTimers;
  /** A function of its own: the watchdog knows what it watches by it. */
  readonly onBlocked = (error: Error): void => {
    this.#host.tell({ code: "agent_blocked", message: told(error) });
  };
  readonly #host: StageHost;

  constructor(host: StageHost, clock: Clock, { time, ms, network }: StageOptions) {
    this.#host = host;
    this.clock = clock;
    this.ms = ms;
    this.allow = network;
    if (time === "real") this.timers = new RealTimers();
  }

  get network(): TrialNetwork {
    return this;
  }

  onExit(error: Error): void {
    this.#host.tell({ code: "exit", message: told(error) });
  }

  onRejection(thrown: unknown, { certainty }: Attribution): void {
    if (certainty !== "one of") this.#host.tell({ code: "stray_rejection", thrown });
  }

  onUncaught(thrown: unknown, { certainty }: Attribution): void {
    if (certainty !== "one of") this.#host.tell({ code: "uncaught_error", thrown });
  }

  onRefused(error: Error, tool: string | undefined): void {
    const message = told(error);
    // A tool that goes to the live network is no simulation.
    const side = tool === undefined ? "agent" : "tool";
    this.#host.tell({ code: "network_blocked", message, side });
  }
}

class TrialStage implements Stage {
  readonly clock: Clock;
  readonly #virtual: VirtualClock | undefined;
  readonly #contained: Contained;
  readonly #containment: Containment;
  #starts = 0;

  constructor(host: StageHost, options: StageOptions) {
    const { time } = options;
    if (time !== "real") this.#virtual = virtualClock(host, time);
    this.clock = this.#virtual ?? realClock(() => host.signal);
    this.#contained = new Contained(host, this.clock, options);
    this.#containment = openContainment(this.#contained);
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
      intervals: intervals + (this.#contained.timers?.running ?? 0),
      timeouts: pending.length - intervals,
    };
  }

  close(): void {
    this.#virtual?.close();
    this.#contained.timers?.close();
    this.#containment.leave();
  }
}

function virtualClock(host: StageHost, { startMs, budgetMs }: Required<TrialClock>): VirtualClock {
  return new VirtualClock({
    startMs,
    budgetMs,
    onBudget: () =>
      host.tell({
        code: "time_budget",
        message: `the trial's virtual time was used up: clock.budgetMs admits ${budgetMs} ms, and the next timer was due later; raise it if the agent may wait so long`,
      }),
    onMisuse: (error) => host.tell({ code: "clock_contract", message: told(error) }),
  });
}

function told(error: Error): string {
  return oneLine(messageOf(error), 600);
}
