// The lean door for fault trials: what runs inside a user's test. No zod, ajv, SQLite or fast-check stands behind it until it is asked for.

// Worlds
export { defineWorld } from "./world/define.ts";
export type {
  Change,
  Mutation,
  StandardSchema,
  ToolContext,
  World,
  WorldTool,
} from "./world/world.ts";

// Faults
export { fault } from "./fault/build.ts";
export type { Fault, FaultOutcome } from "./fault/fault.ts";
export { sayFault } from "./fault/words.ts";

// Trials
export { runTrial } from "./workflow/trial.ts";
export { isTrial } from "./workflow/trial-result.ts";
export type { Trial, TrialEvent, TrialIssue, TrialVerdict } from "./workflow/trial-result.ts";
export { perturb } from "./workflow/perturb.ts";
export type { PerturbedTrial, Perturbation, PerturbOptions } from "./workflow/perturb.ts";
export type { Exploration, ExploreOptions, ExploreOptionsOf } from "./workflow/explore.ts";
export type { Property } from "./workflow/search.ts";

// Workflows
export { defineWorkflow } from "./workflow/typed.ts";
export type { CheckOf, TrialOf, TrialOptionsOf, WorkflowOf } from "./workflow/typed.ts";
export { runWorkflow } from "./workflow/run.ts";
export type { RunOptions, WorkflowRun } from "./workflow/run.ts";
export { conditionsOf, controlOf, scenariosOf, worldOf } from "./workflow/scenarios.ts";
export { invalidWorkflow, workflowProblems } from "./workflow/workflow-problems.ts";
export { openReport } from "./workflow/report-file.ts";
export { reportHeader } from "./workflow/report-header.ts";
export type {
  FunctionCheck,
  Scenario,
  TrialClock,
  TrialLimits,
  TrialOptions,
  Workflow,
  WorkflowCheck,
} from "./workflow/workflow.ts";

// Types of what a trial holds
export type { Agent, AgentContext, Completion } from "./agent/agent.ts";
export type { Clock } from "./boundary/clock.ts";
export { toolError } from "./boundary/tool-error.ts";
export type { Check, CheckResult } from "./check/check.ts";
export type { ToolResult, Trace } from "./trace/trace.ts";
export type { Json } from "./shared/json.ts";
