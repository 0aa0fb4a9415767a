import { sha256 } from "../shared/hash.ts";
import { byCodeUnit, canonical, type Json } from "../shared/json.ts";
import type { Report, TrialRecord } from "../workflow/report.ts";

/** All trials of one scenario at one commit. */
export interface TrendPoint {
  readonly commit: string;
  /** Epoch milliseconds of the latest report; missing when no report says. */
  readonly recordedAt?: number;
  /** Reports of this commit. */
  readonly executions: number;
  readonly planned: number;
  readonly passed: number;
  readonly failed: number;
  /** Inconclusive or missing trials. */
  readonly incomplete: number;
  /** Percent; null where it would be a guess. */
  readonly passRate: number | null;
  /** Why there is no rate. */
  readonly reason?: string;
}

/** One scenario over the commits; the agent and the conditions are the same at all of them. */
export interface TrendSeries {
  readonly workflow: string;
  readonly agent: string;
  readonly fingerprint: string;
  readonly scenario: string;
  readonly title: string;
  /** By time, then by commit. */
  readonly points: readonly TrendPoint[];
}

export interface Trends {
  readonly series: readonly TrendSeries[];
  /** Reports without a commit: they belong to no point. */
  readonly unlabelled: number;
  /** Reports that were given more than once, and counted once. */
  readonly duplicates: number;
}

/**
 * How often each scenario passed, commit by commit. A point has a rate only when every control passed, every trial is there and
 * conclusive, and all reports of that commit agree on the agent's version and the conditions: a gap in place of a guess.
 */
export function workflowTrends(reports: readonly Report[]): Trends {
  const seen = new Map(reports.map((report) => [digestOf(report), report]));
  const labelled = [...seen.values()].filter(({ header }) => header.commit !== undefined);
  const conflicts = conflictingCommits(labelled);
  const families = grouped(labelled, ({ header }) => [header.agent.id, header.fingerprint]);
  return {
    series: families.flatMap((family) => seriesOf(family, conflicts)),
    unlabelled: seen.size - labelled.length,
    duplicates: reports.length - seen.size,
  };
}

function digestOf(report: Report): string {
  return sha256(canonical(report as unknown as Json));
}

/** Groups of what has the same key, in the order of their first members. */
function grouped<T>(all: readonly T[], keyOf: (one: T) => readonly string[]): T[][] {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = JSON.stringify(keyOf(one));
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()];
}

/** Workflow, agent and commit under which reports disagree on the conditions or the version, with what they disagree on. */
function conflictingCommits(reports: readonly Report[]): ReadonlyMap<string, string> {
  const conflicts = new Map<string, string>();
  for (const group of grouped(reports, placeOf)) {
    const [first] = group;
    if (first === undefined) continue;
    const different = (of: (report: Report) => string): boolean => new Set(group.map(of)).size > 1;
    const what = different(({ header }) => header.agent.version)
      ? "the agent's version differs between reports of this commit"
      : different(({ header }) => header.fingerprint)
        ? "the conditions differ between reports of this commit"
        : undefined;
    if (what !== undefined) conflicts.set(JSON.stringify(placeOf(first)), what);
  }
  return conflicts;
}

function placeOf({ header }: Report): readonly string[] {
  return [header.workflow.id, header.agent.id, header.commit ?? ""];
}

function seriesOf(
  family: readonly Report[],
  conflicts: ReadonlyMap<string, string>,
): TrendSeries[] {
  const scenarios = family.flatMap(({ header }) => header.scenarios).filter(isFault);
  return grouped(scenarios, ({ id, digest }) => [id, digest]).flatMap((same): TrendSeries[] => {
    const latest = same.at(-1);
    const [first] = family;
    if (latest === undefined || first === undefined) return [];
    const having = family.filter(({ header }) =>
      header.scenarios.some(({ id, digest }) => id === latest.id && digest === latest.digest),
    );
    const points = grouped(having, placeOf).map((group) => pointOf(latest.id, group, conflicts));
    return [
      {
        workflow: first.header.workflow.id,
        agent: first.header.agent.id,
        fingerprint: first.header.fingerprint,
        scenario: latest.id,
        title: latest.title,
        points: points.sort(
          (a, b) => (a.recordedAt ?? 0) - (b.recordedAt ?? 0) || byCodeUnit(a.commit, b.commit),
        ),
      },
    ];
  });
}

function isFault({ id }: { readonly id: string }): boolean {
  return id !== "control";
}

function pointOf(
  scenario: string,
  reports: readonly Report[],
  conflicts: ReadonlyMap<string, string>,
): TrendPoint {
  const [first] = reports;
  const times = reports.flatMap(({ header }) => header.createdAt ?? []);
  const trials = reports.flatMap((report) => trialsOf(report, scenario));
  const planned = reports.reduce((sum, report) => sum + plannedOf(report, scenario), 0);
  const count = (verdict: TrialRecord["verdict"]): number =>
    trials.filter((trial) => trial.verdict === verdict).length;
  const [passed, failed] = [count("passed"), count("failed")];
  const conflict = first === undefined ? undefined : conflicts.get(JSON.stringify(placeOf(first)));
  const reason = conflict ?? gap(reports, { planned, judged: passed + failed });
  return {
    commit: first?.header.commit ?? "",
    ...(times.length === 0 ? {} : { recordedAt: Math.max(...times) }),
    executions: reports.length,
    planned,
    passed,
    failed,
    incomplete: planned - passed - failed,
    passRate: reason === undefined ? (passed / planned) * 100 : null,
    ...(reason === undefined ? {} : { reason }),
  };
}

function trialsOf({ trials }: Report, scenario: string): readonly TrialRecord[] {
  return trials.filter((trial) => trial.scenario === scenario);
}

function plannedOf({ header }: Report, scenario: string): number {
  return header.scenarios.find(({ id }) => id === scenario)?.trials ?? 0;
}

function gap(
  reports: readonly Report[],
  { planned, judged }: { readonly planned: number; readonly judged: number },
): string | undefined {
  for (const report of reports) {
    const [control] = trialsOf(report, "control");
    if (control === undefined) return "a control is missing";
    if (control.verdict !== "passed") return "a control did not pass";
  }
  if (planned === 0) return "no trial was planned";
  return judged === planned
    ? undefined
    : `${planned - judged} of ${planned} trials are missing or inconclusive`;
}
