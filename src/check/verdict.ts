/** The result of judging a replay. */
export type Verdict = "passes" | "still_fails" | "fails_differently" | "unreplayable";

/** Every verdict, best first. */
export const VERDICTS: readonly Verdict[] = [
  "passes",
  "still_fails",
  "fails_differently",
  "unreplayable",
];

export function isVerdict(value: unknown): value is Verdict {
  return VERDICTS.some((verdict) => verdict === value);
}
