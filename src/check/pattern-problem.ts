import { testPattern } from "../shared/pattern.ts";
import { oneLine } from "../shared/text.ts";

/** Matched by a pattern that matches everything, and together by hardly any other. */
const PROBES = ["", "a", "7 ,", "\n", "Zoë {}"];
/** A text on which a pattern that goes back and forth takes for ever is made of few characters, and does not match in the end. */
const REPEATED = 64;
const MOST_LETTERS = 8;

export const NOTHING = "asserts nothing";

/** What is wrong with a pattern, and what to do: broken, too long, runs away, or matched by every text. */
export function patternProblem(pattern: string): string | undefined {
  const nothing = matchesAll(pattern);
  if (nothing !== undefined) return nothing;
  const slow = tempting(pattern)
    .map((text) => testPattern(pattern, text))
    .find((tested) => "error" in tested);
  if (slow === undefined || !("error" in slow)) return undefined;
  return `${JSON.stringify(oneLine(pattern, 60))} runs away: ${slow.error}; do not repeat what repeats already`;
}

function matchesAll(pattern: string): string | undefined {
  for (const probe of PROBES) {
    const tested = testPattern(pattern, probe);
    if ("error" in tested) return tested.error;
    if (!tested.matched) return undefined;
  }
  return `${NOTHING}: every text matches`;
}

/** Texts on which a pattern would run away, if it does: only one with a group that is repeated can. */
function tempting(pattern: string): readonly string[] {
  if (!/\)(?:[*+?]|\{\d+,)/u.test(pattern)) return [];
  const plain = pattern
    .replaceAll(/\\[dD]/gu, "1")
    .replaceAll(/\\[sSnrt]/gu, " ")
    .replaceAll(/\\[wWbB]|\./gu, "a");
  const letters = new Set(plain.match(/[\p{L}\p{N} _@:-]/gu));
  return [...letters, "a"]
    .slice(0, MOST_LETTERS)
    .map((letter) => `${letter.repeat(REPEATED)}\u0001`);
}
