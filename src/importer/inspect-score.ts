import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { Score } from "../trace/trace.ts";
import { maybe, objectIn, own } from "./member.ts";

/** Inspect's grades: correct, incorrect, partly correct, no answer; and the words that its scorers take for them. */
const GRADES: ReadonlyMap<string, number> = new Map([
  ["C", 1],
  ["I", 0],
  ["P", 0.5],
  ["N", 0],
  ["yes", 1],
  ["true", 1],
  ["no", 0],
  ["false", 0],
]);

/**
 * What the scorers said of a sample. The first score that is one value counts; all of them are kept. A value above 1 is on a
 * scale that the log does not tell, and is no verdict.
 */
export function inspectScores(sample: JsonObject): { score?: Score; scores: Json[] } {
  const named = Object.entries(objectIn(sample, "scores"));
  const single = own(sample, "score");
  const all: (readonly [string, Json])[] =
    named.length > 0 || !isObject(single) ? named : [["score", single]];
  const scores = all.map(([scorer, score]) => {
    const value = isObject(score) ? (own(score, "value") ?? null) : score;
    const answer = isObject(score) ? (own(score, "answer") ?? null) : null;
    return { scorer, value, answer };
  });
  const score = scores
    .map(({ scorer, value }) => scoreOf(scorer, value))
    .find((one) => one !== undefined);
  return { ...maybe("score", score), scores };
}

function scoreOf(name: string, value: Json): Score | undefined {
  if (typeof value === "boolean") return { name, value, passed: value };
  const grade =
    typeof value === "string" ? (GRADES.get(value) ?? GRADES.get(value.toLowerCase())) : value;
  if (typeof grade !== "number" || grade < 0 || grade > 1) return undefined;
  return { name, value: grade, best: 1, passed: grade >= 1 };
}
