import { afterAll, jest } from "@jest/globals";
import { scenarioTestsOn, type ScenarioTests } from "../src/plugin/scenario-tests.ts";
import type { Workflow } from "../src/trials.ts";
import { testFile } from "./describe-workflow.ts";
import { settingsFor } from "./handover.ts";

/** What a written spec runs its tests by; made once, at the top of the file. */
export function scenarioTests(workflow: Workflow): ScenarioTests {
  const file = testFile();
  return scenarioTestsOn(
    {
      settings: settingsFor(file.path),
      file,
      setTimeout: (ms) => void jest.setTimeout(ms),
      afterAll,
    },
    workflow,
  );
}
