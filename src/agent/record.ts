import { sleep } from "../shared/clock.ts";
import { withOwnSecrets } from "../shared/environment.ts";
import { failure } from "../shared/error.ts";
import { ambient } from "../boundary/ambient.ts";
import { answerVia, boundary } from "../boundary/boundary.ts";
import { toolNames } from "../boundary/instrument.ts";
import { Recorder, type RecorderOptions } from "../trace/recorder.ts";
import type { Trace } from "../trace/trace.ts";
import type { Agent, AgentContext, Tools } from "./agent.ts";
import { execute } from "./run.ts";

/** What a recording is made with. */
export interface RecordOptions extends Omit<
  RecorderOptions,
  "task" | "limits" | "tools" | "source"
> {
  readonly tools?: Tools;
  /** Tools that change something. */
  readonly writes?: readonly string[];
  /** Parameter names of tools whose source does not show them. */
  readonly params?: Readonly<Record<string, readonly string[]>>;
  /** Default 200. */
  readonly maxToolCalls?: number;
  /** Default 300,000: five minutes. */
  readonly timeoutMs?: number;
}

const MAX_TOOL_CALLS = 200;
const TIMEOUT_MS = 300_000;
/** An asynchronous sink is waited for this long. */
const SINK_MS = 10_000;

/**
 * Runs an agent once and gives the trace. Never throws for what the agent does: an exception, a timeout or a runaway loop becomes
 * part of the trace.
 *
 *     const trace = await record(run, task, { tools, agent: "support-bot", maxToolCalls: 30 });
 *
 * @throws E_AGENT_SHAPE when what is given as the agent cannot be called
 */
export function record<Task, T extends object>(
  agent: (task: Task, context: AgentContext<T>) => unknown,
  task: Task,
  options: RecordOptions & { readonly tools: T },
): Promise<Trace>;
export function record(agent: Agent, task: unknown, options?: RecordOptions): Promise<Trace>;
export async function record(
  agent: Agent,
  task: unknown,
  options: RecordOptions = {},
): Promise<Trace> {
  refuseUncallable(agent);
  const outer = ambient();
  let recorder: Recorder;
  try {
    const {
      tools,
      writes,
      params,
      sink,
      maxToolCalls = MAX_TOOL_CALLS,
      timeoutMs = TIMEOUT_MS,
      ...about
    } = options;
    const budgets = { toolCalls: maxToolCalls, ms: timeoutMs };
    const name = about.agent ?? nameOf(agent);
    recorder = new Recorder({
      ...about,
      redact: withOwnSecrets(about.redact),
      task,
      agent: name,
      limits: budgets,
      ...(tools === undefined ? {} : { tools: toolNames(tools) }),
      ...(sink === undefined || outer?.runs === "replay" ? {} : { sink }),
    });
    await execute(agent, task, {
      recorder,
      boundary: boundary([recorder.layer()], answerVia(outer)),
      limits: budgets,
      ...(tools === undefined ? {} : { tools }),
      ...(writes === undefined ? {} : { writes }),
      ...(params === undefined ? {} : { params }),
    });
  } catch (thrown) {
    // The options themselves are unusable; the caller is still owed a trace.
    recorder = new Recorder({ task });
    recorder.error(thrown);
    recorder.finish("error");
  }
  await written(recorder);
  return recorder.finish();
}

/** A mistake of the caller is not a failure of the agent. */
function refuseUncallable(agent: unknown): void {
  const isClass = typeof agent === "function" && /^class\b/u.test(String(agent));
  if (typeof agent === "function" && !isClass) return;
  throw failure("E_AGENT_SHAPE", {
    to: "record an agent",
    because: isClass
      ? "it is a class"
      : `a value of type ${agent === null ? "null" : typeof agent} was given`,
    fix: "Give a function of the task and its context, as (task, context) => bot.run(task, context)",
  });
}

/** Waits for the sink, but not for ever. */
async function written(recorder: Recorder): Promise<void> {
  const done = new AbortController();
  await Promise.race([recorder.written(), sleep(SINK_MS, done.signal)]);
  done.abort();
}

function nameOf(agent: Agent): string {
  return typeof agent === "function" && typeof agent.name === "string" && agent.name !== ""
    ? agent.name
    : "agent";
}
