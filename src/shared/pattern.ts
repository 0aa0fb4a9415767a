import { createContext, Script, type Context } from "node:vm";
import { messageOf } from "./error.ts";
import { systemCode } from "./file-error.ts";
import { oneLine } from "./text.ts";

/** Pattern and subject of a user's regular expression are capped; a longer subject is cut. */
const LONGEST_PATTERN = 1000;
const LONGEST_SUBJECT = 100_000;
const TIMEOUT_MS = 200;
/** V8 compiles in a time that doubles with each optional part in a row, and compiling cannot be stopped. */
const MOST_OPTIONAL = 16;
/** Above this product of lengths even a pattern without repetition is guarded. */
const QUICK = 1_000_000;

/** Places that a pattern matched: start and end, in UTF-16 units. */
export type Span = readonly [start: number, end: number];

/**
 * Runs a user's regular expression within 200 ms: at most 1,000 characters with the flags i, m, s and u, on the first
 * 100,000 characters of the subject. A pattern that is refused, or takes too long, is an error and never a match.
 */
export function testPattern(
  pattern: string,
  subject: string,
  flags = "",
): { readonly matched: boolean } | { readonly error: string } {
  const refused = refuse(pattern, flags);
  if (refused !== undefined) return { error: refused };
  const cut = subject.slice(0, LONGEST_SUBJECT);
  if (isQuick(pattern, cut)) return { matched: new RegExp(pattern, flags).test(cut) };
  const found = guarded(TEST, { pattern, flags, subject: cut });
  return "error" in found ? found : { matched: found.value === true };
}

/** All places where a user's regular expression matches, under the limits of `testPattern`; empty matches are left out. */
export function findPattern(
  pattern: string,
  subject: string,
  flags = "",
): { readonly spans: readonly Span[] } | { readonly error: string } {
  const refused = refuse(pattern, flags);
  if (refused !== undefined) return { error: refused };
  const cut = subject.slice(0, LONGEST_SUBJECT);
  if (isQuick(pattern, cut)) return { spans: quickSpans(pattern, cut, flags) };
  const found = guarded(FIND, { pattern, flags: `${flags}g`, subject: cut });
  if ("error" in found) return found;
  const numbers = String(found.value).split(",").map(Number);
  const spans: Span[] = [];
  for (let i = 0; i + 1 < numbers.length; i += 2)
    spans.push([numbers[i] ?? 0, numbers[i + 1] ?? 0]);
  return { spans };
}

function refuse(pattern: string, flags: string): string | undefined {
  if (pattern.length > LONGEST_PATTERN) {
    return `the regular expression has ${pattern.length} characters, and ${LONGEST_PATTERN} are allowed`;
  }
  if (!/^[imsu]*$/u.test(flags))
    return `the flags "${oneLine(flags, 20)}" are not allowed, only i, m, s and u are`;
  if (optionalParts(pattern) > MOST_OPTIONAL) {
    return `the regular expression has more than ${MOST_OPTIONAL} optional parts`;
  }
  try {
    // Compiling does not run the pattern, so it cannot hang.
    RegExp(pattern, flags);
    return undefined;
  } catch (thrown) {
    return `the pattern is not a regular expression: ${oneLine(messageOf(thrown), 200)}`;
  }
}

/** The pattern with every escape and class as one letter. */
function bare(pattern: string): string {
  return pattern.replace(/\\./gsu, "x").replace(/\[[^\]]*\]/gu, "x");
}

/** How many parts may be left out: `a?`, `a{0,2}` and empty alternatives. */
function optionalParts(pattern: string): number {
  const text = bare(pattern)
    .replaceAll("(?", "(")
    .replace(/([*+?}])\?/gu, "$1");
  const marks = text.match(/\?|\(\||\|\)|\|\|/gu)?.length ?? 0;
  const counted = [...text.matchAll(/\{(\d{1,9}),(\d{1,9})\}/gu)];
  return counted.reduce(
    (sum, [, least, most]) => sum + (Number(most) <= 3 ? Number(most) - Number(least) : 1),
    marks,
  );
}

/**
 * Whether a pattern cannot take long on a subject, so that it needs no guard: no group and no look-around, nothing refers
 * back, and what repeats does so at most once (twice on a short subject).
 */
function isQuick(pattern: string, subject: string): boolean {
  if (/\\[1-9k]/u.test(pattern) || pattern.length * subject.length > QUICK) return false;
  const text = bare(pattern);
  if (/[()[\]]/u.test(text)) return false;
  const repeats = text.replace(/\{\d+\}/gu, "").match(/[*+?{]/gu)?.length ?? 0;
  return (
    repeats === 0 ||
    (repeats === 1 && subject.length <= 2000) ||
    (repeats <= 2 && subject.length <= 200)
  );
}

function quickSpans(pattern: string, subject: string, flags: string): Span[] {
  return [...subject.matchAll(new RegExp(pattern, `${flags}g`))]
    .filter(([text]) => text !== "")
    .map((match) => [match.index, match.index + match[0].length]);
}

interface Sandbox {
  readonly context: Context;
  readonly scripts: Map<string, Script>;
}

const TEST = "new RegExp(pattern, flags).test(subject)";
const FIND = `{
  const expression = new RegExp(pattern, flags);
  const places = [];
  for (let found = expression.exec(subject); found !== null; found = expression.exec(subject)) {
    if (found[0] === "") expression.lastIndex++;
    else places.push(found.index, expression.lastIndex);
  }
  places.join(",");
}`;

const SANDBOX = Symbol.for("twiceshy.pattern");

/** One context for all patterns: making one costs thirty milliseconds. */
function sandbox(): Sandbox {
  const shared = globalThis as { [SANDBOX]?: Sandbox };
  return (shared[SANDBOX] ??= { context: createContext(Object.create(null)), scripts: new Map() });
}

function guarded(
  source: string,
  values: Readonly<Record<string, string>>,
): { readonly value: unknown } | { readonly error: string } {
  const { context, scripts } = sandbox();
  const script = scripts.get(source) ?? new Script(source);
  scripts.set(source, script);
  try {
    Object.assign(context, values);
    return { value: script.runInContext(context, { timeout: TIMEOUT_MS }) };
  } catch (thrown) {
    // The error is of the context's realm, so only its code tells.
    const timedOut = systemCode(thrown) === "ERR_SCRIPT_EXECUTION_TIMEOUT";
    return {
      error: timedOut
        ? `the regex timed out after ${TIMEOUT_MS} ms`
        : oneLine(messageOf(thrown), 200),
    };
  } finally {
    Object.assign(context, { subject: "" });
  }
}
