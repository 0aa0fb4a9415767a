import { ERROR_CLASSES } from "./synonyms.ts";

/**
 * What a message may hold, as bits: a pattern is only tried where one of its signs was seen, as most messages hold little of
 * what the patterns look for. Too many signs cost time; one too few would change a result.
 */
export const DIGIT = 1;
export const QUOTE = 2;
export const SLASH = 4;
/** Two slashes, as in an address. */
export const SLASHES = 8;
export const AT = 16;
export const BRACKET = 32;
export const DASH = 64;
export const LESS = 128;
/** Beyond ASCII. */
export const FOREIGN = 256;
/** "0x", or twelve hexadecimal digits. */
export const HEX = 512;
/** A capital before another, a digit or a dash. */
export const CODE_LIKE = 1024;
/** A number that may be an HTTP status. */
export const STATUS_LIKE = 2048;
const FIRST_CLASS = 16;

/** The error classes of which a phrase may be there, as bits in their order. */
export function classesIn(signs: number): number {
  return signs >>> FIRST_CLASS;
}

/** A blank other than a space. */
export const BLANK = 4096;
const HEXADECIMAL = 1 << 13;
const CAPITAL = 1 << 14;
const WORD = 1 << 15;
const OWN = HEXADECIMAL | CAPITAL | WORD;

const KINDS = Uint16Array.from({ length: 128 }, (_, code) => kindOf(String.fromCodePoint(code)));

function kindOf(character: string): number {
  const is = (pattern: RegExp, kind: number): number => (pattern.test(character) ? kind : 0);
  return (
    is(/\d/, DIGIT) |
    is(/['"`]/, QUOTE) |
    is(/[/\\]/, SLASH) |
    is(/@/, AT) |
    is(/\[/, BRACKET) |
    is(/-/, DASH) |
    is(/</, LESS) |
    is(/[^\S ]/, BLANK) |
    is(/[0-9a-f]/i, HEXADECIMAL) |
    is(/[A-Z]/, CAPITAL) |
    is(/\w/, WORD)
  );
}

const ALL_CLASSES = (1 << ERROR_CLASSES.length) - 1;

/** Three characters as 15 bits, capitals like small letters. */
const TRIPLES = 0x7fff;
/** The classes that have a phrase with these three characters. */
const CLASSES = classesByTriple();

function classesByTriple(): Uint16Array {
  const classes = new Uint16Array(TRIPLES + 1);
  for (const [place, { hints }] of ERROR_CLASSES.entries()) {
    for (const hint of hints) {
      let triple = 0;
      for (const character of hint.slice(0, 3)) triple = next(triple, character.charCodeAt(0));
      classes[triple] = (classes[triple] ?? 0) | (1 << place);
    }
  }
  return classes;
}

function next(triple: number, code: number): number {
  return ((triple << 5) | (code & 31)) & TRIPLES;
}

/** The signs of a text. */
export function signsOf(text: string): number {
  let [signs, classes, triple] = [0, 0, 0];
  let [before, hexadecimals, digits] = [0, 0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const kind = KINDS[code] ?? FOREIGN;
    triple = next(triple, code);
    classes |= CLASSES[triple] ?? 0;
    signs |= kind;
    hexadecimals = (kind & HEXADECIMAL) === 0 ? 0 : hexadecimals + 1;
    if (hexadecimals >= 12) signs |= HEX;
    if ((kind & DIGIT) !== 0) digits++;
    else if (digits > 0) {
      if (digits >= 3 && (kind & WORD) === 0) signs |= statusSign(text, at, { digits, signs });
      // Of "0x", the second character.
      if (code === 120 || code === 88) signs |= HEX;
      digits = 0;
    } else if ((kind & SLASH) !== 0 && code === text.charCodeAt(at - 1)) signs |= SLASHES;
    if ((before & CAPITAL) !== 0 && (kind & (CAPITAL | DIGIT | DASH)) !== 0) signs |= CODE_LIKE;
    before = kind;
  }
  if (digits >= 3) signs |= statusSign(text, text.length, { digits, signs });
  if ((signs & FOREIGN) !== 0) classes = ALL_CLASSES;
  return (signs & ~OWN) | (classes << FIRST_CLASS);
}

/** Whether the digits that end there may end in a status; more than three only behind "HTTP/1.1". */
function statusSign(
  text: string,
  end: number,
  { digits, signs }: { readonly digits: number; readonly signs: number },
): number {
  const first = text.charCodeAt(end - 3);
  return (first === 52 || first === 53) && (digits === 3 || (signs & SLASH) !== 0)
    ? STATUS_LIKE
    : 0;
}
