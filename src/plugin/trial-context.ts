import type {
  Agent,
  Exploration,
  ExploreOptionsOf,
  Perturbation,
  PerturbOptions,
  Property,
  Trace,
  TrialOf,
  TrialOptionsOf,
} from "../trials.ts";

/** The part of the runner's running test that is used. */
export interface RunningTest {
  readonly fullTestName: string;
  readonly timeout: number;
  readonly file: { readonly filepath: string };
  readonly meta: object;
  readonly context: {
    readonly annotate: (message: string, type: string) => Promise<unknown>;
  };
}

/** What fault tests find in their context. */
export interface TrialContext {
  /**
   * Runs an agent once under faults, on a fresh state. The control (the same without faults) runs first, once for each file, agent,
   * task and world: while it is bad, no trial says anything, and this rejects with E_CONTROL_FAILED.
   */
  readonly runTrial: <Task, State>(options: TrialOptionsOf<Task, State>) => Promise<TrialOf<State>>;
  /**
   * Searches for the smallest schedule of faults that breaks the property (see `explore` of "twiceshy/explore"); a finding fails the
   * test, is saved beside it and is tried first from then on. In CI nothing is written.
   */
  readonly explore: <Task, State>(
    options: ExploreOptionsOf<Task, State>,
    property: (trial: TrialOf<State>) => unknown,
  ) => Promise<Exploration>;
  /** Runs an agent on a recorded good run under every single fault (a trace, or a file that holds good ones); a bad trial fails the test. */
  readonly perturb: (
    recorded: string | Trace,
    agent: Agent,
    ...[property, options]: [property: Property, options?: PerturbOptions]
  ) => Promise<readonly Perturbation[]>;
}
