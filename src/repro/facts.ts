import { holdsFact, numberTokens, occursAsWord, plain, type NumberToken } from "../shared/fact.ts";
import { byCodeUnit, canonical, type Json } from "../shared/json.ts";
import type { ToolResult, Trace } from "../trace/trace.ts";

const MOST = 3;
const LONGEST_FACT = 40;
const DEEPEST = 64;

/** A text of the output that a tool's result grounds. */
interface Fact {
  readonly text: string;
  /** How much it says: 0 an id or a name, 1 a long number, 2 a single word, 3 a short number. */
  readonly rank: number;
}

/**
 * What a good answer rests on: at most three texts of the output that are values of the tools' results; ids, names and
 * numbers in any notation, as whole words only. What the task does not say itself comes first, then what says most.
 */
export function groundedFacts(success: Trace, output: string): readonly string[] {
  const text = output.slice(0, 100_000);
  const leaves = success.steps.flatMap((step) =>
    step.kind === "tool" ? leavesOf(step.result) : [],
  );
  const task = typeof success.task === "string" ? success.task : canonical(success.task);
  const facts = [
    ...numericFacts(leaves, text),
    ...textFacts(leaves, text),
    ...idFacts(leaves, text),
  ];
  const inTask = new Set(facts.filter((fact) => holdsFact(task, fact.text)));
  facts.sort((a, b) => Number(inTask.has(a)) - Number(inTask.has(b)) || compare(a, b));
  const chosen: string[] = [];
  for (const { text: fact } of facts) {
    if (chosen.length === MOST) break;
    if (!chosen.some((other) => plain(other).includes(plain(fact)))) chosen.push(fact);
  }
  return chosen;
}

function compare(a: Fact, b: Fact): number {
  return a.rank - b.rank || b.text.length - a.text.length || byCodeUnit(a.text, b.text);
}

type Leaf = string | number;

function leavesOf(result: ToolResult | undefined): Leaf[] {
  const leaves: Leaf[] = [];
  if (result !== undefined) collect(result.data, leaves, DEEPEST);
  return leaves;
}

function collect(value: Json | undefined, leaves: Leaf[], depth: number): void {
  if (typeof value === "number") leaves.push(value);
  else if (typeof value === "string") collectText(value, leaves, depth);
  else if (typeof value === "object" && value !== null && depth > 0) {
    for (const member of Object.values(value)) collect(member, leaves, depth - 1);
  }
}

/** Many tools answer JSON as text. */
function collectText(text: string, leaves: Leaf[], depth: number): void {
  if (/^\s*[[{]/.test(text) && depth > 1) {
    try {
      collect(JSON.parse(text) as Json, leaves, depth - 2);
      return;
    } catch {
      // It is a text that begins like JSON.
    }
  }
  leaves.push(text);
}

function numericFacts(leaves: readonly Leaf[], output: string): Fact[] {
  const known = new Set<number>();
  for (const leaf of leaves) {
    const value =
      typeof leaf === "number" ? leaf : /^-?\d+(?:\.\d+)?$/.test(leaf) ? Number(leaf) : NaN;
    if (Number.isFinite(value)) known.add(Math.abs(value));
  }
  return numberTokens(output)
    .filter((token) => digitsOf(token) > 1 && token.values.some((value) => known.has(value)))
    .map((token) => ({ text: token.text, rank: digitsOf(token) > 2 ? 1 : 3 }));
}

function digitsOf({ text }: NumberToken): number {
  return text.replaceAll(/\D/g, "").length;
}

/** Names and ids that stand in the output as they are in a result; a state ("closed") may be said in many ways. */
function textFacts(leaves: readonly Leaf[], output: string): Fact[] {
  const read = plain(output);
  const words = new Set(read.match(/[\p{L}\p{N}]+/gu));
  const facts: Fact[] = [];
  for (const leaf of new Set(leaves)) {
    if (typeof leaf !== "string" || leaf.length > LONGEST_FACT || leaf.length < 2) continue;
    const rank = rankOf(leaf);
    const first = /[\p{L}\p{N}]+/u.exec(plain(leaf))?.[0];
    if (rank === undefined || first === undefined || !words.has(first)) continue;
    const cased = rank === 2 ? output.includes(leaf) : true;
    if (cased && occursAsWord(read, plain(leaf))) facts.push({ text: leaf, rank });
  }
  return facts;
}

function rankOf(leaf: string): number | undefined {
  if (/^[\d\s.,+-]+$/.test(leaf)) return undefined;
  const words = leaf.trim().split(/\s+/);
  if (words.length > 4) return undefined;
  if (/\d/.test(leaf)) return leaf.length > 2 ? 0 : undefined;
  if (words.length > 1) return words.every((word) => !/^\p{Ll}/u.test(word)) ? 0 : undefined;
  if (/^\p{Lu}\p{Ll}{2,}/u.test(leaf) || /^\p{Lo}{2,}$/u.test(leaf)) return 2;
  return undefined;
}

/** Ids of the output that stand inside a result that is prose. */
function idFacts(leaves: readonly Leaf[], output: string): Fact[] {
  const prose = leaves.filter((leaf) => typeof leaf === "string" && rankOf(leaf) === undefined);
  if (prose.length === 0) return [];
  const text = plain(prose.join("\n").slice(0, 1_000_000));
  const ids = output.match(
    /(?<![\p{L}\p{N}])\p{L}[\p{L}\p{N}]*(?:[_#-]?\d[\p{L}\p{N}]*)+(?![\p{L}\p{N}])/gu,
  );
  return [...new Set(ids)]
    .filter((id) => id.length > 2 && occursAsWord(text, plain(id)))
    .map((id) => ({ text: id, rank: 0 }));
}
