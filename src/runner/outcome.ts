import { isVerdict, type Verdict } from "../check/verdict.ts";
import { isObject, type Json } from "../shared/json.ts";

/** What one test of a generated spec left in `task.meta.twiceshy`. */
export interface Outcome {
  readonly repro: string;
  readonly agent: string;
  readonly verdict: Verdict;
  readonly reason: string;
  readonly signatures: readonly string[];
  readonly red: boolean;
  readonly known: boolean;
  readonly regressed: boolean;
  readonly listed?: "unreviewed" | "improved" | "needs review";
  /** The baseline's sentence: why, and what to do. */
  readonly message: string;
}

/** What the runner's JSON report says about our tests. */
export interface RunnerReport {
  readonly outcomes: readonly Outcome[];
  /** Spec files and tests that failed without a verdict: they could not be imported, or crashed. */
  readonly broken: readonly { readonly where: string; readonly message: string }[];
}

/** Reads the report of Vitest's `json` reporter; everything that is not ours is left out. */
export function readReport(report: Json): RunnerReport {
  const outcomes: Outcome[] = [];
  const broken: { where: string; message: string }[] = [];
  for (const file of listIn(report, "testResults")) {
    const tests = listIn(file, "assertionResults");
    for (const test of tests) {
      const outcome = outcomeIn(test);
      if (outcome !== undefined) outcomes.push(outcome);
      else if (textIn(test, "status") === "failed") {
        broken.push({
          where: textIn(test, "title"),
          message: firstLine(listIn(test, "failureMessages")[0]),
        });
      }
    }
    const message = textIn(file, "message");
    if (tests.length === 0 && message !== "")
      broken.push({ where: textIn(file, "name"), message: firstLine(message) });
  }
  return { outcomes, broken };
}

function outcomeIn(test: Json): Outcome | undefined {
  const meta = isObject(test) ? test["meta"] : undefined;
  const kept = isObject(meta) ? meta["twiceshy"] : undefined;
  if (!isObject(kept) || !isVerdict(kept["verdict"]) || typeof kept["repro"] !== "string")
    return undefined;
  return kept as unknown as Outcome;
}

function listIn(value: Json, key: string): readonly Json[] {
  const list = isObject(value) ? value[key] : undefined;
  return Array.isArray(list) ? list : [];
}

function textIn(value: Json, key: string): string {
  const text = isObject(value) ? value[key] : undefined;
  return typeof text === "string" ? text : "";
}

function firstLine(text: Json | undefined): string {
  return typeof text === "string" ? (text.split("\n")[0] ?? "") : "";
}
