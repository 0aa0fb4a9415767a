import { describeError } from "../boundary/tool-error.ts";
import { openWorld } from "../world/open.ts";
import type { World } from "../world/world.ts";
import { realClock } from "../boundary/clock.ts";
import { Evidence } from "./evidence.ts";
import { FinishedTrial } from "./finished-trial.ts";
import { issueOf } from "./issue.ts";
import type { TrialPlan } from "./trial-plan.ts";
import type { Trial } from "./trial-result.ts";
import { judgeTrial } from "./verdict.ts";

/** A trial that could not begin: its world could not be made. Its faults were not reached, and its checks were not judged. */
export function brokenTrial(plan: TrialPlan, world: World, thrown: unknown): Trial {
  const startMs = plan.clock === "real" ? 0 : plan.clock.startMs;
  const evidence = new Evidence({ now: () => startMs });
  const error = describeError(thrown);
  const message = `the world of the trial could not be made: ${error.message}`;
  evidence.error("world", { ...error, message });
  evidence.close();
  const tools = Object.keys(world.tools);
  const { task, agentId: agent, agentVersion, scenario } = plan;
  const trial = new FinishedTrial({
    scenario,
    issue: issueOf(evidence.log.events),
    faults: scenario.faults.map((fault) => ({ fault, reached: false, count: 0 })),
    log: evidence.log,
    world: openWorld(world, { clock: realClock(() => new AbortController().signal) }),
    completion: undefined,
    about: { task, agent, agentVersion, tools },
    toolCalls: 0,
    clock: plan.clock === "real" ? undefined : { startMs, endMs: startMs },
    notes: [],
    validate: plan.validate,
  });
  const { verdict, reason } = judgeTrial(trial);
  trial.verdict = verdict;
  trial.reason = reason;
  return trial;
}
