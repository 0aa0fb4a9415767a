import { existsSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import {
  perturb,
  runTrial,
  type Agent,
  type Exploration,
  type ExploreOptions,
  type Perturbation,
  type PerturbOptions,
  type Property,
  type Trace,
  type Trial,
  type TrialOptions,
} from "../trials.ts";
import { failure, TwiceshyError } from "../shared/error.ts";
import { canonical, type Json } from "../shared/json.ts";
import { trialMessage } from "../../matchers/trial-message.ts";
import type { Settings } from "./settings.ts";
import type { RunningTest } from "./trial-context.ts";
import { note } from "./trial-note.ts";

/** Left for the runner itself before it ends a test. */
const MARGIN_MS = 500;
const LEAST_MS = 500;

/** One storage for every copy of the package; forgotten with the agent. */
const CONTROLS: unique symbol = Symbol.for("twiceshy.controls") as never;

export async function trialAfterControl(
  test: Pick<RunningTest, "timeout">,
  { network }: Pick<Settings, "network">,
  given: TrialOptions,
): Promise<Trial> {
  // The control and the trial end by their own limit, which says what hung, before the runner ends the test.
  const ms = Math.max(LEAST_MS, (test.timeout - MARGIN_MS) / 2);
  const options = { network, ...given, limits: { ms, ...given.limits } };
  const { faults = [] } = options;
  if (faults.length === 0) return runTrial(options);
  const control = await controlOf(options);
  if (control.verdict !== "passed") throw controlFailed(control);
  return runTrial(options);
}

/** Two worlds may differ in what their tools close over, so a control holds for one world (or what makes one) alone. */
function controlOf(options: TrialOptions): Promise<Trial> {
  const shared = globalThis as { [CONTROLS]?: Controls };
  const byAgent = (shared[CONTROLS] ??= new WeakMap());
  const { agent, world, task, checks = [], limits = {}, clock = {}, network = [] } = options;
  const byWorld = byAgent.get(agent) ?? new WeakMap<object, Map<string, Promise<Trial>>>();
  byAgent.set(agent, byWorld);
  const known = byWorld.get(world) ?? new Map<string, Promise<Trial>>();
  byWorld.set(world, known);
  const data = checks.map((check) =>
    typeof check.test === "function" ? [check.id, (check.test as () => unknown).toString()] : check,
  );
  const key = canonical({ task, checks: data, limits, clock, network } as unknown as Json);
  const { faults: _, ...without } = options;
  const control = known.get(key) ?? runTrial(without);
  known.set(key, control);
  return control;
}

type Controls = WeakMap<Agent, WeakMap<object, Map<string, Promise<Trial>>>>;

function controlFailed(control: Trial): Error {
  const why = trialMessage(control, {
    call: "control",
    expected: "an agent that does its task without any fault",
    received: `${control.verdict}: ${control.reason}`,
  });
  return new TwiceshyError(
    "E_CONTROL_FAILED",
    `Failed to run a trial: the control, the same run without a fault, is not good. Fix the agent, the world or the checks first.\n\n${why}`,
  );
}

/** A search of the running test: its findings stand beside its file. */
export async function exploreIn(
  test: RunningTest,
  settings: Settings,
  { options, property }: { readonly options: ExploreOptions; readonly property: Property },
): Promise<Exploration> {
  const { explore } = await import("../explore.ts");
  const { filepath } = test.file;
  const folder = join(dirname(filepath), `${stemOf(filepath)}.findings`);
  const findings = { folder, test: test.fullTestName, save: !settings.ci };
  const searchMs = Math.max(MARGIN_MS, test.timeout - 2 * MARGIN_MS);
  const { network } = settings;
  const all: ExploreOptions = { findings, searchMs, network, ...options };
  const explored = await explore(all as never, property as never);
  if (explored.finding !== undefined) throw found(explored);
  if (explored.status === "partial") await note(test, partly(explored));
  return explored;
}

function partly({ runs, broken, because }: Exploration): string {
  const why = because === undefined ? "" : `: ${because}`;
  return `partial after ${runs} trials${broken > 0 ? `, ${broken} of which say nothing` : ""}${why}`;
}

/** "booking" of "booking.test.ts". */
function stemOf(path: string): string {
  return basename(path, extname(path)).replace(/\.(?:test|spec)$/, "");
}

function found({ finding, runs }: Exploration): Error {
  if (finding === undefined) throw new TypeError("nothing was found");
  const { trial, schedule, said, saved, known } = finding;
  const kept =
    saved === undefined
      ? ""
      : `\nSaved as ${basename(dirname(saved))}/${basename(saved)}; commit it, and it is tried first from now on.`;
  const since = known
    ? "known from an earlier run"
    : `found after ${runs} trials, and the smallest`;
  const message = trialMessage(trial, {
    call: "explore()",
    expected: "no schedule of faults that breaks the property",
    received: `${schedule} (${since}): ${said}`,
  });
  return new TwiceshyError("E_EXPLORE_FOUND", `${message}${kept}`, { cause: finding.thrown });
}

/** Perturbs every good run of a file, or the trace that is given. */
export async function perturbIn(
  test: RunningTest,
  { network }: Pick<Settings, "network">,
  about: {
    readonly recorded: string | Trace;
    readonly agent: Agent;
    readonly property: Property;
    readonly options: PerturbOptions | undefined;
  },
): Promise<readonly Perturbation[]> {
  const { recorded, agent, property } = about;
  const options = { network, ...about.options };
  const traces = typeof recorded === "string" ? await goodRuns(recorded, test) : [recorded];
  const all: Perturbation[] = [];
  for (const trace of traces) all.push(await perturb(trace, agent, { property, options }));
  const trials = all.flatMap((perturbation) => perturbation.trials);
  const bad = trials.find(({ verdict }) => verdict === "failed");
  if (bad !== undefined) {
    const count = trials.filter(({ verdict }) => verdict === "failed").length;
    const message = trialMessage(bad.trial, {
      call: "perturb()",
      expected: "a recorded run that survives every single fault",
      received: `${count} of ${trials.length} trials failed; the first: ${bad.reason}`,
    });
    throw new TwiceshyError("E_PERTURB_FOUND", message, { cause: bad.thrown });
  }
  const open = trials.filter(({ verdict }) => verdict === "inconclusive");
  if (open.length > 0)
    await note(
      test,
      `${open.length} of ${trials.length} perturbed trials are inconclusive; the first: ${open[0]?.reason ?? ""}`,
    );
  return all;
}

async function goodRuns(file: string, { file: { filepath } }: RunningTest): Promise<Trace[]> {
  const [{ readTraces }, { detect, real }] = await Promise.all([
    import("../importer/importer.ts"),
    import("../detector/detector.ts"),
  ]);
  const beside = resolve(dirname(filepath), file);
  const good: Trace[] = [];
  for (const item of readTraces([existsSync(beside) ? beside : resolve(file)])) {
    if ("error" in item) throw new TwiceshyError(item.error.code, item.error.message);
    if ("trace" in item && real(detect(item.trace)).length === 0) good.push(item.trace);
  }
  if (good.length > 0) return good;
  throw failure("E_PERTURB_NOTHING", {
    to: `perturb the runs of ${file}`,
    because: "it holds no run that went well",
    fix: "Record a good run: await record(agent, task, { tools, sink: file })",
  });
}
