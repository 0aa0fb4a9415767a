import { partOf, startsOf } from "../shared/pattern-parts.ts";

/** Which of several lists of phrases may have one in a text, as bits: the first list is the lowest. */
export type Guess = (text: string) => number;

/** The alternatives of a list: those that start and end with words, and those that may stand anywhere. */
export interface Alternatives {
  readonly worded: readonly string[];
  readonly unspaced: readonly string[];
}

/**
 * Looks at the first letters of a text's words alone: a list none of whose phrases begins so has none in it, and its large
 * pattern need not be tried. Of a text beyond ASCII, and of a list with a phrase that may begin with anything, nothing is known.
 */
export function guesses(lists: readonly Alternatives[]): Guess {
  const every = 2 ** lists.length - 1;
  const root: Node = { bits: 0, next: new Map() };
  let always = 0;
  for (const [at, { worded, unspaced }] of lists.entries()) {
    const starts = worded.map((source) => startsOf(partOf(source)));
    const isClear = unspaced.every((source) => startsOf(partOf(source))?.every(isBeyond) === true);
    if (starts.includes(undefined) || !isClear) always |= 1 << at;
    for (const start of starts.flatMap((known) => known ?? [])) plant(root, start, 1 << at);
  }
  return (text) => {
    if (!ASCII.test(text)) return every;
    let found = always;
    let isFree = true;
    for (let at = 0; at < text.length; at++) {
      let node = isFree ? root.next.get(text.charCodeAt(at)) : undefined;
      for (let end = at + 1; node !== undefined; end++) {
        found |= node.bits;
        node = node.next.get(text.charCodeAt(end));
      }
      isFree = !isLetter(text.charCodeAt(at));
    }
    return found;
  };
}

/** What begins with the letters that lead here. */
interface Node {
  /** The lists that have a phrase which begins so. */
  bits: number;
  readonly next: Map<number, Node>;
}

function plant(root: Node, start: string, bit: number): void {
  let node = root;
  for (let at = 0; at < start.length; at++) {
    const code = start.charCodeAt(at);
    const next = node.next.get(code) ?? { bits: 0, next: new Map<number, Node>() };
    node.next.set(code, next);
    node = next;
  }
  node.bits |= bit;
}

const ASCII = /^[\0-\x7f]*$/u;

function isBeyond(text: string): boolean {
  return text.charCodeAt(0) > 127;
}

/** As the phrases' own patterns have it. */
function isLetter(code: number): boolean {
  const lower = code | 32;
  return (lower >= 97 && lower <= 122) || (code >= 48 && code <= 57) || code === 95;
}
