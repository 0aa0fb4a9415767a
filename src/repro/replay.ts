import type { Agent } from "../agent/agent.ts";
import { execute } from "../agent/run.ts";
import { boundary, type Layer } from "../boundary/boundary.ts";
import { guardNetwork } from "../boundary/network.ts";
import { isHonest, real } from "../detector/detector.ts";
import { decode } from "../shared/encode.ts";
import { redactorBy } from "../shared/redact.ts";
import { Recorder } from "../trace/recorder.ts";
import type { Trace } from "../trace/trace.ts";
import { openCassette, type Cassette } from "./cassette.ts";
import type { Checked } from "./checked.ts";
import type { InlineRepro } from "./inline.ts";
import { judge, type Judgement } from "./judge.ts";
import { shownBy } from "./shown.ts";
import {
  frameOf,
  needsValidator,
  planOf,
  withValidator,
  type Frame,
  type Plan,
  type ReplayOptions,
} from "./plan.ts";
import type { Repro } from "./repro.ts";
import { REPLAY_RESULT, type ReplayResult } from "./result.ts";
import type { Path } from "./shelf.ts";

export type { ReplayOptions } from "./plan.ts";

/**
 * Runs an agent on recorded tool results and judges what it did. Makes no live call, and never throws for what the agent
 * does. Rejects with a TwiceshyError only when the repro itself is unusable (`E_CASSETTE_BLOB`).
 *
 *     const result = await replay(run, { task, cassette: [{ tool: "getOrder", args: { id: "A-1" }, data: { total: 40 } }] });
 */
export async function replay(
  agent: Agent,
  source: Repro | InlineRepro,
  options: ReplayOptions = {},
): Promise<ReplayResult> {
  return replayIn(frameOf(options), agent, source);
}

/**
 * `replay` for many repros of one file with the same options: what depends on them alone is worked out once. `checked` says
 * what is known of that very file.
 */
export function replayer(
  options: ReplayOptions,
  checked?: Checked,
): (agent: Agent, source: Repro | InlineRepro) => Promise<ReplayResult> {
  const frame = frameOf(options, checked);
  return (agent, source) => replayIn(frame, agent, source);
}

function replayIn(frame: Frame, agent: Agent, source: Repro | InlineRepro): Promise<ReplayResult> {
  const plan = planOf(source, frame);
  // The usual way has no promise of its own: each costs the runner its hooks.
  if (!needsValidator(plan) && !plan.hasRetry) return attempt(agent, plan, "failure");
  return replayFully(agent, plan);
}

/** With a schema's validator, and a second time on the recordings of a later success where that can tell more. */
async function replayFully(agent: Agent, planned: Plan): Promise<ReplayResult> {
  const plan = needsValidator(planned) ? await withValidator(planned) : planned;
  const first = await attempt(agent, plan, "failure");
  if (!plan.hasRetry || !(failsByChecksOnly(first) || reportsTheError(first))) return first;
  const second = await attempt(agent, plan, "retry");
  if (second.verdict !== "passes") return first;
  const reason = `${second.reason}, on the recordings of the later success`;
  return marked({ ...second, reason });
}

function failsByChecksOnly({ verdict, signatures }: ReplayResult): boolean {
  return verdict === "fails_differently" && signatures.length === 0;
}

/** A tool that failed for good leaves no better way than to say so; what the agent makes of an answer shows on the other path. */
function reportsTheError({ verdict, failures, trace }: ReplayResult): boolean {
  const only = real(failures).every(({ kind }) => kind === "tool_error");
  return verdict === "still_fails" && only && isHonest(trace);
}

async function attempt(agent: Agent, plan: Plan, path: Path): Promise<ReplayResult> {
  const { matching, volatile, rules } = plan.matching;
  const { checked } = plan;
  const cassette = openCassette(plan.source, { matching, volatile, rules, path, checked });
  const recorder = recorderOf(plan);
  const guard = guardNetwork(plan.network);
  const watch = watchNetwork(guard.attempts);
  try {
    const parts = {
      recorder,
      boundary: boundary(
        [recorder.layer(checked ? cassette : undefined), watch.layer],
        cassette.answer,
      ),
      tools: plan.tools,
      params: plan.params,
      writes: plan.writes,
      limits: plan.limits,
      signal: plan.signal,
    };
    await guard.within(() => execute(agent, decode(plan.task), parts));
  } finally {
    guard.release();
  }
  const trace = recorder.finish();
  return resultOf(plan, { trace, cassette, path, blocked: watch.blocked(trace) });
}

function recorderOf(plan: Plan): Recorder {
  const { agent, agentVersion, limits, tools, taskId } = plan;
  const about = { agent, agentVersion, source: "replay", limits, tools, taskId };
  const redactor = redactorBy(plan.rules);
  // A checked task is kept as it stands; any other is taken as the agent gets it.
  if (plan.checked) return new Recorder({ task: plan.task, ...about }, { redactor, checked: plan });
  return new Recorder({ task: decode(plan.task), ...about }, { redactor });
}

interface Ran {
  readonly trace: Trace;
  readonly cassette: Cassette;
  readonly path: Path;
  readonly blocked: Blocked;
}

function resultOf(plan: Plan, { trace, cassette, path, blocked }: Ran): ReplayResult {
  const shown = shownBy(cassette, trace);
  const judgement: Judgement = judge(trace, plan.judged, {
    ...shown,
    blocked: blocked.hosts,
    blockedAt: blocked.at,
    detect: plan.detect,
  });
  const { verdict, reason, failures, signatures, checks } = judgement;
  return marked({
    verdict,
    reason,
    failures,
    signatures,
    checks,
    trace,
    misses: shown.misses,
    drift: cassette.drift,
    blocked: blocked.hosts,
    path,
    repro: plan.about,
  });
}

function marked(result: ReplayResult): ReplayResult {
  return Object.defineProperty(result, REPLAY_RESULT, { value: true });
}

interface Blocked {
  readonly hosts: ReplayResult["blocked"];
  /** Steps of the trace before the first blocked call. */
  readonly at: number;
}

/** Notes before which tool call the first live call was refused. */
function watchNetwork(attempts: ReturnType<typeof guardNetwork>["attempts"]): {
  readonly layer: Layer;
  blocked(trace: Trace): Blocked;
} {
  let firstAfter: string | undefined;
  return {
    layer: (call, next) => {
      if (firstAfter === undefined && attempts.length > 0) firstAfter = call.id;
      return next(call);
    },
    blocked(trace) {
      const isNext = (id: string | undefined): boolean => id !== undefined && id === firstAfter;
      const next = trace.steps.find((step) => step.kind === "tool" && isNext(step.id));
      const lastCall = trace.steps.findLastIndex((step) => step.kind === "tool");
      return { hosts: hostsOf(attempts), at: next?.index ?? lastCall + 1 };
    },
  };
}

function hostsOf(attempts: ReturnType<typeof guardNetwork>["attempts"]): ReplayResult["blocked"] {
  const seen = new Map<string, { host: string; tool?: string }>();
  for (const { host, tool } of attempts) {
    seen.set(`${tool ?? ""}\u0000${host}`, { host, ...(tool === undefined ? {} : { tool }) });
  }
  return [...seen.values()];
}
