// What a test file imports from "twiceshy/jest".
import "./typed.ts";
import { describe, expect } from "@jest/globals";
import { register } from "./register.ts";

// Also without the set-up file of the configuration.
register();

export { describe, expect };
export { test, type TwiceshyContext, type TwiceshyTest } from "./context-test.ts";
export { replays } from "./replays.ts";
export { describeWorkflow } from "./describe-workflow.ts";
export { scenarioTests } from "./scenario-tests.ts";
export { fault } from "../src/fault/build.ts";
export type { InlineRecording } from "../src/runtime.ts";
export type { InlineReplay } from "../src/plugin/inline.ts";
export type { ScenarioTests } from "../src/plugin/scenario-tests.ts";
export type { WorkflowTests } from "../src/plugin/workflow-tests.ts";
export type { TrialContext } from "../src/plugin/trial-context.ts";
export type { Settings } from "../src/plugin/settings.ts";
export type { JestMatchers } from "./typed.ts";
export type { VerdictMeta } from "../src/plugin/verdict-meta.ts";
