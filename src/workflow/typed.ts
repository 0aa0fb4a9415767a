import type { AgentContext } from "../agent/agent.ts";
import type { Json } from "../shared/json.ts";
import type { World } from "../world/world.ts";
import { runTrial as run } from "./trial.ts";
import type { Trial } from "./trial-result.ts";
import type { FunctionCheck, TrialOptions, Workflow, WorkflowCheck } from "./workflow.ts";

/** A trial whose state is known by its world. */
export interface TrialOf<State> extends Omit<Trial, "state" | "initialState"> {
  /** A plain copy of the committed state, made when it is first asked for. */
  readonly state: State;
  readonly initialState: State;
}

/** A check as data, or a function of a trial whose state is known. */
export type CheckOf<State> =
  | Exclude<WorkflowCheck, FunctionCheck>
  | (Omit<FunctionCheck, "test"> & { test(trial: TrialOf<State>): boolean | string });

/** What is known of an agent, its task and its world where they stand together: an inline agent needs no types of its own. */
interface Known<Task, State> {
  agent(task: Task, context: AgentContext): unknown;
  readonly task: Task;
  /** A world, or what makes one for each trial. */
  readonly world: World<State> | (() => World<State>);
  readonly checks?: readonly CheckOf<State>[];
}

type Rest<Options> = Omit<Options, "agent" | "task" | "world" | "checks">;

/** `TrialOptions` with the types of its task and state. */
export type TrialOptionsOf<Task, State> = Rest<TrialOptions> & Known<Task, State>;

/** `Workflow` with the types of its task and state. */
export type WorkflowOf<Task, State> = Rest<Workflow> & Known<Task, State>;

/** `runTrial` with the types of the task and the state. */
export const runTrial = run as unknown as <Task = Json, State = Json>(
  options: TrialOptionsOf<Task, State>,
) => Promise<TrialOf<State>>;

/**
 * A workflow, checked by the compiler; what else may be wrong with it is said when it is run, all at once.
 *
 *     export const booking = defineWorkflow({ id: "booking", agent, task, world, scenarios: "matrix", checks });
 */
export const defineWorkflow = ((workflow: Workflow) => workflow) as unknown as <
  Task = Json,
  State = Json,
>(
  workflow: WorkflowOf<Task, State>,
) => Workflow;
