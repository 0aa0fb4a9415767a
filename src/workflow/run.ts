import { monotonic, now } from "../shared/clock.ts";
import { failure, messageOf } from "../shared/error.ts";
import { canonical, type Json } from "../shared/json.ts";
import type { RedactOptions } from "../shared/redact.ts";
import { oneLine } from "../shared/text.ts";
import type { World } from "../world/world.ts";
import { executeTrial } from "./execute-trial.ts";
import { isCommit } from "./header-problem.ts";
import { brokenTrial } from "./broken-trial.ts";
import { openReport, type ReportPlace, type ReportWriter } from "./report-file.ts";
import { reportHeader } from "./report-header.ts";
import type { ReportHeader } from "./report.ts";
import { conditionsOf, controlOf, scenariosOf, worldOf, type TitledScenario } from "./scenarios.ts";
import { planTrial, readyWorld, validateFor, type Ready, type TrialPlan } from "./trial-plan.ts";
import { checkWorkflow } from "./check-workflow.ts";
import type { Trial } from "./trial-result.ts";
import type { Workflow } from "./workflow.ts";

/** How a workflow is run. */
export interface RunOptions {
  /** Told of each trial as it ends, the control first; its number counts from 1 in each scenario. */
  readonly onTrial?: (trial: Trial, number: number) => void;
  /** Ends the run from outside: what was measured is kept, and the run is partial. */
  readonly signal?: AbortSignal;
  /** Where the report goes, trial by trial; a place of `reserveReport`, or a path that must be free. */
  readonly report?: string | ReportPlace;
  /** The commit that is tested, for trends: its id, 7 to 64 hex digits. */
  readonly commit?: string;
  /** Trials of each scenario, in place of the workflow's. */
  readonly trials?: number;
  /** Hosts that the trials of a workflow may reach which says nothing of its own. Default: none. */
  readonly network?: readonly string[];
  /** What is redacted in the report beside the built-in rules; `false` keeps everything. */
  readonly redact?: RedactOptions | false;
  /** A report without the time at which it was made: equal runs give equal bytes. */
  readonly fixed?: boolean;
  /** Runs the control once more at the end, when the first took less than a second, to find state that trials share. Default: true. */
  readonly recheck?: boolean;
}

/** What a run of a workflow gives. */
export interface WorkflowRun {
  readonly control: Trial;
  /** Trials of the scenarios, in their order. */
  readonly trials: readonly Trial[];
  /** How many there should be. */
  readonly planned: number;
  /** 1: the control did not pass, or a trial failed. 3: a trial is inconclusive or missing. Else 0. */
  readonly exitCode: 0 | 1 | 3;
  /** Why trials are missing, when they are. */
  readonly partial?: string;
  /** Notes that change no verdict. */
  readonly notes: readonly string[];
  readonly header: ReportHeader;
}

/** The control is run a second time when the first took less. */
const CHEAP_MS = 1000;

/**
 * Runs a workflow: the control, and when it passed every scenario, whatever becomes of the others. Rejects only for a workflow that
 * cannot be run (E_WORKFLOW_INVALID, E_COMMIT_INVALID, before anything is run), for a report that cannot be opened, and with what
 * `onTrial` throws; a report that was begun has its end in any case.
 */
export async function runWorkflow(
  workflow: Workflow,
  options: RunOptions = {},
): Promise<WorkflowRun> {
  const { commit, trials, network, ...rest } = options;
  const given: Workflow = {
    ...(network === undefined ? {} : { network }),
    ...workflow,
    ...(trials === undefined ? {} : { trials }),
  };
  const world = checkWorkflow(given);
  const run = new Run(
    given,
    commit === undefined ? rest : { ...rest, commit: commitId(commit) },
    world,
  );
  return run.all();
}

/** One run under way. */
class Run {
  readonly #workflow: Workflow;
  readonly #options: RunOptions;
  readonly #world: World;
  readonly #scenarios: readonly TitledScenario[];
  readonly #header: ReportHeader;
  readonly #notes: string[] = [];
  #writer: ReportWriter | undefined;

