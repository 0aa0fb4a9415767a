import type { DetectOptions } from "../detector/detector.ts";
import { encode } from "../shared/encode.ts";
import type { Json } from "../shared/json.ts";
import { openRules, type RedactOptions, type RedactRules } from "../shared/redact.ts";
import { title } from "../shared/text.ts";
import type { CassetteSource } from "./cassette.ts";
import type { Checked } from "./checked.ts";
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

/** What the options alone decide, worked out once for any number of replays. */
export interface Frame {
  readonly options: ReplayOptions;
  readonly matching: PlannedMatching;
  readonly rules: RedactRules;
  readonly checked: Checked | undefined;
}

type PlannedMatching = MatchingOptions & { readonly matching: "keyed" | "loose" };

export function frameOf(options: ReplayOptions, checked?: Checked): Frame {
  const { matching = "keyed", volatile, redact = {} } = options;
  const rules = openRules(redact);
  return { options, rules, matching: { matching, volatile, rules }, checked };
}

/** Everything that a replay needs, whether it comes from a repro or from an inline cassette. */
export interface Plan {
  readonly task: Json;
  /** Whether task and cassette come from a file in which the rules find nothing. */
  readonly checked: boolean;
  readonly taskId: string | undefined;
  readonly agent: string;
  readonly agentVersion: string;
  readonly source: CassetteSource;
  readonly hasRetry: boolean;
  readonly matching: PlannedMatching;
  readonly tools: readonly string[];
  readonly params: Readonly<Record<string, readonly string[]>>;
  readonly writes: readonly string[];
  readonly limits: { readonly toolCalls: number; readonly ms: number };
  readonly network: readonly string[];
  readonly rules: RedactRules;
  readonly detect: DetectOptions | undefined;
  readonly signal: AbortSignal | undefined;
  readonly judged: Judged;
  readonly about: ReplayResult["repro"];
}

export function planOf(source: Repro | InlineRepro, frame: Frame): Plan {
  return isRepro(source) ? ofRepro(source, frame) : ofInline(source, frame);
}

function ofRepro(repro: Repro, { options, matching, rules, checked }: Frame): Plan {
  const { blobs, limits } = options;
  const { cassette } = repro;
  const found = surveyOf(cassette);
  const known = checked?.repros.get(repro.id);
  return {
    task: repro.task,
    checked: known?.clean === true,
    taskId: repro.taskId,
    agent: options.agent ?? "agent",
    agentVersion: options.agentVersion ?? "0",
    source: { cassette, blobs },
    hasRetry: found.recorded < cassette.length,
    matching,
    tools: toolNames(cassette, repro.tools),
    params: found.params,
    writes: found.writes,
    // The failure must be able to show, however small the budget is.
    limits: {
      toolCalls:
        repro.limits?.toolCalls ?? Math.max(limits?.toolCalls ?? TOOL_CALLS, found.recorded),
      ms: limits?.ms ?? MS,
    },
    network: options.network ?? [],
    rules,
    detect: options.detect,
    signal: options.signal,
    judged: judgedOf(repro),
    about: {
      id: repro.id,
      hash: known?.hash ?? contentHash(repro, blobs),
      status: repro.status,
      title: repro.title,
      signatures: repro.signatures,
    },
  };
}

function ofInline(inline: InlineRepro, { options, matching, rules }: Frame): Plan {
  const cassette = recordingsOfInline(inline);
  const task = encode(inline.task);
  const { params, writes } = surveyOf(cassette);
  const { checks = [], signatures = [], expected, outputSchema } = inline;
  return {
    task,
    checked: false,
    taskId: undefined,
    agent: options.agent ?? "agent",
    agentVersion: options.agentVersion ?? "0",
    source: { cassette },
    hasRetry: false,
    matching: {
      matching: inline.matching ?? matching.matching,
      volatile: inline.volatile ?? matching.volatile,
      rules,
    },
    tools: toolNames(cassette, inline.tools),
    params,
    writes,
    limits: {
      toolCalls: inline.limits?.toolCalls ?? options.limits?.toolCalls ?? TOOL_CALLS,
      ms: inline.limits?.ms ?? options.limits?.ms ?? MS,
    },
    network: options.network ?? [],
    rules,
    detect: options.detect,
    signal: options.signal,
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

interface Survey {
  /** Recordings of the failed run. */
  readonly recorded: number;
  readonly writes: readonly string[];
  /** Names of positional parameters, by tool; the first recording that knows them counts. */
  readonly params: Readonly<Record<string, readonly string[]>>;
}

function surveyOf(cassette: readonly Recording[]): Survey {
  const writes: string[] = [];
  const params: Record<string, readonly string[]> = Object.create(null) as Record<string, never>;
  let recorded = 0;
  for (const recording of cassette) {
    const { tool, params: names, write } = recording;
    if (!isRetry(recording)) recorded += 1;
    if (write === true) writes.push(tool);
    if (names !== undefined && !Object.hasOwn(params, tool)) params[tool] = names;
  }
  return { recorded, writes, params };
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
