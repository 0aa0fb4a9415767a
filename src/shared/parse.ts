import { failure } from "./error.ts";
import { syntaxErrorPlace } from "./json-place.ts";
import type { Json } from "./json.ts";
import { marker } from "./marker.ts";

/** How much of a JSON text is accepted. */
export interface ParseLimits {
  /** Levels of arrays and objects; 128 by default. */
  readonly depth?: number;
  /** Values, counting members and items; 1,000,000 by default. */
  readonly nodes?: number;
}

const SPACE = 32;
const QUOTE = 34;
const COMMA = 44;
const MINUS = 45;
const BACKSLASH = 92;

/**
 * Parses JSON from outside. Integers that a double would change stay exact as `{"$t":"bigint","v":"…"}`, numbers beyond the range of
 * a double become `{"$t":"infinity"}`, and so do the `NaN` and `Infinity` that Python writes. Own `__proto__` members
 * are kept. Throws E_JSON_SYNTAX, E_JSON_DEPTH or E_JSON_NODES; the text is measured before anything is built.
 */
export function parseJson(text: string, limits: ParseLimits = {}): Json {
  const source = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  const { depth = 128, nodes = 1_000_000 } = limits;
  const simple = parseSimple(source, { depth, nodes });
  if (simple !== undefined) return simple;
  const replaced = measure(source, { depth, nodes });
  try {
    return JSON.parse(replaced) as Json;
  } catch {
    throw syntaxError(source);
  }
}

/** Whether `JSON.parse` alone gives what `parseJson` gives. */
export function isPlainJson(text: string, limits: ParseLimits = {}): boolean {
  const { depth = 128, nodes = 1_000_000 } = limits;
  return parseSimple(text, { depth, nodes }) !== undefined;
}

/** Numbers of fewer than sixteen digits are exact; a larger one may have been another in the text. */
const EXACT = 1e15;

/** The value of a text that needs no rewriting and is too short for the limit of values; undefined for any other. */
function parseSimple(text: string, { depth, nodes }: Required<ParseLimits>): Json | undefined {
  // Every value but the first takes two characters.
  if (text.length >= 2 * nodes) return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return isSimple(value, depth) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a value has at most so many levels, and no number that may have been another in the text; looks no deeper. */
function isSimple(value: Json, levels: number): boolean {
  if (typeof value === "number") return value < EXACT && value > -EXACT;
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) {
    for (const item of value) if (!isSimple(item, levels - 1)) return false;
    return true;
  }
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (typeof member !== "string" && !isSimple(member ?? null, levels - 1)) return false;
  }
  return true;
}

/** One pass over the text: checks the limits, and rewrites the numbers that `JSON.parse` would change. */
function measure(text: string, limits: Required<ParseLimits>): string {
  const pieces: string[] = [];
  let copied = 0;
  let depth = 0;
  let nodes = 1;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    // Half of an indented file.
    if (c <= SPACE) continue;
    if (c === QUOTE) {
      i = endOfString(text, i);
    } else if (c === COMMA) {
      nodes++;
    } else if (c === 91 || c === 123) {
      nodes++;
      if (++depth > limits.depth) throw tooDeep(limits.depth, i);
    } else if (c === 93 || c === 125) {
      depth--;
    } else if (c === MINUS || isDigit(c) || c === 78 || c === 73) {
      const end = endOfToken(text, i);
      const mark = replacement(text, i, end);
      if (mark !== undefined) {
        pieces.push(text.slice(copied, i), mark);
        copied = end;
      }
      i = end - 1;
    }
    if (nodes > limits.nodes) throw tooMany(limits.nodes, i);
  }
  return copied === 0 ? text : pieces.join("") + text.slice(copied);
}

function isDigit(c: number): boolean {
  return c >= 48 && c <= 57;
}

/** The place of the closing quote of the string that opens at `start`; the end of the text when there is none. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1) {
    let back = end - 1;
    while (text.charCodeAt(back) === BACKSLASH) back--;
    if ((end - 1 - back) % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return text.length;
}

/** Letters, digits and the signs of numbers. */
function endOfToken(text: string, start: number): number {
  let end = start + 1;
  for (; end < text.length; end++) {
    const c = text.charCodeAt(end);
    const letter = (c | 32) >= 97 && (c | 32) <= 122;
    if (!isDigit(c) && !letter && c !== 43 && c !== MINUS && c !== 46) break;
  }
  return end;
}

const INTEGER = /^-?(?:0|[1-9]\d*)$/u;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/u;

function replacement(text: string, start: number, end: number): string | undefined {
  const length = end - start;
  // 15 digits are always exact, and fewer characters than 5 cannot be beyond the range of a double.
  if (length < 3) return undefined;
  const first = text.charCodeAt(start);
  if (length < 16 && isDigit(first) && !hasExponent(text, start, end)) return undefined;
  return markNumber(text.slice(start, end));
}

function hasExponent(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if ((text.charCodeAt(i) | 32) === 101) return true;
  return false;
}

function markNumber(token: string): string | undefined {
  if (token === "NaN") return JSON.stringify(marker("nan"));
  if (token === "Infinity") return JSON.stringify(marker("infinity"));
  if (token === "-Infinity") return JSON.stringify(marker("-infinity"));
  const value = Number(token);
  // A double that is written as this very text loses nothing, as the 2 ** 60 of a JavaScript writer.
  if (INTEGER.test(token)) {
    return String(value) === token ? undefined : JSON.stringify(marker("bigint", token));
  }
  if (Number.isFinite(value) || !NUMBER.test(token)) return undefined;
  return JSON.stringify(marker(value > 0 ? "infinity" : "-infinity"));
}

function tooDeep(depth: number, at: number): Error {
  return failure("E_JSON_DEPTH", {
    to: "parse a JSON text",
    because: `it is nested more than ${depth} levels deep, at character ${at + 1}`,
    fix: "Flatten the value, or leave it out of the file",
  });
}

function tooMany(nodes: number, at: number): Error {
  return failure("E_JSON_NODES", {
    to: "parse a JSON text",
    because: `it has more than ${nodes} values, at character ${at + 1}`,
    fix: "Split it into several records",
  });
}

function syntaxError(text: string): Error {
  const place = placeOfError(text);
  const line = text.slice(0, place).split("\n").length;
  const column = place - text.lastIndexOf("\n", place - 1);
  const because = place >= text.length ? "it ends too early" : "it is not JSON";
  return failure("E_JSON_SYNTAX", {
    to: "parse a JSON text",
    because: `${because}, at line ${line}, column ${column}`,
    fix: "Correct the text, or write it again with a JSON library",
  });
}

/** A string of many megabytes can be too long for a pattern; then the start of the text has to do. */
function placeOfError(text: string): number {
  try {
    return syntaxErrorPlace(text);
  } catch {
    return 0;
  }
}
