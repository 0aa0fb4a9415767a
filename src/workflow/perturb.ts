import type { Agent } from "../agent/agent.ts";
import type { Fault } from "../fault/fault.ts";
import { sayFault } from "../fault/words.ts";
import { failure } from "../shared/error.ts";
import type { Trace } from "../trace/trace.ts";
import type { World } from "../world/world.ts";
import { MISS, recordedWorld, type RecordedOptions } from "./recorded-world.ts";
import { answerOf, headline, type Property } from "./search.ts";
import { faultsAt, type SearchSpace } from "./sites.ts";
import type { Trial } from "./trial-result.ts";
import { runTrial } from "./trial.ts";
import type { TrialOptions } from "./workflow.ts";

/** What a recorded run is perturbed with. */
export interface PerturbOptions
  extends Omit<TrialOptions, "agent" | "task" | "world" | "faults">, SearchSpace, RecordedOptions {}

/** One fault at one call of the recording. */
export interface PerturbedTrial {
  readonly fault: Fault;
  /** `inconclusive`: not reached, or the recording (and the declared world) could not answer what came after it. */
  readonly verdict: "passed" | "failed" | "inconclusive";
  /** Why, in one sentence. */
  readonly reason: string;
  readonly trial: Trial;
  /** What the property threw. */
  readonly thrown?: unknown;
}

/** What became of a recorded run under every single fault. */
export interface Perturbation {
  readonly control: Trial;
  readonly trials: readonly PerturbedTrial[];
}

/**
 * Runs an agent on a recorded good run once as it was, then once for each applicable fault at each tool call of it. After the fault
 * the agent goes on with the recording, then with the declared world; else the trial is inconclusive.
 * @throws E_CONTROL_FAILED when the run without a fault is bad or leaves the recording; E_PERTURB_NOTHING when no trial could be judged
 */
export async function perturb(
  trace: Trace,
  agent: Agent,
  about: { readonly property: Property; readonly options?: PerturbOptions },
): Promise<Perturbation> {
  const { property, options = {} } = about;
  const run = (faults: readonly Fault[]): Promise<Run> => runOn(trace, agent, { options, faults });
  const control = await run([]);
  const bad = control.missed ?? (await problemOf(control.trial, property))?.said;
  if (bad !== undefined) throw controlFailed(bad);
  const trials: PerturbedTrial[] = [];
  for (const fault of faultsAt(control.trial, control.world, options))
    trials.push(await judged(fault, await run([fault]), property));
  if (trials.every(({ verdict }) => verdict === "inconclusive")) throw nothingJudged(trials);
  return { control: control.trial, trials };
}

interface Run {
  readonly trial: Trial;
  readonly world: World;
  /** The first call that nothing could answer. */
  readonly missed: string | undefined;
}

async function runOn(
  trace: Trace,
  agent: Agent,
  about: { readonly options: PerturbOptions; readonly faults: readonly Fault[] },
): Promise<Run> {
  const { writes, world: declared, tools: _t, types: _y, extra: _e, ...rest } = about.options;
  const { world, misses } = recordedWorld(trace, {
    world: declared,
    ...(writes === undefined ? {} : { writes }),
  });
  const trial = await runTrial({ ...rest, agent, task: trace.task, world, faults: about.faults });
  return { trial, world, missed: misses[0] };
}

async function judged(fault: Fault, run: Run, property: Property): Promise<PerturbedTrial> {
  const { trial, missed } = run;
  if (missed !== undefined && !brokeBeforeMiss(trial))
    return { fault, verdict: "inconclusive", reason: missed, trial };
  if (trial.verdict !== "passed")
    return { fault, verdict: trial.verdict, reason: trial.reason, trial };
  const problem = await problemOf(trial, property);
  if (problem === undefined) return { fault, verdict: "passed", reason: trial.reason, trial };
  const { said, thrown } = problem;
  return {
    fault,
    verdict: "failed",
    reason: said,
    trial,
    ...(thrown === undefined ? {} : { thrown }),
  };
}

/** Whether the agent itself had broken before anything was missing: that is so whatever the recording knows. */
function brokeBeforeMiss({ issue, events }: Trial): boolean {
  if (issue?.side !== "agent") return false;
  const broke = events.findIndex(({ kind }) => kind === "error" || kind === "limit");
  const missed = events.findIndex(
    (event) =>
      (event.kind === "result" || event.kind === "hidden") &&
      !event.result.ok &&
      event.result.error.code === MISS,
  );
  return broke !== -1 && broke < missed;
}

async function problemOf(
  trial: Trial,
  property: Property,
): Promise<{ readonly said: string; readonly thrown?: unknown } | undefined> {
  if (trial.verdict !== "passed") return { said: trial.reason };
  try {
    const { said } = answerOf(await property(trial));
    return said === undefined ? undefined : { said };
  } catch (thrown) {
    return { said: headline(thrown), thrown };
  }
}

function controlFailed(because: string): Error {
  return failure("E_CONTROL_FAILED", {
    to: "perturb a recorded run",
    because: `the agent does not repeat it without any fault: ${because}`,
    fix: "Record the run again with the agent as it is now, or fix the agent first",
  });
}

function nothingJudged(trials: readonly PerturbedTrial[]): Error {
  const [first] = trials;
  const because =
    first === undefined
      ? "it has no tool call that a fault applies to"
      : `none of ${trials.length} trials could be judged; the first, ${sayFault(first.fault)}: ${first.reason}`;
  return failure("E_PERTURB_NOTHING", {
    to: "perturb a recorded run",
    because,
    fix: "Give a world that answers what the recording cannot: { world }",
  });
}
