import type { DetectOptions } from "../detector/detector.ts";
import { encode } from "../shared/encode.ts";
import type { Json } from "../shared/json.ts";
import type { RedactOptions } from "../shared/redact.ts";
import { title } from "../shared/text.ts";
import type { CassetteSource } from "./cassette.ts";
import { contentHash, isRetry } from "./hash.ts";
import { isRepro, recordingsOfInline, toolNames, type InlineRepro } from "./inline.ts";
import type { Judged } from "./judge.ts";
import type { MatchingOptions } from "./matching.ts";
import { judgedOf } from "./prove.ts";
import type { Recording, Repro } from "./repro.ts";
import type { ReplayResult } from "./result.ts";
import { titleOf } from "./title.ts";

const TOOL_CALLS = 50;
const MS = 30_000;

export interface ReplayOptions {
  /** Name and version of the agent in the replayed trace. */
  readonly agent?: string;
  readonly agentVersion?: string;
  /** The large answers of the repro's file. */
  readonly blobs?: Readonly<Record<string, Json>>;
  /** Default `keyed`; `loose` also takes the next unused recording of a tool, and reports it as drift. */
  readonly matching?: "keyed" | "loose";
  /** JSON Pointers or member names in arguments that never take part in matching. */
  readonly volatile?: readonly string[];
  /**
   * Default 50 calls and 30,000 ms. A repro is always given the calls that its failed run made, and no more where it was
   * their number that stopped that run.
   */
  readonly limits?: { readonly toolCalls?: number; readonly ms?: number };
  /** Hosts that the replay may reach. Default none. */
  readonly network?: readonly string[];
  readonly redact?: RedactOptions;
  readonly detect?: DetectOptions;
  /** Ends the replay from outside. */
  readonly signal?: AbortSignal;
}

/** Everything that a replay needs, whether it comes from a repro or from an inline cassette. */
export interface Plan {
  readonly task: Json;
  readonly taskId?: string;
  readonly agent: string;
  readonly agentVersion: string;
  readonly source: CassetteSource;
  readonly hasRetry: boolean;
  readonly matching: MatchingOptions & { readonly matching: "keyed" | "loose" };
  readonly tools: readonly string[];
  readonly params: Readonly<Record<string, readonly string[]>>;
  readonly writes: readonly string[];
  readonly limits: { readonly toolCalls: number; readonly ms: number };
  readonly network: readonly string[];
  readonly redact: RedactOptions | undefined;
  readonly detect: DetectOptions | undefined;
  readonly signal: AbortSignal | undefined;
  readonly judged: Judged;
  readonly about: ReplayResult["repro"];
}

export function planOf(source: Repro | InlineRepro, options: ReplayOptions): Plan {
  const content = isRepro(source) ? ofRepro(source, options) : ofInline(source, options);
  const { cassette } = content.source;
  const { redact, signal, detect } = options;
  return {
    ...content,
    agent: options.agent ?? "agent",
    agentVersion: options.agentVersion ?? "0",
    hasRetry: cassette.some((recording) => isRetry(recording)),
    params: paramsOf(cassette),
    writes: cassette.filter(({ write }) => write === true).map(({ tool }) => tool),
    network: options.network ?? [],
    redact,
    signal,
    detect,
  };
}

type Content = Pick<
  Plan,
  "task" | "taskId" | "source" | "matching" | "tools" | "limits" | "judged" | "about"
>;

function ofRepro(repro: Repro, options: ReplayOptions): Content {
  const { blobs, limits = {} } = options;
  const recorded = repro.cassette.filter((recording) => !isRetry(recording)).length;
  return {
    task: repro.task,
    taskId: repro.taskId,
    source: { cassette: repro.cassette, blobs },
    matching: matchingOf(options, options),
    tools: toolNames(repro.cassette, repro.tools),
    // The failure must be able to show, however small the budget is.
    limits: {
      toolCalls: repro.limits?.toolCalls ?? Math.max(limits.toolCalls ?? TOOL_CALLS, recorded),
      ms: limits.ms ?? MS,
    },
    judged: judgedOf(repro),
    about: {
      id: repro.id,
      hash: contentHash(repro, blobs),
      status: repro.status,
      title: repro.title,
      signatures: repro.signatures,
    },
  };
}

function ofInline(inline: InlineRepro, options: ReplayOptions): Content {
  const cassette = recordingsOfInline(inline);
  const task = encode(inline.task);
  const limits = { ...options.limits, ...inline.limits };
  const { checks = [], signatures = [], expected, outputSchema } = inline;
  return {
    task,
    source: { cassette },
    matching: matchingOf(inline, options),
    tools: toolNames(cassette, inline.tools),
    limits: { toolCalls: limits.toolCalls ?? TOOL_CALLS, ms: limits.ms ?? MS },
    judged: {
      signatures: [...signatures],
      checks: [...checks],
      ...(expected === undefined ? {} : { expected }),
      ...(outputSchema === undefined ? {} : { outputSchema: encode(outputSchema) }),
    },
    about: {
      status: "inline",
      title: inline.title === undefined ? titleOf(task) : title(inline.title),
      signatures,
    },
  };
}

function matchingOf(
  first: Pick<ReplayOptions, "matching" | "volatile">,
  options: ReplayOptions,
): Plan["matching"] {
  return {
    matching: first.matching ?? options.matching ?? "keyed",
    volatile: first.volatile ?? options.volatile,
    redact: options.redact,
  };
}

/** Names of positional parameters, by tool; the first recording that knows them counts. */
function paramsOf(cassette: readonly Recording[]): Readonly<Record<string, readonly string[]>> {
  const params: Record<string, readonly string[]> = Object.create(null) as Record<string, never>;
  for (const { tool, params: names } of cassette) {
    if (names !== undefined && !Object.hasOwn(params, tool)) params[tool] = names;
  }
  return params;
}

/** Whether there is a JSON Schema to check, and nothing to check it with. */
export function needsValidator({ detect, judged }: Plan): boolean {
  if (detect?.validate !== undefined) return false;
  const { outputSchema, checks } = judged;
  return outputSchema !== undefined || checks.some(({ type }) => type === "output_schema");
}

/** The plan with the validator of JSON Schemas, which is loaded only here. */
export async function withValidator(plan: Plan): Promise<Plan> {
  const { validateSchema } = await import("../shared/json-schema.ts");
  return { ...plan, detect: { ...plan.detect, validate: validateSchema } };
}
