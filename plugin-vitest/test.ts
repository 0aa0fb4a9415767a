// What a test file imports from "twiceshy/vitest".
import "./task-meta.ts";
import "./typed.ts";
import { describe, expect, inject, test as base } from "vitest";
import type { ReplayResult } from "../src/runtime.ts";
import type { InlineReplay } from "../src/plugin/inline.ts";
import { replayInline } from "../src/plugin/open-repros.ts";
import { DEFAULTS } from "../src/plugin/settings.ts";
import type { TrialContext } from "../src/plugin/trial-context.ts";
import { register } from "./register.ts";
import { PROVIDED } from "./settings.ts";

// Also without the plugin's setup file, and before it in a worker that several files share.
register();

/** What a test of ours finds in its context beside the runner's own. */
export interface TwiceshyContext extends TrialContext {
  /** Runs an agent on the answers given here: a mock as an ordinary test. */
  readonly replay: (inline: InlineReplay) => Promise<ReplayResult>;
}

/** Vitest's `test` with `replay`, `runTrial`, `explore` and `perturb` in its context. */
export const test = base.extend<TwiceshyContext>({
  // The runner reads the destructured parameter to find what a test context depends on.
  // oxlint-disable-next-line no-empty-pattern
  replay: async ({}, use) => {
    await use((inline) => replayInline(inline, inject(PROVIDED) ?? DEFAULTS));
  },
  // What runs fault trials is loaded for tests that ask for it: specs that only replay never pay for it.
  runTrial: async ({ task }, use) => {
    const { trialAfterControl } = await import("../src/plugin/trial-runs.ts");
    const settings = inject(PROVIDED) ?? DEFAULTS;
    await use((options) => trialAfterControl(task, settings, options as never) as never);
  },
  explore: async ({ task }, use) => {
    const { exploreIn } = await import("../src/plugin/trial-runs.ts");
    const settings = inject(PROVIDED) ?? DEFAULTS;
    await use((options, property) =>
      exploreIn(task, settings, { options: options as never, property: property as never }),
    );
  },
  perturb: async ({ task }, use) => {
    const { perturbIn } = await import("../src/plugin/trial-runs.ts");
    const settings = inject(PROVIDED) ?? DEFAULTS;
    await use((recorded, agent, ...[property, options]) =>
      perturbIn(task, settings, { recorded, agent, property, options }),
    );
  },
});

export { describe, expect };
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
export type { VitestMatchers } from "./typed.ts";
export type { VerdictMeta } from "../src/plugin/verdict-meta.ts";
