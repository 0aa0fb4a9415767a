import type { Json } from "../shared/json.ts";
import { testPattern } from "../shared/pattern.ts";
import { oneLine } from "../shared/text.ts";
import { brief, kept } from "./brief.ts";
import type { Check, CheckKind, CheckProblem } from "./check.ts";
import { boundProblem, holds, wordsOf } from "./comparison.ts";
import { textOf } from "./evidence.ts";
import { named, pathOf, trialOf, wantedOf } from "./place.ts";
import { equal, valueAt } from "./pointer-path.ts";
import { manyCalls, shownBy, warningOf } from "./tools.ts";

export const argument: CheckKind = {
  type: "argument",
  summary:
    "In every call of the tool the argument at the path equals `expected`, compares to it, or matches `pattern`; holds when the tool is never called.",
  on: "trial",
  fields: {
    tool: "string",
    path: "pointer",
    expected: "json",
    comparison: "comparison",
    pattern: "pattern",
  },
  optional: ["expected", "comparison", "pattern"],
  problems,
  evaluate(check, subject) {
    const trial = trialOf(subject);
    const tool = textOf(check["tool"]);
    const path = pathOf(check);
    const made = trial.calls.filter((call) => call.tool === tool);
    const { test, wanted } = predicate(check);
    const offending = made.filter((call) => !test(valueAt(call.args, path)));
    const [first] = offending;
    const name = oneLine(tool, 60);
    const more = offending.length > 1 ? ` (and in ${offending.length - 1} more)` : "";
    const actual = first === undefined ? undefined : kept(valueAt(first.args, path));
    return {
      passed: first === undefined,
      message:
        first === undefined
          ? `${manyCalls(made.length)} of ${name}${made.length === 0 ? "" : `, each with ${wanted}`}`
          : `${named(path, "the arguments")} of ${name} is ${brief(valueAt(first.args, path))}${more}, and ${wanted} is expected`,
      ...shownBy(first === undefined ? made : offending, subject),
      ...warningOf([tool], trial),
      ...(actual === undefined ? {} : { actual }),
      ...(check["expected"] === undefined ? {} : { expected: check["expected"] }),
    };
  },
};

interface Predicate {
  readonly test: (value: Json | undefined) => boolean;
  readonly wanted: string;
}

function predicate(check: Check): Predicate {
  const { pattern, comparison } = check;
  if (pattern !== undefined) {
    const source = textOf(pattern);
    return { test: (value) => matches(source, value), wanted: `a match of ${brief(source)}` };
  }
  const expected = wantedOf(check);
  if (comparison === undefined) {
    return { test: (value) => equal(value, expected), wanted: brief(expected) };
  }
  const sign = textOf(comparison);
  return {
    test: (value) => holds(value, sign, expected) === true,
    wanted: `${wordsOf(sign)} ${brief(expected)}`,
  };
}

function matches(source: string, value: Json | undefined): boolean {
  if (typeof value !== "string") return false;
  const tested = testPattern(source, value);
  if ("error" in tested) throw new Error(`pattern: ${tested.error}`);
  return tested.matched;
}

function problems({ expected, comparison, pattern }: Check): readonly CheckProblem[] {
  const found: CheckProblem[] = [];
  if (pattern !== undefined && (expected !== undefined || comparison !== undefined)) {
    found.push({ field: "pattern", message: "stands beside expected; keep one of the two" });
  } else if (pattern === undefined && expected === undefined) {
    const message = `${comparison === undefined ? "asserts nothing" : "is missing"}: give expected${comparison === undefined ? " or pattern" : ""}`;
    found.push({ field: "expected", message });
  } else if (comparison !== undefined) {
    const bound = boundProblem(expected);
    if (bound !== undefined) found.push({ field: "expected", message: bound });
  }
  return found;
}
