import { same } from "../shared/json.ts";
import type { Report, TrialRecord } from "../workflow/report.ts";
import { counts, failed } from "./tally.ts";
import { canShowRise, chanceOfRise, isUnlikely } from "./statistics.ts";

/** How a scenario of the candidate stands against the same one of the base. */
export type Change =
  | "unchanged"
  | "improved"
  | "regressed"
  /** Trials are missing or inconclusive on one side, or there are more on one side. */
  | "incomplete"
  /** Its faults, checks, task or limits are not the same. */
  | "changed"
  | "added"
  | "removed";

/** One thing that was counted over the trials of a scenario. */
export interface Counted {
  /** `trials`, `check:<id>` or `issue:<code>`. */
  readonly what: string;
  readonly label: string;
  /** Failed trials in which it happened. */
  readonly base: number;
  readonly candidate: number;
  /** How likely so large a rise is by chance; given with `statistics` alone. */
  readonly chance?: number;
}

export interface ComparedScenario {
  readonly id: string;
  readonly title: string;
  readonly change: Change;
  /** Why, in one sentence. */
  readonly reason: string;
  readonly trials: { readonly base: number; readonly candidate: number };
  readonly failures: { readonly base: number; readonly candidate: number };
  /** What failed more often; for a failed control, what failed. */
  readonly regressed: readonly Counted[];
}

export interface Comparison {
  readonly status: "no_regressions" | "regressed" | "incomparable";
  readonly reason: string;
  readonly scenarios: readonly ComparedScenario[];
  /** The commits that were compared, as the caller names them, or as the reports do. */
  readonly source?: { readonly baseSha?: string; readonly headSha?: string };
}

export interface CompareOptions {
  /** A rise counts only when it is unlikely to be chance, where there are trials enough to tell. */
  readonly statistics?: boolean;
  readonly baseSha?: string;
  readonly headSha?: string;
}

/**
 * Compares a candidate's report with a base's. Only the scenarios that both have under equal conditions are judged; what was
 * added, removed or changed is listed. A failed control of the candidate is a regression. Known failures are none.
 *
 * @example
 * const { status } = compareReports(readReport("base.jsonl"), readReport("head.jsonl"));
 */
export function compareReports(
  base: Report | undefined,
  candidate: Report | undefined,
  options: CompareOptions = {},
): Comparison {
  const source = sourceOf(base, candidate, options);
  const about = source === undefined ? {} : { source };
  if (base === undefined || candidate === undefined) {
    const side = base === undefined ? "base" : "candidate";
    return {
      status: "incomparable",
      reason: `the ${side} report is missing`,
      scenarios: [],
      ...about,
    };
  }
  const early = apart(base, candidate) ?? controls(base, candidate);
  if (early !== undefined) return { ...early, ...about };
  const scenarios = compareScenarios({ base, candidate, statistics: options.statistics === true });
  return { ...overall(scenarios), scenarios, ...about };
}

function sourceOf(
  base: Report | undefined,
  candidate: Report | undefined,
  options: CompareOptions,
): Comparison["source"] {
  const baseSha = options.baseSha ?? base?.header.commit;
  const headSha = options.headSha ?? candidate?.header.commit;
  if (baseSha === undefined && headSha === undefined) return undefined;
  return {
    ...(baseSha === undefined ? {} : { baseSha }),
    ...(headSha === undefined ? {} : { headSha }),
  };
}

type Early = Pick<Comparison, "status" | "reason" | "scenarios">;

/** What two reports must share, and which of it they do not. */
function apart({ header: base }: Report, { header: candidate }: Report): Early | undefined {
  const differs = (what: string): Early => ({
    status: "incomparable",
    reason: `${what} of the two reports differ`,
    scenarios: [],
  });
  if (base.agent.id !== candidate.agent.id) return differs("the agents");
  if (!same(base.workflow.task, candidate.workflow.task)) return differs("the tasks");
  if (!same(base.initialState, candidate.initialState)) return differs("the start states");
  if (toolsOf(base) !== toolsOf(candidate)) return differs("the tools");
  if (base.fingerprint !== candidate.fingerprint)
    return differs("the tools' code, the limits, the clocks or the workflow's checks");
  return undefined;
}

function toolsOf({ tools }: Report["header"]): string {
  return JSON.stringify(tools.map(({ name, kind }) => `${name} ${kind}`).sort());
}

const CONTROL = "control";

/** A control that decides everything: nothing can be said when the base's did not pass. */
function controls(base: Report, candidate: Report): Early | undefined {
  const [before] = trialsOf(base, CONTROL);
  if (before?.verdict !== "passed") {
    const reason = `the base's control ${before === undefined ? "is missing" : "did not pass"}`;
    return { status: "incomparable", reason, scenarios: [] };
  }
  const [after] = trialsOf(candidate, CONTROL);
  if (after?.verdict === "passed") return undefined;
  if (after?.verdict !== "failed") {
    const what = after === undefined ? "is missing" : "is inconclusive";
    return { status: "incomparable", reason: `the candidate's control ${what}`, scenarios: [] };
  }
  const regressed = counts([after], [before]).map(({ what, label, mine }): Counted => ({
    what,
    label,
    base: 0,
    candidate: mine,
  }));
  const scenario: ComparedScenario = {
    id: CONTROL,
    title: "control",
    change: "regressed",
    reason: "the agent fails without any fault",
    trials: { base: 1, candidate: 1 },
    failures: { base: 0, candidate: 1 },
    regressed: regressed.filter(({ what }) => what !== "trials"),
  };
  return { status: "regressed", reason: "the candidate's control failed", scenarios: [scenario] };
}

