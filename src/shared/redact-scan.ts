import { sha256 } from "./hash.ts";
import { byCodeUnit } from "./json.ts";
import { findPattern } from "./pattern.ts";
import { suspicionOf, wordsOf, type KeySuspicion } from "./redact-key.ts";
import { findInText } from "./redact-text.ts";
import type { Found } from "./redact-vendor.ts";
import { secretVariables } from "./secret-variables.ts";

/** What a user adds to the built-in rules. */
export interface RedactOptions {
  /** Further member names whose values are secrets, in any spelling: `badgeNumber` is also `badge_number`. */
  readonly keys?: readonly string[];
  /** Further patterns of secrets; a placeholder shows the name. Each runs under a time limit. */
  readonly patterns?: readonly { readonly name: string; readonly pattern: string }[];
  /** Texts that are never secrets, or `sha256:` and at least 12 digits of their hash. */
  readonly allow?: readonly string[];
  /** Redacts nothing. */
  readonly off?: boolean;
  /** Variables of the process: values of secret-looking names are redacted wherever they stand. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** Finds secrets by the built-in rules, the user's, and what it was told. */
export interface Scanner {
  /** Places in a text: sorted, apart from each other and from placeholders, none allowed. `also` joins them. */
  find(text: string, also?: readonly Found[]): readonly Found[];
  /** What a member's name says about its value. */
  suspicion(name: string): KeySuspicion | undefined;
  /** From now on this text is a secret wherever it stands. */
  learn(secret: string): void;
}

/** A replaced secret, as it stands in a text. */
export const PLACEHOLDER = /\[redacted:[\w-]{1,32}(?:#\d{1,7})?\]/gu;

/** Kinds from the least to the most telling; the credentials of vendors come after all of them. */
const KINDS: readonly string[] = ["ip", "phone", "email", "iban", "card", "ssn", "secret", "env"];
/** Learnt secrets beyond this number are not looked for. */
const MOST_LEARNT = 500;

/** The rules of some options, worked out once for any number of traces. */
export interface RedactRules {
  readonly options: RedactOptions;
  /** What a member's name says about its value. */
  readonly suspicion: (name: string) => KeySuspicion | undefined;
  readonly variables: readonly string[];
  readonly isAllowed: (text: string) => boolean;
  /** Texts and names in which these rules find nothing; the same ones come in every trace. */
  readonly clean: { readonly texts: Set<string>; readonly names: Set<string> };
  /** Whether a text is judged by itself alone. A user's pattern has a time limit, so it may judge otherwise next time. */
  readonly steady: boolean;
}

const MOST_KNOWN = 10_000;

export function openRules(options: RedactOptions): RedactRules {
  const keys = new Set((options.keys ?? []).map((key) => wordsOf(key).join("")));
  const names = new Map<string, KeySuspicion | undefined>();
  const suspicion = (name: string): KeySuspicion | undefined => {
    const known = names.get(name);
    if (known !== undefined || names.has(name)) return known;
    const found = keys.size > 0 && keys.has(wordsOf(name).join("")) ? "sure" : suspicionOf(name);
    if (names.size < MOST_KNOWN) names.set(name, found);
    return found;
  };
  return {
    options,
    suspicion,
    variables: variableValues(options.environment ?? {}),
    isAllowed: allowance(options.allow ?? []),
    clean: { texts: new Set(), names: new Set() },
    steady: (options.patterns ?? []).length === 0,
  };
}

/** Keeps that a short text is clean by rules that are steady and nothing more. */
export function keepClean(known: Set<string>, text: string): void {
  if (known.size < MOST_KNOWN && text.length <= 200) known.add(text);
}

/** Whether these rules found nothing in this very text before. */
export function isKnownClean({ clean, steady }: RedactRules, text: string): boolean {
  return steady && clean.texts.has(text);
}

export function createScanner(rules: RedactRules): Scanner {
  const { options, suspicion, variables, isAllowed } = rules;
  const learnt = new Set<string>();
  const patterns = (options.patterns ?? []).map(({ name, pattern }) =>
    guardedPattern(name, pattern),
  );
  let more = variables.length > 0 || patterns.length > 0;
  const find = (text: string, also: readonly Found[] = []): readonly Found[] => {
    const builtIn = findInText(text);
    if (builtIn.length === 0 && also.length === 0 && !more) return builtIn;
    const found = [...also, ...builtIn];
    for (const value of variables) findLiteral(text, value, { kind: "env", found });
    for (const secret of learnt) findLiteral(text, secret, { kind: "secret", found });
    for (const pattern of patterns) found.push(...pattern(text));
    if (found.length === 0) return found;
    const kept = found.filter(({ start, end }) => !isAllowed(text.slice(start, end)));
    return apart(merge(kept), text).filter(({ start, end }) => !isAllowed(text.slice(start, end)));
  };
  const learn = (secret: string): void => {
    if (learnt.size < MOST_LEARNT) learnt.add(secret);
    more = true;
  };
  return { find, suspicion, learn };
}

/** The values of secret-looking variables, as they are and as URLs, JSON strings and base64 write them. */
function variableValues(environment: Readonly<Record<string, string | undefined>>): string[] {
  const values = new Set<string>();
  for (const value of Object.values(secretVariables(environment))) {
    values.add(value);
    const inForm = new URLSearchParams([["", value]]).toString().slice(1);
    values.add(inForm);
    values.add(inForm.replaceAll("+", "%20"));
    values.add(JSON.stringify(value).slice(1, -1));
    values.add(Buffer.from(value).toString("base64").replace(/=+$/u, ""));
  }
  return [...values].sort(byCodeUnit);
}

function findLiteral(
  text: string,
  secret: string,
  into: { readonly kind: string; readonly found: Found[] },
): void {
  for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length)) {
    into.found.push({ start: at, end: at + secret.length, kind: into.kind });
  }
}

/** A text on which the user's pattern takes too long cannot be cleared, so all of it is redacted. */
function guardedPattern(name: string, pattern: string): (text: string) => readonly Found[] {
  let tooLong = Number.POSITIVE_INFINITY;
  return (text) => {
    const all: readonly Found[] = [{ start: 0, end: text.length, kind: name }];
    if (text.length >= tooLong) return all;
    const result = findPattern(pattern, text);
    if ("spans" in result) return result.spans.map(([start, end]) => ({ start, end, kind: name }));
    tooLong = Math.min(tooLong, text.length);
    return text === "" ? [] : all;
  };
}

function allowance(allow: readonly string[]): (text: string) => boolean {
  const texts = new Set(allow);
  const hashes = allow.flatMap((entry) => /^sha256:([0-9a-f]{12,64})$/u.exec(entry)?.[1] ?? []);
  if (hashes.length === 0) return (text) => texts.has(text);
  return (text) => {
    if (texts.has(text)) return true;
    const hash = sha256(text);
    return hashes.some((start) => hash.startsWith(start));
  };
}

function rank(kind: string): number {
  const place = KINDS.indexOf(kind);
  return place === -1 ? KINDS.length : place;
}

/** Places that overlap become one, of the most telling kind. */
function merge(found: readonly Found[]): Found[] {
  const ordered = found.toSorted(
    (a, b) => a.start - b.start || b.end - a.end || byCodeUnit(a.kind, b.kind),
  );
  const merged: Found[] = [];
  for (const next of ordered) {
    const last = merged.at(-1);
    if (last === undefined || next.start >= last.end) {
      merged.push(next);
      continue;
    }
    const kind = rank(next.kind) > rank(last.kind) ? next.kind : last.kind;
    merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, next.end), kind };
  }
  return merged;
}

/** What is left of the places outside placeholders that already stand in the text. */
function apart(merged: readonly Found[], text: string): Found[] {
  if (!text.includes("[redacted:")) return [...merged];
  const left: Found[] = [];
  const taken = [...text.matchAll(PLACEHOLDER)].map(
    (match) => [match.index, match.index + match[0].length] as const,
  );
  for (const { start, end, kind } of merged) {
    let from = start;
    for (const [open, close] of taken) {
      if (close <= from || open >= end) continue;
      if (open > from) left.push({ start: from, end: open, kind });
      from = close;
    }
    if (from < end) left.push({ start: from, end, kind });
  }
  return left;
}
