import { isPromise } from "../boundary/boundary.ts";
import type { Fault } from "../fault/fault.ts";
import type { World } from "../world/world.ts";
import { executeTrial } from "./execute-trial.ts";
import { isKnownGood, rememberGood } from "./known-good.ts";
import { conditionsOf, CONTROL, worldOf, type Conditions } from "./scenarios.ts";
import type { TrialHooks } from "./trial-hooks.ts";
import { NO_LIMITS, planTrial, readyWorld, validateFor } from "./trial-plan.ts";
import { invalidWorkflow, trialProblems, worldProblems } from "./workflow-problems.ts";
import type { Trial } from "./trial-result.ts";
import type { Scenario, TrialOptions } from "./workflow.ts";

/**
 * Runs an agent once against a world, under faults when there are any, and judges it. Rejects only for options that cannot be run
 * (E_WORKFLOW_INVALID, with every problem); whatever the agent does is told by the trial.
 *
 *     const trial = await runTrial({ agent, task, world, faults: [fault.timeoutAfter("reserve_slot")], checks });
 */
export async function runTrial(
  options: TrialOptions & { readonly scenario?: Scenario },
  hooks: TrialHooks = {},
): Promise<Trial> {
  const world = worldOf(options);
  const { scenario: given, faults = given?.faults ?? [] } = options;
  requireGood(options, faults, world);
  const id = given?.id ?? (faults.length === 0 ? CONTROL : "trial");
  const scenario = { id, title: given?.title ?? id, faults };
  const { agent, agentId, agentVersion, clock, signal } = options;
  const { task, checks, limits } =
    given === undefined ? plain(options) : conditionsOf(options, given);
  const validate = validateFor(checks);
  const plan = planTrial(
    { agent, agentId, agentVersion, task, clock, checks, limits, signal },
    scenario,
    isPromise(validate) ? await validate : validate,
  );
  const ready = readyWorld(world);
  return executeTrial(plan, isPromise(ready) ? await ready : ready, hooks);
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
