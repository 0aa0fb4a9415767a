import { byCodeUnit } from "../shared/json.ts";
import { withoutDigits } from "./digits.ts";
import {
  AT,
  BLANK,
  BRACKET,
  classesIn,
  CODE_LIKE,
  DASH,
  DIGIT,
  FOREIGN,
  HEX,
  LESS,
  QUOTE,
  signsOf,
  SLASH,
  SLASHES,
  STATUS_LIKE,
} from "./signs.ts";
import { ERROR_CLASSES, statusToken, withClasses } from "./synonyms.ts";

/** A message without what changes from run to run, and what must be equal in two messages of one cause. */
export interface Normalized {
  readonly text: string;
  /** Sorted field names, error codes and error classes: `'amount'`, `card_declined`, `<not_found>`. */
  readonly literals: readonly string[];
}

export interface NormalizeOptions {
  /** `names`: short quoted identifiers stay, as in `KeyError 'amount'`; `nothing`: every quoted text goes. Default `names`. */
  readonly keep?: "names" | "nothing";
}

/** Longer messages are judged by their beginning; every pattern below is linear, this bounds their work. */
const MAX_LENGTH = 2000;

const MAYBE_CODE = /[A-Z]{2}|[A-Z]-?\d/;
/** An apostrophe inside a word opens and closes nothing: "Can't read it, won't retry" has no quoted text. */
const QUOTED =
  /(?<![\p{L}\p{N}_])(?<quote>['"`])(?<inner>[^'"`\n]{0,200})\k<quote>(?![\p{L}\p{N}_])/gu;
const IDENTIFIER = /^[A-Za-z_$][\w$.[\]-]{0,39}$/;
/** After one of these words a capitalised name is a field too, not a value. */
const FIELD_BEFORE =
  /(?:key|field|column|property|properties|attribute|argument|parameter|variable|reading|keyerror)[:\s(]*$/i;
const CODE =
  /\b(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|E[A-Z]{4,}|(?<=\b(?:code|error|errno)[ :=#]{1,2})[A-Z]{1,4}-?\d{3,})\b/g;

/** What changes from run to run: its pattern, its token, and the sign without which it is not there. */
const VOLATILE: readonly (readonly [pattern: RegExp, token: string, sign: number])[] = [
  [/\[redacted:(?<kind>[\w-]+)(?:#\d+)?\]/g, "<$<kind>>", BRACKET],
  [/\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s'"`()<>,;]+/gi, "<url>", SLASHES],
  [/[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+/g, "<email>", AT],
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, "<uuid>", DASH],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/g, "<time>", DASH],
  [/\b(?:0x[0-9a-f]+|(?=[a-f]{0,40}\d)[0-9a-f]{12,})\b/gi, "<hex>", HEX],
  [/(?<![\w<>/.])(?:[a-z]:\\|(?:~|\.{1,2})?\/)[^\s'"`()<>,;:]*[^\s'"`()<>,;:.]/gi, "<path>", SLASH],
];

/** A status is one after a word that says so, before its own phrase, or first in the message: "3 of 404 rows" is none. */
const STATUS =
  /(?<before>^[\s[(]*|\b(?:https?(?:\/\d(?:\.\d)?)?|status|code|error|response|returned|with|got|gave)(?:[ -]?code)?[\s:=[("]*)(?<status>[45]\d\d)\b(?![.,]?\d|\s?(?:ms|s|sec|seconds|min|minutes|bytes|kb|mb|rows|items|retries|attempts|times|%)\b)|\b(?<first>[45]\d\d)(?= (?:too many requests|unauthorized|forbidden|not found|request timeout|gateway timeout|service unavailable|bad gateway|internal server error|bad request|conflict|unprocessable))/gi;

const NUMBER =
  /(?<![\w<.])[-+]?[$€£]?\d+(?:[.,:]\d+)*(?:\s?(?:ms|msecs?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|days?|[kmg]i?b|bytes?|%)(?![\w]))?/g;
const NOISE =
  /\b(?:https?\/<n>|(?:https?|status|code|response|client error|server error)\b)(?=[\s:=-]*<)|(?<=<\w+>)[\s:,-]*\b(?:error|status|response)\b/g;
const CLASS_TOKEN =
  /<(?:status_\d{3}|[a-z]+_[a-z]+|unauthorized|forbidden|unavailable|conflict|unprocessable)>/g;

/**
 * Takes ids, numbers, durations, paths and long quoted texts out of a message, and gives equal errors equal words:
 * "429 Too Many Requests" and "Rate limit exceeded" are both `<rate_limited>`.
 */
export function normalize(message: string, options: NormalizeOptions = {}): Normalized {
  const keepsNames = options.keep !== "nothing";
  let literals: string[] = [];
  let text = message.slice(0, MAX_LENGTH);
  let signs = signsOf(text);
  if ((signs & FOREIGN) !== 0) signs = signsOf((text = text.normalize("NFC")));
  if ((signs & QUOTE) !== 0) {
    text = withoutQuoted(text, keepsNames ? literals : undefined);
    signs = signsOf(text);
  }
  for (const [pattern, token, sign] of VOLATILE)
    // Not `replaceAll`, which first reads the pattern's flags: longer than it then looks for the pattern.
    if ((signs & sign) !== 0) text = text.replace(pattern, token);
  if ((signs & STATUS_LIKE) !== 0) text = withoutStatuses(text);
  if (keepsNames && (signs & CODE_LIKE) !== 0 && MAYBE_CODE.test(text)) {
    for (const code of text.match(CODE) ?? [])
      if (classOf(code) === undefined) literals.push(code.toLowerCase());
  }
  const classes = classesIn(signs);
  text = withClasses(text.toLowerCase(), classes);
  if ((signs & DIGIT) !== 0) text = withoutDigits(text.replace(NUMBER, "<n>"));
  text = tidy(text, (signs & (BLANK | FOREIGN)) !== 0);
  if (keepsNames && (classes !== 0 || (signs & (LESS | BRACKET | STATUS_LIKE)) !== 0))
    for (const token of text.match(CLASS_TOKEN) ?? []) literals.push(token);
  if (literals.length > 1) literals = [...new Set(literals)].sort(byCodeUnit);
  return { text, literals };
}

/** The first error class that a normalised text names. */
export function firstClass(text: string): string | undefined {
  return text.match(CLASS_TOKEN)?.[0];
}

function classOf(phrase: string): string | undefined {
  const text = phrase.toLowerCase();
  return ERROR_CLASSES.find(({ phrases }) => text.replaceAll(phrases, "") !== text)?.name;
}

function withoutQuoted(text: string, literals: string[] | undefined): string {
  return text.replaceAll(QUOTED, (...match) => {
    const [, , inner, offset] = match as [string, string, string, number];
    if (inner.trim() === "") return "''";
    if (/^[-+]?\d+(?:[.,]\d+)*$/.test(inner)) return "0";
    if (literals === undefined || !IDENTIFIER.test(inner))
      return isVolatile(inner) ? inner : "<str>";
    const field =
      /^[a-z_$]/.test(inner) || FIELD_BEFORE.test(text.slice(Math.max(0, offset - 20), offset));
    if (!field || isVolatile(inner)) return "<str>";
    const name = withoutDigits(inner.toLowerCase());
    // A quoted phrase that names an error class, as 'not_found', is the class, not a field.
    if (classOf(inner) !== undefined) return inner;
    if (name === "<id>") return name;
    literals.push(`'${name}'`);
    return `'${name}'`;
  });
}

/** Whether a text is wholly an id, a path, an address: it gets its own token later. */
function isVolatile(text: string): boolean {
  return VOLATILE.some(([pattern]) => text.replaceAll(pattern, "").trim() === "");
}

function withoutStatuses(text: string): string {
  return text.replaceAll(STATUS, (...match) => {
    const groups = match.at(-1) as { before?: string; status?: string; first?: string };
    const token = statusToken(Number(groups.status ?? groups.first));
    return token === undefined ? match[0] : `${groups.before ?? ""}${token}`;
  });
}

function tidy(text: string, hasOddBlanks: boolean): string {
  const bare = isNoisy(text)
    ? text
        .replaceAll(NOISE, "")
        .replaceAll(/(?<token><\w+>)(?:[\s:,.()[\]-]*\k<token>)+/g, "$<token>")
    : text;
  const spaced = hasOddBlanks || bare.includes("  ") ? bare.replaceAll(/\s+/g, " ") : bare;
  return isEdge(spaced.charCodeAt(0)) || isEdge(spaced.charCodeAt(spaced.length - 1))
    ? spaced.replaceAll(/^[\s:,.;-]+|[\s:,.;!-]+$/g, "")
    : spaced;
}

/** Words that a token makes needless, by the letter that is next to it; another token may repeat it. */
const NOISE_BEFORE = byLetter(["http", "https", "status", "code", "response", "error", "/"], -1);
const NOISE_AFTER = byLetter(["error", "status", "response", "<"], 0);

function byLetter(words: readonly string[], place: number): ReadonlyMap<number, string[]> {
  const letters = new Map<number, string[]>();
  for (const word of words) {
    const letter = word.at(place)?.charCodeAt(0) ?? 0;
    letters.set(letter, [...(letters.get(letter) ?? []), word]);
  }
  return letters;
}

/** Whether beside a token there may be a needless word or another token. */
function isNoisy(text: string): boolean {
  for (let less = text.indexOf("<"); less !== -1; less = text.indexOf("<", less + 1)) {
    let end = less;
    while (isBetween(text.charCodeAt(end - 1))) end--;
    const before = NOISE_BEFORE.get(text.charCodeAt(end - 1));
    if (before?.some((word) => text.endsWith(word, end)) === true) return true;
    let start = text.indexOf(">", less) + 1;
    if (start === 0) continue;
    while (isBetween(text.charCodeAt(start))) start++;
    const after = NOISE_AFTER.get(text.charCodeAt(start));
    if (after?.some((word) => text.startsWith(word, start)) === true) return true;
  }
  return false;
}

/** Blanks and signs that may stand between a word and a token, or go at an end; beyond ASCII, whatever is there. */
function isBetween(code: number): boolean {
  return code > 127 || BETWEEN[code] === 1;
}

function isEdge(code: number): boolean {
  return code > 127 || EDGES[code] === 1;
}

const BETWEEN = tableOf(/[\s:=,.()[\]-]/);
const EDGES = tableOf(/[\s:,.;!-]/);

function tableOf(pattern: RegExp): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, code) =>
    pattern.test(String.fromCodePoint(code)) ? 1 : 0,
  );
}
