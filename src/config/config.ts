import { z } from "zod";
import type { JudgeFunction } from "../detector/judge.ts";

/** "file#export" of an agent. */
const agentSpec = z
  .string()
  .regex(/^[^#]+#[A-Za-z_$][\w$]*$/, 'must be "file#export", as "./src/agent.ts#run"');

const redactSchema = z.strictObject({
  /** Further member names whose values are secrets. */
  keys: z.array(z.string().min(1)).optional(),
  /** Further patterns of secrets; each with the name that its placeholder shows. */
  patterns: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[\w-]{1,32}$/),
        pattern: z.string().min(1).max(1000),
      }),
    )
    .optional(),
  /** Texts that are never secrets. */
  allow: z.array(z.string().min(1)).optional(),
});

const askSchema = z.custom<JudgeFunction>((value) => typeof value === "function");

const judgeSchema = z
  .strictObject({
    /** Ollama's model (`llama3.2`); of a function, the name under which its answers are kept. */
    model: z.string().min(1).optional(),
    /** Asked in Ollama's place: a function, or "file#export" of one. */
    ask: z.union([askSchema, agentSpec]).optional(),
    /** Where Ollama runs. Default `OLLAMA_HOST`, else this machine. */
    host: z.string().min(1).optional(),
    /** Longest wait for one answer. Default 120,000. */
    timeoutMs: z.number().int().positive().max(300_000).optional(),
    /** Traces that are judged at once. Default 2. */
    concurrency: z.number().int().min(1).max(64).optional(),
    /** A verdict below this confidence is low. Default 0.6. */
    minConfidence: z.number().min(0).max(1).optional(),
    /** Whether what only the judge found makes a trace failing, so that a repro waits for its right answer. Default false. */
    gate: z.boolean().optional(),
  })
  .refine(({ ask, host }) => ask === undefined || host === undefined, {
    path: ["host"],
    message: "is for Ollama, and `ask` is there in its place",
  });

/** Everything that a user can set, in `twiceshy.config.*` or at the plugin. */
export const configSchema = z.strictObject({
  /** `"file#export"` for all traces. */
  agent: agentSpec.optional(),
  /** By a trace's agent name. */
  agents: z.record(z.string().min(1), agentSpec).optional(),
  /** Version under test; default: the package's version and the commit. */
  agentVersion: z.string().min(1).optional(),
  /** Files to read at the start of a run: paths or globs. Default `.twiceshy/traces/**\/*.jsonl`. */
  traces: z.union([z.string().min(1), z.array(z.string().min(1))]).optional(),
  store: z.string().min(1).optional(),
  /** Folder of generated specs, repros and baselines. Default `tests/failures`. */
  specs: z
    .union([
      z.string().min(1),
      z.strictObject({
        dir: z.string().min(1).optional(),
        per: z.enum(["agent", "cluster"]).optional(),
      }),
    ])
    .optional(),
  /** How many repros one agent's failures may give; each cause gets an equal share of them. Default 1,000. */
  repros: z.strictObject({ most: z.number().int().positive().optional() }).optional(),
  gate: z.enum(["regression", "any", "none"]).optional(),
  /** Whether pending repros can fail a run. Default: `gate` locally, `report` in CI. */
  unreviewed: z.enum(["gate", "report"]).optional(),
  matching: z.enum(["keyed", "loose"]).optional(),
  /** JSON Pointers (or names) in arguments that never take part in matching. */
  volatile: z.array(z.string().min(1)).optional(),
  limits: z
    .strictObject({
      toolCalls: z.number().int().positive().optional(),
      ms: z.number().int().positive().optional(),
    })
    .optional(),
  /** `"refuse"`, or the hosts that a replay may reach. */
  network: z.union([z.literal("refuse"), z.array(z.string().min(1))]).optional(),
  redact: z.union([z.boolean(), redactSchema]).optional(),
  detect: z
    .strictObject({
      loopRepeat: z.number().int().min(2).optional(),
      budgetMs: z.number().positive().optional(),
      output: z.enum(["required", "optional"]).optional(),
    })
    .optional(),
  /** Opt-in, asked by `detect` and `process`: Ollama's model, "file#export" of a function, a function, or all about it. */
  judge: z
    .union(
      [z.boolean(), askSchema, z.string().regex(/^[^#]+(?:#[A-Za-z_$][\w$]*)?$/), judgeSchema],
      {
        error:
          'must be the name of a model, "file#export", a function, or { model, ask, host, ... }',
      },
    )
    .optional(),
  /** Whose specs are written. Default: the runner's whose plugin is used, else Vitest's. */
  runner: z.enum(["vitest", "jest"]).optional(),
  /** Similarity from which two texts of one signature are one cause, 0 to 1. Default 0.85. */
  threshold: z.number().min(0).max(1).optional(),
});

/** What a user writes. */
export type UserConfig = z.infer<typeof configSchema>;

/** The same with every default filled in; paths are absolute. */
export interface Config {
  /** The project's root. */
  readonly root: string;
  readonly agents: Readonly<Record<string, string>>;
  /** For traces of agents that `agents` does not name. */
  readonly agent?: string;
  readonly agentVersion?: string;
  readonly traces: readonly string[];
  readonly store: string;
  readonly specs: { readonly dir: string; readonly per: "agent" | "cluster" };
  readonly repros: { readonly most: number };
  readonly gate: "regression" | "any" | "none";
  readonly unreviewed: "gate" | "report";
  readonly matching: "keyed" | "loose";
  readonly volatile: readonly string[];
  readonly limits: { readonly toolCalls: number; readonly ms: number };
  /** Hosts that a replay may reach. */
  readonly network: readonly string[];
  readonly redact: {
    readonly off?: boolean;
    readonly keys?: readonly string[];
    readonly patterns?: readonly { name: string; pattern: string }[];
    readonly allow?: readonly string[];
    /** This machine's variables with secrets: their values are hidden wherever they stand. */
    readonly environment?: Readonly<Record<string, string>>;
  };
  readonly detect: {
    readonly loopRepeat?: number;
    readonly budgetMs?: number;
    readonly output?: "required" | "optional";
  };
  readonly threshold: number;
  /** Whose specs are written, where it is not Vitest's. */
  readonly runner?: "jest";
  /** Missing: no trace is judged by a model. */
  readonly judge?: {
    /** Ollama's model; of a function, the name under which its answers are kept. */
    readonly model: string;
    readonly ask?: JudgeFunction | string;
    readonly host?: string;
    readonly timeoutMs: number;
    readonly concurrency: number;
    readonly minConfidence: number;
    readonly gate: boolean;
  };
  /** Whether nothing may be written: `CI` is set. */
  readonly ci: boolean;
}
