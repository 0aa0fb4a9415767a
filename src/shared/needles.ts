import { bestOf, partOf, shortened } from "./pattern-parts.ts";

/**
 * Texts of which every match of a pattern has at least one in it, worked out from its source; undefined when there are none
 * that say anything. Where a text has none of them, the pattern need not be tried, and most large patterns hardly ever match.
 */
export function needlesOf(pattern: RegExp): readonly string[] | undefined {
  const needles = shortened(bestOf(partOf(pattern.source, pattern.ignoreCase)) ?? []);
  // One that holds another tells nothing more.
  const few = needles.filter((text) =>
    needles.every((other) => other === text || !text.includes(other)),
  );
  return few.length === 0 || few.length > MOST_NEEDLES ? undefined : few;
}

/** The pattern's `test`, which after a while looks for its needles first. Of a pattern that ignores case, and a text beyond ASCII, it looks for none. */
export function quickTest(pattern: RegExp): (text: string) => boolean {
  let needles: readonly string[] | undefined;
  let known = false;
  let texts = 0;
  return (text) => {
    if (texts < WORTH_LOOKING) {
      texts += 1;
      return pattern.test(text);
    }
    if (!known) [needles, known] = [needlesOf(pattern), true];
    if (needles === undefined || (pattern.ignoreCase && !ASCII.test(text)))
      return pattern.test(text);
    const searched = pattern.ignoreCase ? text.toLowerCase() : text;
    for (const needle of needles) if (searched.includes(needle)) return pattern.test(text);
    return false;
  };
}

/** Texts after which working out the needles has paid. */
export const WORTH_LOOKING = 2000;
const ASCII = /^[\0-\x7f]*$/u;
/** Looking for more takes as long as the pattern. */
const MOST_NEEDLES = 64;
