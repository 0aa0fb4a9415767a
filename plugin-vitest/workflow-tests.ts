import { afterAll, expect, inject, test } from "vitest";
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
} from "../src/trials.ts";
import { oneLine, slug, title as shownTitle } from "../src/shared/text.ts";
import { trialMessage } from "../matchers/trial-message.ts";
import type { WorkflowTests } from "./describe-workflow.ts";
import { evidenceFile, type EvidenceFile } from "./evidence-file.ts";
import { DEFAULTS, PROVIDED, type Settings } from "./settings.ts";

/** What a scenario's trials may take beside the agent's own time. */
const GRACE_MS = 5000;

/** Makes the tests of a workflow inside of the describe that runs now. */
export function workflowTests(title: string, tests: Omit<WorkflowTests, "concurrent">): void {
  const settings = inject(PROVIDED) ?? DEFAULTS;
  const limits = { ...settings.limits, ...tests.limits };
  const id = tests.id ?? (slug(title) || "workflow");
  const workflow: Workflow = { ...tests, id, title, limits };
  const { testPath = "" } = expect.getState();
  const runs = runsOf(workflow, testPath, settings);
  const timeout = (1 + (workflow.trials ?? 1)) * limits.ms + GRACE_MS;
  // The workflow's own checks are what these tests assert; the titles are the scenarios'.
  /* oxlint-disable vitest/expect-expect, vitest/valid-title */
  test("control", { timeout }, async () => {
    expectPassed(await runs.control(), "control");
  });
  for (const scenario of scenariosOf(workflow))
    test(shownTitle(scenario.title), { timeout }, async ({ skip, task }) => {
      const control = await runs.control();
      // The control's own test is red by itself, unless it was filtered out.
      if (control.verdict !== "passed" && isRun(task.suite?.tasks, "control"))
        skip(notRun(control));
      const uncalled = await runs.scenario(scenario);
      if (uncalled !== undefined) skip(uncalled);
    });
  /* oxlint-enable vitest/expect-expect, vitest/valid-title */
  afterAll(() => runs.end());
}

/** A workflow ready to run in a test file, with its evidence; throws E_WORKFLOW_INVALID with everything that is wrong. */
export function runsOf(given: Workflow, testPath: string, settings: Settings): Runs {
  const workflow: Workflow = { network: settings.network, ...given };
  const problems = workflowProblems(workflow, worldOf(workflow));
  if (problems.length > 0)
    throw invalidWorkflow(`the workflow ${oneLine(workflow.title ?? workflow.id, 80)}`, problems);
  return new Runs(workflow, evidenceFile(workflow, testPath, settings));
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

/** Whether a test of this name beside the running one is run, too. */
function isRun(
  tasks: readonly { readonly name: string; readonly mode: string }[] | undefined,
  name: string,
): boolean {
  return tasks?.some((task) => task.name === name && task.mode === "run") === true;
}
