import type { Completion } from "../agent/agent.ts";
import { isPromise, type Awaitable } from "../boundary/boundary.ts";
import type { FaultOutcome } from "../fault/fault.ts";
import { afterTurn, monotonic, sleep } from "../shared/clock.ts";
import { conclude, type Ending } from "./ending.ts";
import type { EventLog } from "./event-log.ts";
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
export function executeTrial(
  plan: TrialPlan,
  ready: Ready,
  hooks: TrialHooks = {},
): Promise<Trial> {
  // By hand what `await` would do at the price of four more promises: a search runs millions of trials.
  return new Promise((resolve, reject) => {
    const run = new TrialRun(plan, ready, hooks);
    const ended = (ending: Ending): void => {
      try {
        const tookMs = monotonic() - run.started;
        const { ms } = plan.limits;
        const completion = conclude(run.evidence, ending, { tookMs, ms, said: run.said });
        run.over();
        // A rejection that nobody awaited has shown by then.
        afterTurn(() => {
          try {
            resolve(finished(run, completion, tookMs));
          } catch (thrown) {
            reject(thrown);
          }
        });
      } catch (thrown) {
        reject(thrown);
      }
    };
    run.start().then(ended, reject);
  });
}

/** What was put off is done, and the trial is judged. */
function finished(
  run: TrialRun,
  completion: Completion | undefined,
  tookMs: number,
): Awaitable<Trial> {
  const drained = run.faults?.drain();
  if (!isPromise(drained)) return judged(run, completion);
  const ms = Math.max(LEAST_DRAIN_MS, run.plan.limits.ms - tookMs);
  return withinTime(drained, ms).then(() => judged(run, completion));
}

function judged(run: TrialRun, completion: Completion | undefined): Trial {
  const { plan, ready, evidence, world } = run;
  const { log } = evidence;
  const notes = close(run);
  const { task, agentId: agent, agentVersion, scenario, validate } = plan;
  const trial = new FinishedTrial({
    scenario,
    issue: log.broke ? issueOf(log.events) : undefined,
    faults: run.faults?.outcomes() ?? NO_FAULTS,
    log,
    world,
    completion,
    about: { task, agent, agentVersion, tools: ready.tools },
    toolCalls: evidence.calls - evidence.refusals,
    clock:
      plan.clock === "real"
        ? undefined
        : { startMs: plan.clock.startMs, endMs: log.endedAt ?? evidence.at() },
    notes,
    validate,
  });
  judge(trial, log, plan);
  return trial;
}

const NO_NOTES: readonly string[] = Object.freeze([]);
const NO_FAULTS: readonly FaultOutcome[] = Object.freeze([]);

async function withinTime(work: Promise<void>, ms: number): Promise<void> {
  const timer = new AbortController();
  await Promise.race([work, sleep(ms, timer.signal)]);
  timer.abort();
}

/** Ends the world and the clock; gives what is worth a note. */
function close(run: TrialRun): readonly string[] {
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
  return notes.length === 0 ? NO_NOTES : notes;
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

function judge(trial: FinishedTrial, log: EventLog, plan: TrialPlan): void {
  const { checks, validate } = plan;
  if (checks.length > 0) {
    const seen = subjectOf(log, trial, trial.tools);
    const subject = subjectFor({ trial: seen, trace: () => trial.trace, validate });
    trial.checks = judgeChecks(checks, subject, trial);
    const warnings = warningsOf(trial.checks);
    if (warnings.length > 0) trial.notes = [...trial.notes, ...warnings];
  }
  const { verdict, reason } = judgeTrial(trial);
  trial.verdict = verdict;
  trial.reason = reason;
}
