import { afterAll, expect, inject, vi } from "vitest";
import { oneLine, title } from "../src/shared/text.ts";
import type { Workflow } from "../src/trials.ts";
import { DEFAULTS, PROVIDED, type Settings } from "./settings.ts";
import type { Runs } from "./workflow-tests.ts";

/** The trials of a workflow, for a spec that `twiceshy matrix` wrote: it has their titles as literals. */
export interface ScenarioTests {
  /** Ids and titles of the scenarios as they are now. */
  scenarios(): Promise<[id: string, title: string][]>;
  /** Runs every trial of one scenario, the control first; rejects when one is bad, as a test of `describeWorkflow` does. */
  run(id: string, skip: (reason: string) => void): Promise<void>;
}

const GRACE_MS = 5000;
const CONTROL = "control";

/** What a written spec runs its tests by; made once, at the top of the file. */
export function scenarioTests(workflow: Workflow): ScenarioTests {
  const settings = inject(PROVIDED) ?? DEFAULTS;
  const ms = workflow.limits?.ms ?? settings.limits.ms;
  vi.setConfig({ testTimeout: (1 + (workflow.trials ?? 1)) * ms + GRACE_MS });
  const { testPath = "" } = expect.getState();
  let runs: Promise<Runs> | undefined;
  afterAll(async () => {
    await (await runs)?.end();
  });
  return {
    async scenarios() {
      const { scenariosOf } = await import("../src/trials.ts");
      return scenariosOf(workflow).map(({ id, title: text }) => [id, title(text)]);
    },
    async run(id, skip) {
      const uncalled = await runScenario(
        workflow,
        await (runs ??= open(workflow, testPath, settings)),
        id,
      );
      if (uncalled !== undefined) skip(uncalled);
    },
  };
}

/** Loaded when a test runs, as the engine of trials is. */
async function open(workflow: Workflow, testPath: string, settings: Settings): Promise<Runs> {
  const { runsOf } = await import("./workflow-tests.ts");
  return runsOf(workflow, testPath, settings);
}

/** The reason when the agent never calls the tool that a matrix put a fault at. */
async function runScenario(
  workflow: Workflow,
  runs: Runs,
  id: string,
): Promise<string | undefined> {
  if (id === CONTROL) {
    const { expectPassed } = await import("./workflow-tests.ts");
    expectPassed(await runs.control(), CONTROL);
    return undefined;
  }
  const { scenariosOf } = await import("../src/trials.ts");
  const scenario = scenariosOf(workflow).find((one) => one.id === id);
  if (scenario !== undefined) return runs.scenario(scenario);
  throw new Error(
    `Failed to run the scenario ${oneLine(id, 100)}: the workflow has none of that id any more. Run "npx twiceshy matrix" again.`,
  );
}
