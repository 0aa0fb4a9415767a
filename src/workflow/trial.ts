import { isPromise, type Awaitable } from "../boundary/boundary.ts";
import type { Fault } from "../fault/fault.ts";
import type { World } from "../world/world.ts";
import { executeTrial } from "./execute-trial.ts";
import { isKnownGood, rememberGood } from "./known-good.ts";
import { conditionsOf, CONTROL, worldOf, type Conditions } from "./scenarios.ts";
import type { TrialHooks } from "./trial-hooks.ts";
import { NO_LIMITS, planTrial, readyWorld, validateFor, type TrialPlan } from "./trial-plan.ts";
import { invalidWorkflow, trialProblems, worldProblems } from "./workflow-problems.ts";
import type { Trial } from "./trial-result.ts";
import type { Scenario, TrialOptions } from "./workflow.ts";

/**
 * Runs an agent once against a world, under faults when there are any, and judges it. Rejects only for options that cannot be run
 * (E_WORKFLOW_INVALID, with every problem); whatever the agent does is told by the trial.
 *
 *     const trial = await runTrial({ agent, task, world, faults: [fault.timeoutAfter("reserve_slot")], checks });
 */
export function runTrial(
  options: TrialOptions & { readonly scenario?: Scenario },
  hooks: TrialHooks = {},
): Promise<Trial> {
  try {
    const world = worldOf(options);
    const plan = planned(options, world);
    const ready = readyWorld(world);
    // Without a promise more: every one costs, and thousands of trials find all of it ready.
    if (!isPromise(plan) && !isPromise(ready)) return executeTrial(plan, ready, hooks);
    return Promise.all([plan, ready]).then((both) => executeTrial(...both, hooks));
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}

function planned(
  options: TrialOptions & { readonly scenario?: Scenario },
  world: World,
): Awaitable<TrialPlan> {
  const { scenario: given, faults = given?.faults ?? [] } = options;
  requireGood(options, faults, world);
  const id = given?.id ?? (faults.length === 0 ? CONTROL : "trial");
  const scenario = { id, title: given?.title ?? id, faults };
  const { agent, agentId, agentVersion, clock, network, signal } = options;
  const { task, checks, limits } =
    given === undefined ? plain(options) : conditionsOf(options, given);
  const parts = { agent, agentId, agentVersion, task, clock, checks, limits, network, signal };
  const validate = validateFor(checks);
  if (isPromise(validate)) return validate.then((known) => planTrial(parts, scenario, known));
  return planTrial(parts, scenario, validate);
}

const NO_CHECKS: Conditions["checks"] = Object.freeze([]);

function plain({ task, checks = NO_CHECKS, limits = NO_LIMITS }: TrialOptions): Conditions {
  return { task, checks, limits };
}

/** Thousands of trials share their options: what was looked at is not looked at again. */
function requireGood(options: TrialOptions, faults: readonly Fault[], world: World): void {
  if (isKnownGood(options, faults, world)) return;
  const problems = worldProblems(world);
  if (problems.length === 0) problems.push(...trialProblems({ ...options, faults }, world));
  if (problems.length > 0) throw invalidWorkflow("a trial", problems);
  rememberGood(options, faults, world);
}
