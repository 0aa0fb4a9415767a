// The lean door: what runs inside a user's test. No zod, ajv, SQLite or fast-check stands behind it.

// Replaying
export { replay, replayer } from "./repro/replay.ts";
export { loadChecked, loadRepros } from "./repro/load.ts";
export type { CheckedNotes } from "./repro/checked.ts";
export { isReplayResult } from "./repro/result.ts";
export type { Drift, Miss, ReplayResult } from "./repro/result.ts";
export type { ReplayOptions } from "./repro/replay.ts";
export type { InlineRecording, InlineRepro } from "./repro/inline.ts";
export type { Recording, Repro, ReprosFile } from "./repro/repro.ts";

// Judging
export { detect, real, signaturesOf } from "./detector/detector.ts";
export type { Failure } from "./detector/detector.ts";
export { isVerdict } from "./check/verdict.ts";
export type { Verdict } from "./check/verdict.ts";
export type { Check, CheckResult } from "./check/check.ts";

// The baseline
export { decide } from "./baseline/compare.ts";
export type { Decision, DecideInput } from "./baseline/compare.ts";
export { parseBaseline, writeBaseline } from "./baseline/file.ts";
export type { BaselineEntry, BaselineFile } from "./baseline/baseline.ts";

// Guarding
export { guardNetwork } from "./boundary/network.ts";
export { describeError } from "./boundary/tool-error.ts";

// Types of what a test holds
export type { Agent } from "./agent/agent.ts";
export type { Expected, ToolResult, Trace, TraceError } from "./trace/trace.ts";
export type { Json } from "./shared/json.ts";
