import { z } from "zod";
import type { Json } from "../shared/json.ts";
import { expectedSchema, toolResultSchema } from "../trace/trace.ts";
import { checkSchema } from "../check/schema.ts";

/** Version of the repros file; a reader refuses any other. */
export const REPROS_VERSION = 1;

const json = z.custom<Json>((value) => value !== undefined, "is missing");
const count = z.number().int().nonnegative();
const id = z.string().regex(/^[0-9a-f]{8,64}$/, "must be 8 to 64 hex digits");

/** One recorded tool result, served back in replay. */
export const recordingSchema = z.strictObject({
  tool: z.string(),
  args: json,
  params: z.array(z.string()).optional(),
  /** The answer; or `blob`, the key of a large answer stored once in the file. A call that was never answered has neither. */
  result: toolResultSchema.optional(),
  blob: z.string().optional(),
  /** Index, in this cassette, of the first call of the group that was under way together. */
  batch: count.optional(),
  /** Order in which the calls were answered. */
  settled: count.optional(),
  write: z.boolean().optional(),
  sync: z.boolean().optional(),
  /** `retry`: recorded in a later success of the same task. Default: the failed run. */
  from: z.enum(["failure", "retry"]).optional(),
});

export const reproFailureSchema = z.strictObject({
  kind: z.string(),
  severity: z.enum(["low", "medium", "high"]),
  signature: z.string(),
  message: z.string(),
  step: count.optional(),
  tool: z.string().optional(),
});

export const reproStatusSchema = z.enum(["pending", "confirmed", "rejected"]);

/** The smallest reproducible unit: task, cassette, checks and the signatures that must not come back. */
export const reproSchema = z.strictObject({
  id,
  status: reproStatusSchema,
  /** Where the checks come from: the failed run alone, a later success, a person, another tool's file. */
  origin: z.enum(["inferred", "retry", "human", "imported"]),
  /** Sanitised, one line, at most 80 code points. */
  title: z.string(),
  cluster: z.string(),
  taskId: z.string(),
  task: json,
  /** Every tool that the agent was offered or asked for. */
  tools: z.array(z.string()),
  cassette: z.array(recordingSchema),
  checks: z.array(checkSchema),
  /** Signatures that must not come back, without the low ones. */
  signatures: z.array(z.string()).min(1),
  failures: z.array(reproFailureSchema),
  expected: expectedSchema.optional(),
  outputSchema: json.optional(),
  /** The budget of calls that stopped the failed run; a replay has the same, so that it stops there again. */
  limits: z.strictObject({ toolCalls: count }).optional(),
  /** Index of the first failing step, the last that the cassette knows; missing when the whole run is kept. */
  cut: count.optional(),
  /** Tools that the failed run went on to ask after the cut, sorted; their answers are not kept. */
  after: z.array(z.string()).optional(),
  /** Digest of the failing traces that gave this very repro: how often it was seen. */
  seen: count.optional(),
  source: z.strictObject({
    trace: z.string(),
    agentVersion: z.string(),
    format: z.string(),
    status: z.string(),
  }),
  /** Set while a person must give the expected answer; such a repro makes no test. */
  needs: z.literal("an expected answer").optional(),
  /** What the later success did differently. */
  diff: json.optional(),
  notes: z.string().optional(),
  /** Digest of what was written by us, so that a person's edit is seen and kept. */
  written: z.string().optional(),
});

export const reprosFileSchema = z.strictObject({
  formatVersion: z.literal(REPROS_VERSION),
  agent: z.string(),
  clusters: z.record(
    z.string(),
    z.strictObject({
      label: z.string(),
      size: count,
      representative: z.string(),
      /** Ids of earlier clusters that became one with this, each with its representative. */
      aliases: z.record(z.string(), z.string()).optional(),
    }),
  ),
  repros: z.array(reproSchema),
  /** Large tool results by content hash. */
  blobs: z.record(z.string(), json),
});

export type Recording = z.infer<typeof recordingSchema>;
export type ReproStatus = z.infer<typeof reproStatusSchema>;
export type Repro = z.infer<typeof reproSchema>;
export type ReprosFile = z.infer<typeof reprosFileSchema>;
