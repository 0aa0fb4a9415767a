import type { TrialRecord } from "../workflow/report.ts";

/** One thing that is counted over failed trials, on both sides. */
interface Tallied {
  readonly what: string;
  readonly label: string;
  readonly mine: number;
  readonly theirs: number;
}

export function failed(trials: readonly TrialRecord[]): readonly TrialRecord[] {
  return trials.filter(({ verdict }) => verdict === "failed");
}

/** Failed trials, failed checks and issues of the failed trials, on both sides. */
export function counts(mine: readonly TrialRecord[], theirs: readonly TrialRecord[]): Tallied[] {
  const [a, b] = [tally(mine), tally(theirs)];
  const keys = [...new Set([...a.keys(), ...b.keys()])];
  return keys.map((what) => ({
    what,
    label: (a.get(what) ?? b.get(what))?.label ?? what,
    mine: a.get(what)?.count ?? 0,
    theirs: b.get(what)?.count ?? 0,
  }));
}

function tally(trials: readonly TrialRecord[]): Map<string, { label: string; count: number }> {
  const all = new Map<string, { label: string; count: number }>();
  const add = (what: string, label: string): void => {
    all.set(what, { label, count: (all.get(what)?.count ?? 0) + 1 });
  };
  for (const { checks, issue } of failed(trials)) {
    add("trials", "failed trials");
    for (const { id, label, passed } of checks) if (!passed) add(`check:${id}`, label ?? id);
    if (issue !== undefined) add(`issue:${issue.code}`, issue.code);
  }
  return all;
}
