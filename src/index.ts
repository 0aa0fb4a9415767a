/**
 * The engine: record an agent, find what went wrong, make it a repro, replay it.
 *
 * @module
 */

// Capture an agent
export { record } from "./agent/record.ts";
export type { RecordOptions } from "./agent/record.ts";
export { capture } from "./agent/capture.ts";
export type { CaptureOptions } from "./agent/capture.ts";
export { instrument } from "./boundary/instrument.ts";
export { toolError } from "./boundary/tool-error.ts";
export { Recorder } from "./trace/recorder.ts";
export { traceLines } from "./trace/sink.ts";
export type { Sink } from "./trace/sink.ts";
export type { Agent, AgentContext, AgentRecorder, Completion, Tools } from "./agent/agent.ts";
export { loadAgent } from "./agent/load.ts";

// Read traces
export { readTraces } from "./importer/importer.ts";
export type { ReadItem, ReadOptions } from "./importer/importer.ts";
export { traceSchema, TRACE_VERSION } from "./trace/trace.ts";
export type { Expected, Step, ToolResult, Trace, TraceError } from "./trace/trace.ts";

// Find failures
export { detect, real, signaturesOf } from "./detector/detector.ts";
export type { DetectOptions, Failure, Severity } from "./detector/detector.ts";
export { judge } from "./detector/judge.ts";
export type { JudgeAnswer, JudgeContext, JudgeFunction, JudgeOptions } from "./detector/judge.ts";
export { validateSchema } from "./shared/json-schema.ts";
export { cluster } from "./cluster/cluster.ts";
export type { Cluster } from "./cluster/cluster.ts";

// Make repros and replay them
export { toRepro } from "./repro/convert.ts";
export { prove } from "./repro/prove.ts";
export { replay } from "./repro/replay.ts";
export type { ReplayOptions } from "./repro/replay.ts";
export type { InlineRecording, InlineRepro } from "./repro/inline.ts";
export { minimise } from "./repro/minimise.ts";
export { readRepros } from "./repro/file.ts";
export { reprosFileSchema } from "./repro/repro.ts";
export type { Recording, Repro, ReprosFile, ReproStatus } from "./repro/repro.ts";
export { isReplayResult } from "./repro/result.ts";
export type { Drift, Miss, ReplayResult } from "./repro/result.ts";
export type { Check, CheckResult } from "./check/check.ts";
export type { Verdict } from "./check/verdict.ts";

// Try an agent under faults
export { defineWorld } from "./world/define.ts";
export type { Mutation, ToolContext, World, WorldTool } from "./world/world.ts";
export { fault } from "./fault/build.ts";
export type { Fault, FaultOutcome } from "./fault/fault.ts";
export { defineWorkflow, runTrial } from "./workflow/typed.ts";
export type { CheckOf, TrialOf, TrialOptionsOf, WorkflowOf } from "./workflow/typed.ts";
export { runWorkflow } from "./workflow/run.ts";
export type { RunOptions, WorkflowRun } from "./workflow/run.ts";
export { perturb } from "./workflow/perturb.ts";
export type { Perturbation, PerturbOptions } from "./workflow/perturb.ts";
export { openTrace } from "./workflow/open-trace.ts";
export type { PlayedTool, PlayedTrace, ToolKinds, WrittenState } from "./workflow/played-trace.ts";
export { isTrial } from "./workflow/trial-result.ts";
export type { Trial, TrialEvent, TrialIssue, TrialVerdict } from "./workflow/trial-result.ts";
export type {
  Scenario,
  TrialClock,
  TrialLimits,
  TrialOptions,
  Workflow,
  WorkflowCheck,
} from "./workflow/workflow.ts";
export { readReport } from "./workflow/read-report.ts";
export type { Report, ReportHeader, TrialRecord } from "./workflow/report.ts";
export { compareReports } from "./baseline/compare-reports.ts";
export { workflowTrends } from "./baseline/trends.ts";

// Keep the accepted verdicts
export { readBaseline } from "./baseline/file.ts";
export { decide } from "./baseline/compare.ts";
export type { Decision, DecideInput } from "./baseline/compare.ts";
export type { BaselineEntry, BaselineFile } from "./baseline/baseline.ts";

// Write specs
export { generate } from "./generate/generate.ts";
export type { GenerateResult } from "./generate/result.ts";
export { openStore } from "./store/store.ts";
export type { Run, Store } from "./store/store.ts";

// Configure
export { defineConfig } from "./config/define.ts";
export { loadConfig } from "./config/load.ts";
export type { Config, UserConfig } from "./config/config.ts";

// Errors
export { TwiceshyError } from "./shared/error.ts";
export type { Json } from "./shared/json.ts";