  constructor(workflow: Workflow, options: RunOptions, world: World) {
    this.#workflow = workflow;
    this.#options = options;
    this.#world = world;
    this.#scenarios = scenariosOf({ ...workflow, world });
    const { commit, fixed } = options;
    this.#header = reportHeader(workflow, world, {
      scenarios: this.#scenarios,
      ...(commit === undefined ? {} : { commit }),
      ...(fixed === true ? {} : { createdAt: now() }),
    });
  }

  async all(): Promise<WorkflowRun> {
    const { report, redact } = this.#options;
    if (report !== undefined)
      this.#writer = await openReport(report, this.#header, redact === undefined ? {} : { redact });
    try {
      return await this.#measured();
    } catch (thrown) {
      this.#writer?.end(`the run broke off: ${oneLine(messageOf(thrown), 300)}`, this.#notes);
      throw thrown;
    }
  }

  async #measured(): Promise<WorkflowRun> {
    const started = monotonic();
    const control = await this.#trial(controlOf(), 1);
    const tookMs = monotonic() - started;
    const trials: Trial[] = [];
    const passed = control.verdict === "passed";
    if (passed) await this.#faults(trials);
    const partial = passed ? this.#missing(trials.length) : controlFailed(control);
    if (passed && partial === undefined && trials.length > 0 && tookMs < CHEAP_MS)
      await this.#recheck(control);
    if (this.#writer?.problem !== undefined) this.#notes.push(this.#writer.problem);
    this.#writer?.end(partial, this.#notes);
    return {
      control,
      trials,
      planned: this.#planned,
      exitCode: exitCodeOf(control, trials, partial),
      ...(partial === undefined ? {} : { partial }),
      notes: this.#notes,
      header: this.#header,
    };
  }

  get #each(): number {
    return this.#workflow.trials ?? 1;
  }

  get #planned(): number {
    return this.#scenarios.length * this.#each;
  }

  async #faults(trials: Trial[]): Promise<void> {
    for (const scenario of this.#scenarios) {
      for (let number = 1; number <= this.#each; number++) {
        if (this.#options.signal?.aborted === true) return;
        trials.push(await this.#trial(scenario, number));
      }
    }
  }

  async #trial(scenario: TitledScenario, number: number): Promise<Trial> {
    const plan = await this.#plan(scenario);
    const trial = await this.#tried(plan);
    this.#writer?.add(trial, number, { sameStart: typeof this.#workflow.world !== "function" });
    this.#options.onTrial?.(trial, number);
    return trial;
  }

  /** What goes wrong before the agent starts is the trial's own, too. */
  async #tried(plan: TrialPlan): Promise<Trial> {
    let ready: Ready;
    try {
      ready = await this.#ready();
    } catch (thrown) {
      return brokenTrial(plan, this.#world, thrown);
    }
    return executeTrial(plan, ready);
  }

  async #plan(scenario: TitledScenario): Promise<TrialPlan> {
    const { signal } = this.#options;
    const conditions = conditionsOf(this.#workflow, scenario);
    const { id, title, faults } = scenario;
    return planTrial(
      { ...this.#workflow, ...conditions, signal },
      { id, title, faults },
      await validateFor(conditions.checks),
    );
  }

  /** Where the workflow makes a world for each trial, a new one. */
  async #ready(): Promise<Ready> {
    return readyWorld(
      typeof this.#workflow.world === "function" ? worldOf(this.#workflow) : this.#world,
    );
  }

  #missing(done: number): string | undefined {
    const { signal } = this.#options;
    if (signal?.aborted !== true) return undefined;
    return `the run was interrupted: ${done} of ${this.#planned} trials were begun`;
  }

  /** A second control that shows other evidence than the first has met something that the trials before it left behind. */
  async #recheck(control: Trial): Promise<void> {
    if (this.#options.recheck === false || this.#options.signal?.aborted === true) return;
    const again = await this.#tried(await this.#plan(controlOf()));
    const timed = this.#workflow.clock !== "real";
    if (shownBy(again, timed) === shownBy(control, timed)) return;
    this.#notes.push(
      "the control showed other evidence when it was run again after the trials: the agent or a tool is not deterministic, or keeps state outside of its world that trials share; make everything anew in each trial",
    );
  }
}

/** The id of a commit in small letters. E_COMMIT_INVALID. */
function commitId(given: string): string {
  const id = typeof given === "string" ? given.toLowerCase() : given;
  if (isCommit(id)) return id;
  throw failure("E_COMMIT_INVALID", {
    to: "run a workflow",
    because: `commit is ${oneLine(JSON.stringify(given), 80)}, which is no commit id`,
    fix: 'Give 7 to 64 hex digits, as "git rev-parse HEAD" prints them, or leave commit out',
  });
}

/** Real times differ whenever a trial is run again. */
function shownBy({ verdict, events }: Trial, timed: boolean): string {
  const shown = timed ? events : events.map((event) => ({ ...event, at: 0 }));
  return canonical({ verdict, events: shown as unknown as Json });
}

function controlFailed({ verdict, reason }: Trial): string {
  return `the control, without any fault, is ${verdict}, so no fault was tried: ${reason}`;
}

function exitCodeOf(
  control: Trial,
  trials: readonly Trial[],
  partial: string | undefined,
): 0 | 1 | 3 {
  if (control.verdict !== "passed" && control.issue?.code !== "cancelled") return 1;
  if (trials.some(({ verdict }) => verdict === "failed")) return 1;
  const missing = partial !== undefined || trials.some(({ verdict }) => verdict !== "passed");
  return missing ? 3 : 0;
}