function trialsOf({ trials }: Report, scenario: string): readonly TrialRecord[] {
  return trials.filter((trial) => trial.scenario === scenario);
}

interface Sides {
  readonly base: Report;
  readonly candidate: Report;
  readonly statistics: boolean;
}

function compareScenarios(sides: Sides): ComparedScenario[] {
  const { base, candidate } = sides;
  const ids = [...candidate.header.scenarios, ...base.header.scenarios]
    .map(({ id }) => id)
    .filter((id) => id !== CONTROL);
  return [...new Set(ids)].map((id) => compareScenario(id, sides));
}

function compareScenario(id: string, sides: Sides): ComparedScenario {
  const [before, after] = [planned(sides.base, id), planned(sides.candidate, id)];
  const [was, is] = [trialsOf(sides.base, id), trialsOf(sides.candidate, id)];
  const common = {
    id,
    title: (after ?? before)?.title ?? id,
    trials: { base: was.length, candidate: is.length },
    failures: { base: failed(was).length, candidate: failed(is).length },
    regressed: [],
  };
  if (before === undefined)
    return { ...common, change: "added", reason: "only the candidate has it" };
  if (after === undefined) return { ...common, change: "removed", reason: "only the base has it" };
  if (before.digest !== after.digest)
    return { ...common, change: "changed", reason: "its faults, checks, task or limits changed" };
  const lack = lacking("base", before.trials, was) ?? lacking("candidate", after.trials, is);
  if (lack !== undefined) return { ...common, change: "incomplete", reason: lack };
  if (was.length !== is.length && !sides.statistics) {
    const reason = `the numbers of trials differ: ${was.length} of the base, ${is.length} of the candidate`;
    return { ...common, change: "incomplete", reason };
  }
  return { ...common, ...judge(was, is, sides.statistics) };
}

function planned(
  { header }: Report,
  id: string,
): Report["header"]["scenarios"][number] | undefined {
  return header.scenarios.find((scenario) => scenario.id === id);
}

function lacking(side: string, wanted: number, trials: readonly TrialRecord[]): string | undefined {
  if (trials.length < wanted) return `the ${side} has ${trials.length} of ${wanted} trials`;
  const vague = trials.find(({ verdict }) => verdict === "inconclusive");
  return vague === undefined
    ? undefined
    : `trial ${vague.number} of the ${side} is inconclusive: ${vague.reason}`;
}

function judge(
  was: readonly TrialRecord[],
  is: readonly TrialRecord[],
  statistics: boolean,
): Pick<ComparedScenario, "change" | "reason" | "regressed"> {
  const all = counts(is, was);
  const telling = statistics && canShowRise(was.length, is.length);
  const rates = all.map(({ what, label, mine, theirs }): Counted => {
    const chance = chanceOfRise(
      { count: theirs, trials: was.length },
      { count: mine, trials: is.length },
    );
    return telling
      ? { what, label, base: theirs, candidate: mine, chance }
      : { what, label, base: theirs, candidate: mine };
  });
  const rose = rates.filter((one) => rate(one.candidate, is) > rate(one.base, was));
  const regressed = rose.filter(({ chance }) => chance === undefined || isUnlikely(chance));
  if (regressed.length > 0) {
    const first = regressed.find(({ what }) => what !== "trials");
    const what = first === undefined ? "it failed" : first.label;
    return { change: "regressed", reason: `${what}: more failures than before`, regressed };
  }
  const fell = rates.some((one) => rate(one.candidate, is) < rate(one.base, was));
  if (rose.length > 0)
    return { change: "unchanged", reason: "the rise may be chance", regressed: [] };
  return fell
    ? { change: "improved", reason: "fewer failures than before", regressed: [] }
    : { change: "unchanged", reason: "as before", regressed: [] };
}

function rate(count: number, trials: readonly TrialRecord[]): number {
  return trials.length === 0 ? 0 : count / trials.length;
}

function overall(scenarios: readonly ComparedScenario[]): Pick<Comparison, "status" | "reason"> {
  const of = (change: Change): number => scenarios.filter((one) => one.change === change).length;
  const [regressed, incomplete] = [of("regressed"), of("incomplete")];
  const some = (count: number): string => `${count} ${count === 1 ? "scenario" : "scenarios"}`;
  if (regressed > 0) return { status: "regressed", reason: `${some(regressed)} regressed` };
  if (incomplete > 0)
    return { status: "incomparable", reason: `${some(incomplete)} cannot be compared` };
  const judged = of("unchanged") + of("improved");
  if (judged === 0 && scenarios.length > 0)
    return { status: "incomparable", reason: "no scenario is the same in both reports" };
  return { status: "no_regressions", reason: `${some(judged)} did not get worse` };
}
