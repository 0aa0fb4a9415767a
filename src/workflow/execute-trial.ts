import { isPromise } from "../boundary/boundary.ts";
import type { FaultOutcome } from "../fault/fault.ts";
import { monotonic, sleep, turn } from "../shared/clock.ts";
import { endedAt } from "./end-time.ts";
import { conclude } from "./ending.ts";
import { FinishedTrial } from "./finished-trial.ts";
import { issueOf } from "./issue.ts";
import { judgeChecks, subjectFor, warningsOf } from "./judge-checks.ts";
import type { Stage } from "./stage.ts";
import { subjectOf } from "./subject.ts";
import type { TrialHooks } from "./trial-hooks.ts";
import type { Ready, TrialPlan } from "./trial-plan.ts";
import { TrialRun } from "./trial-run.ts";
import type { Trial } from "./trial-result.ts";
import { judgeTrial } from "./verdict.ts";

/** What was put off may take this long when the agent has used up its time. */
const LEAST_DRAIN_MS = 1000;

/** Runs one trial and judges it. Never rejects for what the agent, a tool or a check does. */
export async function executeTrial(
  plan: TrialPlan,
  ready: Ready,
  hooks: TrialHooks = {},
): Promise<Trial> {
  const run = new TrialRun(plan, ready, hooks);
  const ending = await run.start();
  const tookMs = monotonic() - run.started;
  const completion = conclude(run.evidence, ending, {
    tookMs,
    ms: plan.limits.ms,
    said: run.said,
  });
  run.over();
  // A rejection that nobody awaited has shown by then.
  await turn();
  const drained = run.faults?.drain();
  if (isPromise(drained))
    await withinTime(drained, Math.max(LEAST_DRAIN_MS, plan.limits.ms - tookMs));
  const notes = close(run);
  const faults: readonly FaultOutcome[] = run.faults?.outcomes() ?? [];
  const trial = new FinishedTrial({
    scenario: plan.scenario,
    issue: issueOf(run.evidence.events),
    faults,
    events: run.evidence.events,
    world: run.world,
    completion,
    about: {
      task: plan.task,
      agent: plan.agentId,
      agentVersion: plan.agentVersion,
      tools: ready.tools,
    },
    toolCalls: run.evidence.calls - run.evidence.refusals,
    clock:
      plan.clock === "real"
        ? undefined
        : {
            startMs: plan.clock.startMs,
            endMs: endedAt(run.evidence.events) ?? run.evidence.at(),
          },
    notes,
    validate: plan.validate,
  });
  judge(trial, plan);
  return trial;
}

async function withinTime(work: Promise<void>, ms: number): Promise<void> {
  const timer = new AbortController();
  await Promise.race([work, sleep(ms, timer.signal)]);
  timer.abort();
}

/** Ends the world and the clock; gives what is worth a note. */
function close(run: TrialRun): string[] {
  const { evidence, world, stage } = run;
  const notes: string[] = [];
  if (evidence.results < evidence.calls) {
    const cancelled = evidence.unanswered(world.pending());
    for (const { callId, tool } of cancelled) evidence.cancelled(callId, tool);
    if (cancelled.length > 0) {
      const calls = cancelled.map(({ callId, tool }) => `${tool} (${callId})`).join(", ");
      notes.push(`nobody waited any more, when the agent had ended, for ${calls}`);
    }
  }
  world.close();
  noteTimers(run, stage.leftovers(), notes);
  stage.close();
  evidence.close();
  return notes;
}

function noteTimers(
  { evidence }: TrialRun,
  left: ReturnType<Stage["leftovers"]>,
  notes: string[],
): void {
  const { intervals, timeouts } = left;
  if (intervals > 0) {
    const message = `the agent left ${intervals === 1 ? "a repeating timer" : `${intervals} repeating timers`} behind, which would keep its process alive; clear it before the agent returns`;
    evidence.limit({ code: "leftover_timer", message });
  }
  if (timeouts > 0)
    notes.push(
      `${timeouts === 1 ? "a timer was" : `${timeouts} timers were`} still waiting when the agent had ended`,
    );
}

function judge(trial: FinishedTrial, plan: TrialPlan): void {
  const { checks, validate } = plan;
  if (checks.length > 0) {
    const seen = subjectOf(trial.events, trial, trial.tools);
    const subject = subjectFor({ trial: seen, trace: () => trial.trace, validate });
    trial.checks = judgeChecks(checks, subject, trial);
    const warnings = warningsOf(trial.checks);
    if (warnings.length > 0) trial.notes = [...trial.notes, ...warnings];
  }
  const { verdict, reason } = judgeTrial(trial);
  trial.verdict = verdict;
  trial.reason = reason;
}
