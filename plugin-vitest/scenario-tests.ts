import { afterAll, inject, vi } from "vitest";
import { scenarioTestsOn, type ScenarioTests } from "../src/plugin/scenario-tests.ts";
import { DEFAULTS } from "../src/plugin/settings.ts";
import type { Workflow } from "../src/trials.ts";
import { testFile } from "./describe-workflow.ts";
import { PROVIDED } from "./settings.ts";

/** What a written spec runs its tests by; made once, at the top of the file. */
export function scenarioTests(workflow: Workflow): ScenarioTests {
  return scenarioTestsOn(
    {
      settings: inject(PROVIDED) ?? DEFAULTS,
      file: testFile(),
      setTimeout: (ms) => vi.setConfig({ testTimeout: ms }),
      afterAll,
    },
    workflow,
  );
}
