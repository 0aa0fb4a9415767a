import type { Report, ReportHeader, TrialRecord } from "../workflow/report.ts";
import type { TrialVerdict } from "../workflow/trial-result.ts";

/** What became of one scenario of a report: one row of every rendering. */
export interface ScenarioRow {
  readonly id: string;
  readonly title: string;
  /** `missing` when no trial was run. The worst of its trials otherwise: a failed one weighs more than one that says nothing. */
  readonly verdict: TrialVerdict | "missing";
  readonly planned: number;
  readonly passed: number;
  readonly failed: number;
  readonly inconclusive: number;
  /** Why it is not passed, each reason once. */
  readonly reasons: readonly string[];
  /** Labels, else ids, of the checks that did not hold in a failed trial. */
  readonly failing: readonly string[];
}

/** What became of a whole run. */
export interface RunTotals {
  readonly verdict: "passed" | "failed" | "incomplete";
  /** Fault trials; the control is none. */
  readonly planned: number;
  readonly passed: number;
  readonly failed: number;
  readonly inconclusive: number;
  readonly missing: number;
}

type Planned = ReportHeader["scenarios"][number];

/** A report, or as much of it as there is. */
export type Measured = Pick<Report, "trials" | "partial"> & {
  readonly scenarios: readonly Planned[];
};

const CONTROL = "control";

/** The control's row, then one for each scenario, in the order of the report. */
export function rowsOf({ scenarios, trials }: Measured): ScenarioRow[] {
  const control = scenarios.find(({ id }) => id === CONTROL) ?? {
    id: CONTROL,
    title: CONTROL,
    trials: 1,
  };
  const all = [control, ...scenarios.filter(({ id }) => id !== CONTROL)];
  const byScenario = grouped(trials);
  return all.map((planned) => rowOf(planned, byScenario.get(planned.id) ?? []));
}

function grouped(trials: readonly TrialRecord[]): Map<string, TrialRecord[]> {
  const groups = new Map<string, TrialRecord[]>();
  for (const trial of trials) {
    const group = groups.get(trial.scenario);
    if (group === undefined) groups.set(trial.scenario, [trial]);
    else group.push(trial);
  }
  return groups;
}

function rowOf(
  { id, title, trials: planned }: Pick<Planned, "id" | "title" | "trials">,
  trials: readonly TrialRecord[],
): ScenarioRow {
  const count = (verdict: TrialVerdict): number =>
    trials.filter((trial) => trial.verdict === verdict).length;
  const [passed, failed, inconclusive] = [count("passed"), count("failed"), count("inconclusive")];
  const bad = trials.filter(({ verdict }) => verdict !== "passed");
  const labels = trials
    .filter(({ verdict }) => verdict === "failed")
    .flatMap(({ checks }) => checks.filter((check) => !check.passed));
  return {
    id,
    title,
    verdict:
      failed > 0
        ? "failed"
        : inconclusive > 0
          ? "inconclusive"
          : passed < planned
            ? "missing"
            : "passed",
    planned,
    passed,
    failed,
    inconclusive,
    reasons: [...new Set(bad.map(({ reason }) => reason))],
    failing: [...new Set(labels.map(({ id: check, label }) => label ?? check))],
  };
}

/** The sum of the rows. One failed trial, or a control that did not pass, is a failure whatever else is missing. */
export function totalsOf(measured: Measured): RunTotals {
  const [control, ...rows] = rowsOf(measured);
  const sum = (of: (row: ScenarioRow) => number): number =>
    rows.reduce((total, row) => total + of(row), 0);
  const [planned, passed] = [sum((row) => row.planned), sum((row) => row.passed)];
  const [failed, inconclusive] = [sum((row) => row.failed), sum((row) => row.inconclusive)];
  const cancelled = measured.trials.some(
    ({ scenario, issue }) => scenario === CONTROL && issue?.code === "cancelled",
  );
  const isBad = failed > 0 || (control?.verdict !== "passed" && control?.verdict !== "missing");
  const isWhole = passed === planned && control?.verdict === "passed";
  return {
    verdict: isBad && !cancelled ? "failed" : isWhole && !cancelled ? "passed" : "incomplete",
    planned,
    passed,
    failed,
    inconclusive,
    missing: planned - passed - failed - inconclusive,
  };
}
