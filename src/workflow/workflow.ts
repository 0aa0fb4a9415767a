import type { Agent } from "../agent/agent.ts";
import type { Check } from "../check/check.ts";
import type { Fault } from "../fault/fault.ts";
import type { Json } from "../shared/json.ts";
import type { World } from "../world/world.ts";
import type { Trial } from "./trial-result.ts";

/** A check of a workflow: data, with a name; or a function of the trial. */
export type WorkflowCheck =
  | (Check & { readonly id: string; readonly label?: string })
  | FunctionCheck;

/** A predicate that no data can say. True passes; false or a text (why) fails; what it throws fails with its message. */
export interface FunctionCheck {
  readonly id: string;
  readonly label?: string;
  readonly test: (trial: Trial) => boolean | string;
}

/** One set of faults. The control is the empty one, has the id `control` and is never written down. */
export interface Scenario {
  readonly id: string;
  readonly title?: string;
  readonly faults: readonly Fault[];
  readonly checks?: readonly WorkflowCheck[];
  /** What its checks do to the workflow's. Default: `extend`: they are added, one with the id of another takes its place. */
  readonly checksMode?: "extend" | "replace";
  /** Default: the workflow's. */
  readonly task?: Json;
  readonly limits?: TrialLimits;
}

export interface TrialLimits {
  /** Tool calls that are admitted. Default: 50. */
  readonly toolCalls?: number;
  /** Equal calls (tool and arguments) that are admitted. Default: no limit, as polling is no failure. */
  readonly repeatedCalls?: number;
  /** Real milliseconds for one trial. Default: 30,000. */
  readonly ms?: number;
}

export interface TrialClock {
  /** Epoch milliseconds at the start of every trial. Default: 2026-01-01T00:00:00Z. */
  readonly startMs?: number;
  /** Virtual milliseconds that a trial may take. Default: a day. */
  readonly budgetMs?: number;
}

/** What one trial is run with. */
export interface TrialOptions {
  readonly agent: Agent;
  /** Names the agent in reports. Default: the function's name, and `0`. */
  readonly agentId?: string;
  readonly agentVersion?: string;
  readonly task: Json;
  /** A world, or what makes one for each trial. */
  readonly world: World | (() => World);
  /** Default: none, which is a control. */
  readonly faults?: readonly Fault[];
  readonly checks?: readonly WorkflowCheck[];
  readonly limits?: TrialLimits;
  /** `real`: no virtual time. Default: virtual, as above. */
  readonly clock?: TrialClock | "real";
  /**
   * Hosts that the agent may reach live, such as its model's: `"api.example.com"`, `"*.example.com"`, `"localhost"`, each also with a
   * port. Default: none; an attempt fails the trial. Say `context.clock.real(…)` of a live call, so that the clock waits for it.
   */
  readonly network?: readonly string[];
  /** Ends the trial from outside. */
  readonly signal?: AbortSignal;
}

/** An agent under controlled faults: the control first, then every scenario. */
export interface Workflow extends Omit<TrialOptions, "faults" | "signal"> {
  /** Letters, digits, `-` and `_`; names files. */
  readonly id: string;
  readonly title?: string;
  /** `matrix`: every applicable fault that needs no payload, at every tool. */
  readonly scenarios: "matrix" | readonly Scenario[];
  /** Trials of each scenario, for agents that are not deterministic. Default: 1. */
  readonly trials?: number;
}
