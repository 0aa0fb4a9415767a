import type { Config } from "../config/config.ts";
import { detect, real, type DetectOptions, type Failure } from "../detector/detector.ts";
import { sha256 } from "../shared/hash.ts";
import { canonical } from "../shared/json.ts";
import { validateSchema } from "../shared/json-schema.ts";
import type { Look, Summary } from "../store/store.ts";
import type { Step, Trace } from "../trace/trace.ts";
import { ENGINE } from "./fast.ts";

/** How failures are found in this project. */
export function detectOptions(config: Config): DetectOptions {
  return { ...config.detect, validate: validateSchema };
}

/** Names the rules by which failures are found: our version and the options. */
export function rulesOf(config: Config): string {
  // What only the judge found is kept with the rest where it counts.
  const judge = config.judge?.gate === true ? { judge: true } : {};
  return sha256(canonical({ engine: ENGINE, ...config.detect, ...judge }), 16);
}

/**
 * Finds the failures of traces, and what is asked of them later without their steps. The digest of what a run did is worked
 * out from the second failing run of a task on: whoever has two of them works out the first one's, and most tasks have one.
 */
export function looker(config: Config): (trace: Trace) => Look {
  const options = detectOptions(config);
  const tasks = new Set<string>();
  return (trace) => {
    const failures = detect(trace, options);
    if (real(failures).length === 0) return lookWith(trace, failures);
    const task = taskKey(trace);
    if (tasks.has(task)) return { ...lookWith(trace, failures), content: contentOf(trace) };
    tasks.add(task);
    return lookWith(trace, failures);
  };
}

/** The same for failures that are known. */
export function lookWith(trace: Trace, failures: readonly Failure[]): Look {
  const cost = costOf(trace);
  return { failures, ...(cost === undefined ? {} : { cost }) };
}

/** Equal for the runs of one task by one agent. */
export function taskKey({ agent, taskId }: Pick<Trace, "agent" | "taskId">): string {
  return `${agent.length} ${agent} ${taskId}`;
}

/** A trace that was looked at. */
export function summaryOf(trace: Trace, { failures, content, cost }: Look): Summary {
  return {
    id: trace.id,
    agent: trace.agent,
    taskId: trace.taskId,
    status: trace.status,
    failures,
    failing: real(failures).length > 0,
    content: content ?? trace.id,
    ...(trace.startedAt === undefined ? {} : { startedAt: trace.startedAt }),
    ...(cost === undefined ? {} : { cost }),
  };
}

/** Equal for runs that differ only in their ids and times. */
export function contentOf(trace: Trace): string {
  const {
    id: _id,
    startedAt: _start,
    endedAt: _end,
    durationMs: _ms,
    steps,
    meta: _meta,
    ...rest
  } = trace;
  // Not canonical, which takes ten times as long: equal runs in another key order are joined by their repro.
  return sha256(JSON.stringify([rest, steps.map((step) => timeless(step))]), 32);
}

/** Ids of calls are made up anew in each run. */
function timeless(step: Step): unknown[] {
  const { kind } = step;
  if (kind === "tool") {
    const { name, args, params, result, batch, settled, write, sync } = step;
    return [kind, name, args, params, result, batch, settled, write, sync];
  }
  if (kind === "error") return [kind, step.error];
  if (kind === "model") return [kind, step.name, step.prompt, step.content, step.usage];
  return kind === "other" ? [kind, step.name, step.content] : [kind, step.content];
}

/** The tokens of a run, as the trace or its steps count them. */
function costOf({ usage, steps }: Trace): number | undefined {
  if (usage !== undefined) return tokensIn(usage);
  let sum: number | undefined;
  for (const step of steps) {
    const tokens = step.kind === "model" && step.usage !== undefined ? tokensIn(step.usage) : 0;
    if (tokens !== undefined && tokens > 0) sum = (sum ?? 0) + tokens;
  }
  return sum;
}

function tokensIn(usage: NonNullable<Trace["usage"]>): number | undefined {
  const { inputTokens, outputTokens, totalTokens } = usage;
  if (totalTokens !== undefined) return totalTokens;
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  return (inputTokens ?? 0) + (outputTokens ?? 0);
}
