import { z } from "zod";
import type { Json } from "../shared/json.ts";

/** The version that a document says; nothing else is read. */
export const DOCUMENT_VERSION = "workflow/1";

const name = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/,
    "write a letter or digit first, then letters, digits, _ and -, at most 100 in all",
  );
const text = z
  .string()
  .trim()
  .min(1, "write something")
  .max(2000, "write at most 2,000 characters");
const object = z.record(
  z.string(),
  z.custom<Json>((value) => value !== undefined),
);

/** Fields beside these belong to the type, and are looked at by it. */
const check = z.looseObject({ id: name, label: text, type: z.string() });
const fault = z.looseObject({ type: z.string(), tool: z.string().min(1, "name a tool") });

const checks = z.array(check).min(1, "give at least one check").max(1000);

const scenario = z
  .strictObject({
    id: name,
    title: text,
    fault: fault.optional(),
    /** Ours: several faults in one scenario. */
    faults: z.array(fault).min(1, "give at least one fault").optional(),
    checks: checks.optional(),
  })
  .refine((one) => (one.fault === undefined) !== (one.faults === undefined), {
    error: 'give "fault", or "faults" for several of them',
  });

const whole = z.number().int("write a whole number");
const positive = whole.min(1, "write a number above 0");

/** A workflow of the earlier fault tester. Its bounds are those of its documents, or ours where ours are wider. */
export const documentSchema = z.strictObject({
  schemaVersion: z.literal(DOCUMENT_VERSION, `write "${DOCUMENT_VERSION}"`),
  id: name,
  title: text,
  task: z.string().trim().min(1, "write something").max(1_000_000),
  initialState: object,
  clock: z
    .strictObject({
      mode: z.literal("virtual", 'write "virtual"'),
      startMs: whole.min(0).max(8e15).default(0),
      maxTimeMs: positive.max(86_400_000).default(60_000),
    })
    .optional(),
  checks,
  /** May be left out where the scenarios are a matrix. */
  scenarios: z.array(scenario).min(1, "give at least one scenario").max(1000).optional(),
  limits: z
    .strictObject({
      maxToolCalls: positive.max(100_000).default(20),
      /** No default: polling is no failure. */
      maxRepeatedCalls: positive.max(100_000).optional(),
      timeoutMs: positive.max(3_600_000).default(5000),
    })
    .default({ maxToolCalls: 20, timeoutMs: 5000 }),
});

export type Document = z.infer<typeof documentSchema>;
export type DocumentScenario = z.infer<typeof scenario>;
export type DocumentCheck = z.infer<typeof check>;

/** Documents of one tool each, as the earlier `matrix` wrote them. */
export const matrixSchema = z.strictObject({
  schemaVersion: z.literal("workflow-matrix/1", 'write "workflow-matrix/1"'),
  suites: z
    .array(
      z.strictObject({
        id: name,
        tool: z.string().min(1),
        kind: z.enum(["read", "write"]),
        workflow: documentSchema,
      }),
    )
    .min(1, "give at least one suite"),
});

export type Matrix = z.infer<typeof matrixSchema>;
