import { byCodeUnit } from "../shared/json.ts";
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
const ASCII = /^[\0-\x7f]*$/;
/** An apostrophe inside a word opens and closes nothing: "Can't read it, won't retry" has no quoted text. */
const QUOTED =
  /(?<![\p{L}\p{N}_])(?<quote>['"`])(?<inner>[^'"`\n]{0,200})\k<quote>(?![\p{L}\p{N}_])/gu;
const IDENTIFIER = /^[A-Za-z_$][\w$.[\]-]{0,39}$/;
/** After one of these words a capitalised name is a field too, not a value. */
const FIELD_BEFORE =
  /(?:key|field|column|property|properties|attribute|argument|parameter|variable|reading|keyerror)[:\s(]*$/i;
const CODE =
  /\b(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|E[A-Z]{4,}|(?<=\b(?:code|error|errno)[ :=#]{1,2})[A-Z]{1,4}-?\d{3,})\b/g;

/** What changes from run to run: its pattern, its token, and a text that it always holds, if any. */
const VOLATILE: readonly (readonly [pattern: RegExp, token: string, hint: string])[] = [
  [/\[redacted:(?<kind>[\w-]+)(?:#\d+)?\]/g, "<$<kind>>", "[redacted:"],
  [/\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s'"`()<>,;]+/gi, "<url>", "://"],
  [/[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+/g, "<email>", "@"],
  [/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi, "<uuid>", "-"],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/g, "<time>", "-"],
  [/\b(?:0x[0-9a-f]+|(?=[a-f]{0,40}\d)[0-9a-f]{12,})\b/gi, "<hex>", ""],
  [/(?<![\w<>/.])(?:[a-z]:\\|(?:~|\.{1,2})?\/)[^\s'"`()<>,;:]*[^\s'"`()<>,;:.]/gi, "<path>", ""],
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
  const literals = new Set<string>();
  const cut = message.slice(0, MAX_LENGTH);
  const source = ASCII.test(cut) ? cut : cut.normalize("NFC");
  const hasDigits = /\d/.test(source);
  let text = withoutQuoted(source, keepsNames ? literals : undefined);
  for (const [pattern, token, hint] of VOLATILE)
    if (text.includes(hint)) text = text.replaceAll(pattern, token);
  if (hasDigits) text = withoutStatuses(text);
  if (keepsNames) {
    for (const code of MAYBE_CODE.test(text) ? (text.match(CODE) ?? []) : [])
      if (classOf(code) === undefined) literals.add(code.toLowerCase());
  }
  text = withClasses(text.toLowerCase());
  if (hasDigits) text = withoutDigits(text.replaceAll(NUMBER, "<n>"));
  text = tidy(text);
  if (keepsNames && text.includes("<"))
    for (const token of text.match(CLASS_TOKEN) ?? []) literals.add(token);
  return { text, literals: literals.size < 2 ? [...literals] : [...literals].sort(byCodeUnit) };
}

/** The first error class that a normalised text names. */
export function firstClass(text: string): string | undefined {
  return text.match(CLASS_TOKEN)?.[0];
}

function classOf(phrase: string): string | undefined {
  const text = phrase.toLowerCase();
  return ERROR_CLASSES.find(({ phrases }) => text.replaceAll(phrases, "") !== text)?.name;
}

function withoutQuoted(text: string, literals: Set<string> | undefined): string {
  if (!/['"`]/.test(text)) return text;
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
    literals.add(`'${name}'`);
    return `'${name}'`;
  });
}

/** Whether a text is wholly an id, a path, an address: it gets its own token later. */
function isVolatile(text: string): boolean {
  return VOLATILE.some(([pattern]) => text.replaceAll(pattern, "").trim() === "");
}

function withoutStatuses(text: string): string {
  if (!/[45]\d\d/.test(text)) return text;
  return text.replaceAll(STATUS, (...match) => {
    const groups = match.at(-1) as { before?: string; status?: string; first?: string };
    const token = statusToken(Number(groups.status ?? groups.first));
    return token === undefined ? match[0] : `${groups.before ?? ""}${token}`;
  });
}

/**
 * A lower-case text with what is left of words with digits made plain: `ord_8812` and `a-1002` keep their letters, a digit
 * before a letter makes an opaque id. One pass by hand: every word is looked at, and a pattern reads each of them twice.
 */
function withoutDigits(text: string): string {
  let result = "";
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    const first = text.charCodeAt(at);
    if (!isWord(first) && first !== DOLLAR) continue;
    const isFree = at === 0 || !(isWord(text.charCodeAt(at - 1)) || text[at - 1] === "<");
    const end = endOfWord(text, at, isDigit(first) ? NONE : DASH_OR_DOLLAR);
    if (isFree && hasDigit(text, at, end)) {
      result += text.slice(copied, at) + opaque(text.slice(at, end));
      copied = end;
    }
    at = end - 1;
  }
  return copied === 0 ? text : result + text.slice(copied);
}

const DOLLAR = 36;
const DASH = 45;
const NONE: readonly number[] = [];
const DASH_OR_DOLLAR: readonly number[] = [DASH, DOLLAR];

function endOfWord(text: string, start: number, also: readonly number[]): number {
  let end = start + 1;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (!isWord(code) && !also.includes(code)) break;
  }
  return end;
}

function hasDigit(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (isDigit(text.charCodeAt(at))) return true;
  return false;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** ASCII letters, digits and the underscore. */
function isWord(code: number): boolean {
  return isDigit(code) || ((code | 32) >= 97 && (code | 32) <= 122) || code === 95;
}

function opaque(word: string): string {
  if (/\d+[a-z$]/.test(word)) return "<id>";
  return word.replaceAll(/\d+/g, "<n>");
}

function tidy(text: string): string {
  const bare = text.includes("<")
    ? text
        .replaceAll(NOISE, "")
        .replaceAll(/(?<token><\w+>)(?:[\s:,.()[\]-]*\k<token>)+/g, "$<token>")
    : text;
  const spaced = /\s{2}|[^\S ]/.test(bare) ? bare.replaceAll(/\s+/g, " ") : bare;
  return /^[\s:,.;-]|[\s:,.;!-]$/.test(spaced)
    ? spaced.replaceAll(/^[\s:,.;-]+|[\s:,.;!-]+$/g, "")
    : spaced;
}
