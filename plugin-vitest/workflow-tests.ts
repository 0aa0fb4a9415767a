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
import { oneLine, slug } from "../src/shared/text.ts";
import { trialMessage } from "../matchers/trial-message.ts";
import type { WorkflowTests } from "./describe-workflow.ts";
import { evidenceFile, type EvidenceFile } from "./evidence-file.ts";
import { DEFAULTS, PROVIDED } from "./settings.ts";

/** What a scenario's trials may take beside the agent's own time. */
const GRACE_MS = 5000;

/** Makes the tests of a workflow inside of the describe that runs now. */
export function workflowTests(title: string, tests: Omit<WorkflowTests, "concurrent">): void {
  const settings = inject(PROVIDED) ?? DEFAULTS;
  const limits = { ...settings.limits, ...tests.limits };
  const id = tests.id ?? (slug(title) || "workflow");
  const workflow: Workflow = { ...tests, id, title, limits };
  const problems = workflowProblems(workflow, worldOf(workflow));
  if (problems.length > 0) throw invalidWorkflow(`the workflow ${oneLine(title, 80)}`, problems);
  const timeout = (1 + (workflow.trials ?? 1)) * limits.ms + GRACE_MS;
  const { testPath = "" } = expect.getState();
  const runs = new Runs(workflow, evidenceFile(workflow, testPath, settings));
  // The workflow's own checks are what these tests assert; the titles are the scenarios'.
  /* oxlint-disable vitest/expect-expect, vitest/valid-title */
  test("control", { timeout }, async () => {
    expectPassed(await runs.control(), "control");
  });
  for (const scenario of scenariosOf(workflow))
    test(scenario.title, { timeout }, async ({ skip }) => {
      const uncalled = await runs.scenario(scenario);
      if (uncalled !== undefined) skip(uncalled);
    });
  /* oxlint-enable vitest/expect-expect, vitest/valid-title */
  afterAll(() => runs.end());
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
    if (control.verdict !== "passed") throw notRun(control);
    const { trials = 1, scenarios } = this.#workflow;
    const bad: { readonly trial: Trial; readonly number: number }[] = [];
    for (let number = 1; number <= trials; number++) {
      const trial = await this.#trial(scenario, number);
      if (scenarios === "matrix" && isUncalled(trial, control)) return trial.reason;
      if (trial.verdict !== "passed") bad.push({ trial, number });
    }
    const [first] = bad;
    if (first === undefined) return undefined;
    const which =
      trials === 1 ? "" : `, trial ${first.number}; ${bad.length} of ${trials} are not good`;
    expectPassed(first.trial, `${scenario.title}${which}`);
    return undefined;
  }

  async #trial(scenario: Scenario & { readonly title: string }, number: number): Promise<Trial> {
    const { agent, agentId, agentVersion, world, clock } = this.#workflow;
    const trial = await runTrial({
      agent,
      world,
      ...(agentId === undefined ? {} : { agentId }),
      ...(agentVersion === undefined ? {} : { agentVersion }),
      ...(clock === undefined ? {} : { clock }),
      ...conditionsOf(this.#workflow, scenario),
      faults: scenario.faults,
      scenario,
    });
    await this.#evidence.add(trial, number);
    return trial;
  }
}

function isUncalled(trial: Trial, control: Trial): boolean {
  if (trial.verdict !== "inconclusive") return false;
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

function notRun(control: Trial): Error {
  return new Error(
    `No fault trial was run, as the control is not good: ${control.verdict}: ${control.reason}. Fix the agent, the world or the checks first.`,
  );
}
