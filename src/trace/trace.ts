import { z } from "zod";
import type { Json } from "../shared/json.ts";

/** Version of the trace format on disk; a reader refuses any other major. */
export const TRACE_VERSION = "twiceshy.trace/1";

/** Values are JSON once they are read or encoded; walking each payload again with zod costs three times its parse. */
const json = z.custom<Json>((value) => value !== undefined, "is missing");
const count = z.number().int().nonnegative();
const text = z.string();

/** Where the fact that a call failed came from, in falling order of trust. */
export const errorSourceSchema = z.enum(["thrown", "flag", "wrapper", "text"]);

/** A bad value inside the system: the error of a tool result or a thrown Error. */
export const traceErrorSchema = z.strictObject({
  /** Class name of the thrown error, as `KeyError`. */
  name: text.optional(),
  code: z.union([text, z.number()]).optional(),
  message: text,
  retryable: z.boolean().optional(),
  /** Own enumerable members of the error that JSON can hold. */
  data: json.optional(),
  /** Default: `thrown`. */
  source: errorSourceSchema.optional(),
});

/** What a tool answered. */
export const toolResultSchema = z.discriminatedUnion("ok", [
  z.strictObject({ ok: z.literal(true), data: json }),
  z.strictObject({ ok: z.literal(false), error: traceErrorSchema, data: json.optional() }),
]);

export const usageSchema = z.strictObject({
  inputTokens: count.optional(),
  outputTokens: count.optional(),
  totalTokens: count.optional(),
});

const common = {
  /** Position in the trace, from 0; equal to the place in `steps`. */
  index: count,
  /** Epoch milliseconds; information only, never order. */
  at: z.number().optional(),
};

const inputStepSchema = z.strictObject({ ...common, kind: z.literal("input"), content: json });
const modelStepSchema = z.strictObject({
  ...common,
  kind: z.literal("model"),
  name: text.optional(),
  prompt: json.optional(),
  content: json,
  usage: usageSchema.optional(),
});
const reasoningStepSchema = z.strictObject({
  ...common,
  kind: z.literal("reasoning"),
  content: json,
});
const toolStepSchema = z.strictObject({
  ...common,
  kind: z.literal("tool"),
  /** Call id, unique in the trace when given. */
  id: text.optional(),
  name: text,
  /** Named arguments as an object; positional ones are named by `params`, else `_0`, `_1`. */
  args: json,
  params: z.array(text).optional(),
  /** Missing when the call was never answered. */
  result: toolResultSchema.optional(),
  durationMs: z.number().nonnegative().optional(),
  /** Index of the first step of the group of calls that were under way together. */
  batch: count.optional(),
  /** Place in the order in which the calls of the trace were answered, from 0. */
  settled: count.optional(),
  /** Whether the tool changes something; unknown when missing. */
  write: z.boolean().optional(),
  /** Whether the tool answered without a promise. */
  sync: z.boolean().optional(),
});
const outputStepSchema = z.strictObject({ ...common, kind: z.literal("output"), content: json });
const errorStepSchema = z.strictObject({
  ...common,
  kind: z.literal("error"),
  error: traceErrorSchema,
});
/** A step of a kind that we do not know, kept as it was. */
const otherStepSchema = z.strictObject({
  ...common,
  kind: z.literal("other"),
  name: text,
  content: json,
});

export const stepSchema = z.discriminatedUnion("kind", [
  inputStepSchema,
  modelStepSchema,
  reasoningStepSchema,
  toolStepSchema,
  outputStepSchema,
  errorStepSchema,
  otherStepSchema,
]);

/** The right answer, as a person or a benchmark gives it. Exactly one member. */
export const expectedSchema = z.union([
  z.strictObject({ equals: json }),
  z.strictObject({ contains: z.string().min(1) }),
  z.strictObject({ matches: z.string().min(1).max(1000) }),
]);

export const traceStatusSchema = z.enum(["ok", "error", "timeout", "incomplete"]);

/** Ground truth that came with the trace, with its own scale. */
export const scoreSchema = z.strictObject({
  /** Who gave it: `reward`, `benchmark_success`, ... */
  name: text,
  value: z.union([z.number(), z.boolean()]),
  /** Best value on this scale; 1 by default for numbers. */
  best: z.number().optional(),
  passed: z.boolean(),
});

export const traceSchema = z.strictObject({
  schemaVersion: z.literal(TRACE_VERSION),
  id: text,
  /** Groups retries of one task; by default derived from the task's content. */
  taskId: text,
  task: json,
  agent: text,
  agentVersion: text,
  /** `live`, or the importer's name. */
  source: text,
  status: traceStatusSchema,
  startedAt: z.number().optional(),
  endedAt: z.number().optional(),
  /** From a monotonic clock, so never negative. */
  durationMs: z.number().nonnegative().optional(),
  steps: z.array(stepSchema),
  /** Missing when the agent gave none; null is an answer. */
  output: json.optional(),
  /** Every tool that the agent was offered. */
  tools: z.array(text).optional(),
  /** The budgets of the capture. */
  limits: z
    .strictObject({ toolCalls: count.optional(), ms: z.number().nonnegative().optional() })
    .optional(),
  /** JSON Schema that the output must meet. */
  outputSchema: json.optional(),
  /** The right answer, when known. */
  expected: expectedSchema.optional(),
  score: scoreSchema.optional(),
  usage: usageSchema.optional(),
  /** Why the record is not whole: `disk_full`, `torn`, ... */
  truncated: text.optional(),
  meta: z.record(text, json).optional(),
});

export type ErrorSource = z.infer<typeof errorSourceSchema>;
export type TraceError = z.infer<typeof traceErrorSchema>;
export type ToolResult = z.infer<typeof toolResultSchema>;
export type Usage = z.infer<typeof usageSchema>;
export type Step = z.infer<typeof stepSchema>;
export type ToolStep = z.infer<typeof toolStepSchema>;
export type TraceStatus = z.infer<typeof traceStatusSchema>;
export type Score = z.infer<typeof scoreSchema>;
export type Expected = z.infer<typeof expectedSchema>;
export type Trace = z.infer<typeof traceSchema>;
