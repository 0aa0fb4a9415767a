import { oneLine, title } from "../shared/text.ts";
import type { Workflow } from "../trials.ts";
import type { TestFile } from "./evidence-file.ts";
import type { Settings } from "./settings.ts";
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

/** What a runner does for them. */
export interface ScenarioHost {
  readonly settings: Settings;
  readonly file: TestFile;
  /** Gives every test of the file this time. */
  readonly setTimeout: (ms: number) => void;
  readonly afterAll: (run: () => Promise<void>) => void;
}

/** What a written spec runs its tests by; made once, at the top of the file. */
export function scenarioTestsOn(host: ScenarioHost, workflow: Workflow): ScenarioTests {
  const { settings, file } = host;
  const ms = workflow.limits?.ms ?? settings.limits.ms;
  host.setTimeout((1 + (workflow.trials ?? 1)) * ms + GRACE_MS);
  let runs: Promise<Runs> | undefined;
  host.afterAll(async () => {
    await (await runs)?.end();
  });
  return {
    async scenarios() {
      const { scenariosOf } = await import("../trials.ts");
      return scenariosOf(workflow).map(({ id, title: text }) => [id, title(text)]);
    },
    async run(id, skip) {
      const uncalled = await runScenario(
        workflow,
        await (runs ??= open(workflow, file, settings)),
        id,
      );
      if (uncalled !== undefined) skip(uncalled);
    },
  };
}

/** Loaded when a test runs, as the engine of trials is. */
async function open(workflow: Workflow, file: TestFile, settings: Settings): Promise<Runs> {
  const { runsOf } = await import("./workflow-tests.ts");
  return runsOf(workflow, file, settings);
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
  const { scenariosOf } = await import("../trials.ts");
  const scenario = scenariosOf(workflow).find((one) => one.id === id);
  if (scenario !== undefined) return runs.scenario(scenario);
  throw new Error(
    `Failed to run the scenario ${oneLine(id, 100)}: the workflow has none of that id any more. Run "npx twiceshy matrix" again.`,
  );
}
