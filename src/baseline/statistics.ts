/** How often something happened in so many trials. */
export interface Tally {
  readonly count: number;
  readonly trials: number;
}

/** Whether so small a chance is not taken for chance: below 0.05, and not by rounding alone. */
export function isUnlikely(chance: number): boolean {
  return chance < 0.05 - 1e-9;
}

/**
 * Fisher's exact test, one-sided: how likely it is that the candidate's count is at least as large as it is, if base and
 * candidate were equally prone.
 */
export function chanceOfRise(base: Tally, candidate: Tally): number {
  const trials = base.trials + candidate.trials;
  const happened = base.count + candidate.count;
  const most = Math.min(candidate.trials, happened);
  const logFactorials = factorials(trials);
  const choose = (n: number, k: number): number =>
    (logFactorials[n] ?? 0) - (logFactorials[k] ?? 0) - (logFactorials[n - k] ?? 0);
  const all = choose(trials, happened);
  let chance = 0;
  for (let count = candidate.count; count <= most; count++) {
    chance += Math.exp(
      choose(candidate.trials, count) + choose(base.trials, happened - count) - all,
    );
  }
  return Math.min(1, chance);
}

/** Whether so few trials could show anything at all: from "never" to "always" must be unlikely to be chance. */
export function canShowRise(base: number, candidate: number): boolean {
  const chance = chanceOfRise({ count: 0, trials: base }, { count: candidate, trials: candidate });
  return isUnlikely(chance);
}

/** Logarithms of 0! to n!. */
function factorials(n: number): readonly number[] {
  const logs = [0];
  for (let i = 1; i <= n; i++) logs.push((logs[i - 1] ?? 0) + Math.log(i));
  return logs;
}
