import {
  conditionsOf,
  controlOf,
  invalidWorkflow,
  runTrial,
  scenariosOf,
  workflowProblems,
  worldOf,
  type Scenario,
  type Trial,
  type Workflow,
  type WorkflowOf,
} from "../trials.ts";
import { oneLine, slug, title as shownTitle } from "../shared/text.ts";
import { trialMessage } from "../../matchers/trial-message.ts";
import { evidenceFile, type EvidenceFile, type TestFile } from "./evidence-file.ts";
import type { Settings } from "./settings.ts";

/** A workflow as tests: its title is the describe's, its id follows from it. */
export interface WorkflowTests extends Omit<Workflow, "id" | "title"> {
  /** Names its report. Default: made from the title. */
  readonly id?: string;
  /** Runs the scenarios side by side. */
  readonly concurrent?: boolean;
}

/** `WorkflowTests` with the types of its task and state: an inline agent needs none of its own. */
export type WorkflowTestsOf<Task, State> = Omit<WorkflowOf<Task, State>, "id" | "title"> &
  Pick<WorkflowTests, "id" | "concurrent">;

export type DescribeWorkflow = <Task, State>(
  title: string,
  workflow: WorkflowTestsOf<Task, State>,
) => void;

/** What a runner does for the tests of a workflow. */
export interface WorkflowHost {
  readonly settings: Settings;
  readonly file: TestFile;
  /** Defines a test in the describe that runs now. */
  readonly test: (
    title: string,
    timeoutMs: number,
    body: (running: RunningScenario) => Promise<void>,
  ) => void;
  readonly afterAll: (run: () => Promise<void>) => void;
}

/** The running test of a scenario. */
export interface RunningScenario {
  /** Ends the test as one that was not run; what follows the call may still run. */
  readonly skip: (reason: string) => void;
  /** Whether a test of this name beside the running one is run, too. */
  readonly isRunBeside: (name: string) => boolean;
}

/** What a scenario's trials may take beside the agent's own time. */
const GRACE_MS = 5000;

/** Makes the tests of a workflow inside of the describe that runs now. */
export function workflowTests(
  title: string,
  tests: Omit<WorkflowTests, "concurrent">,
  { settings, file, test, afterAll }: WorkflowHost,
): void {
  const limits = { ...settings.limits, ...tests.limits };
  const id = tests.id ?? (slug(title) || "workflow");
  const workflow: Workflow = { ...tests, id, title, limits };
  const runs = runsOf(workflow, file, settings);
  const timeout = (1 + (workflow.trials ?? 1)) * limits.ms + GRACE_MS;
  test("control", timeout, async () => {
    expectPassed(await runs.control(), "control");
  });
  for (const scenario of scenariosOf(workflow))
    test(shownTitle(scenario.title), timeout, async ({ skip, isRunBeside }) => {
      const control = await runs.control();
      // The control's own test is red by itself, unless it was filtered out.
      if (control.verdict !== "passed" && isRunBeside("control")) return skip(notRun(control));
      const uncalled = await runs.scenario(scenario);
      if (uncalled !== undefined) skip(uncalled);
    });
  afterAll(() => runs.end());
}

/** A workflow ready to run in a test file, with its evidence; throws E_WORKFLOW_INVALID with everything that is wrong. */
export function runsOf(given: Workflow, file: TestFile, settings: Settings): Runs {
  const workflow: Workflow = { network: settings.network, ...given };
  const problems = workflowProblems(workflow, worldOf(workflow));
  if (problems.length > 0)
    throw invalidWorkflow(`the workflow ${oneLine(workflow.title ?? workflow.id, 80)}`, problems);
  return new Runs(workflow, evidenceFile(workflow, file, settings));
}

/** The trials of one workflow in one file. */
export class Runs {
  readonly #workflow: Workflow;
  readonly #evidence: EvidenceFile;
  #control: Promise<Trial> | undefined;

  constructor(workflow: Workflow, evidence: EvidenceFile) {
    this.#workflow = workflow;
    this.#evidence = evidence;
  }

  end(): Promise<void> {
    return this.#evidence.end();
  }

  /** Runs once, whichever test asks first. */
  control(): Promise<Trial> {
    return (this.#control ??= this.#trial(controlOf(), 1));
  }

  /** Throws when a trial is bad; the reason when the agent never calls the tool that a matrix put a fault at. */
  async scenario(scenario: Scenario & { readonly title: string }): Promise<string | undefined> {
    const control = await this.control();
    if (control.verdict !== "passed") throw new Error(notRun(control));
    const { trials = 1, scenarios } = this.#workflow;
    const all: { readonly trial: Trial; readonly number: number }[] = [];
    for (let number = 1; number <= trials; number++)
      all.push({ trial: await this.#trial(scenario, number), number });
    if (scenarios === "matrix" && all.every(({ trial }) => isUncalled(trial, control)))
      return all[0]?.trial.reason;
    const bad = all.filter(({ trial }) => trial.verdict !== "passed");
    const [first] = bad;
    if (first === undefined) return undefined;
    const which =
      trials === 1 ? "" : `, trial ${first.number}; ${bad.length} of ${trials} are not good`;
    expectPassed(first.trial, `${scenario.title}${which}`);
    return undefined;
  }

  async #trial(scenario: Scenario & { readonly title: string }, number: number): Promise<Trial> {
    const { agent, agentId, agentVersion, world, clock, network } = this.#workflow;
    const trial = await runTrial({
      agent,
      world,
      ...(agentId === undefined ? {} : { agentId }),
      ...(agentVersion === undefined ? {} : { agentVersion }),
      ...(clock === undefined ? {} : { clock }),
      ...(network === undefined ? {} : { network }),
      ...conditionsOf(this.#workflow, scenario),
      faults: scenario.faults,
      scenario,
    });
    await this.#evidence.add(trial, number);
    return trial;
  }
}

function isUncalled(trial: Trial, control: Trial): boolean {
  if (trial.verdict !== "inconclusive" || trial.checks.some(({ passed }) => !passed)) return false;
  const called = new Set(
    [...trial.events, ...control.events].flatMap((event) =>
      event.kind === "call" ? [event.tool] : [],
    ),
  );
  return trial.faults.every(({ reached, fault }) => !reached && !called.has(fault.tool));
}

export function expectPassed(trial: Trial, call: string): void {
  if (trial.verdict === "passed") return;
  throw new Error(
    trialMessage(trial, {
      call,
      expected: "an agent that ends well, and every check to hold",
      received: `${trial.verdict}: ${trial.reason}`,
    }),
  );
}

function notRun({ verdict, reason }: Trial): string {
  return `No fault trial was run, as the control is not good: ${verdict}: ${reason}. Fix the agent, the world or the checks first.`;
}
