import { testPattern } from "../shared/pattern.ts";
import type { CheckKind } from "./check.ts";
import { outputText, shown, textOf } from "./evidence.ts";

export const outputMatches: CheckKind = {
  type: "output_matches",
  summary: "The output matches this regular expression somewhere; case counts.",
  on: "both",
  fields: { pattern: "pattern" },
  evaluate(check, { trace }) {
    const pattern = textOf(check["pattern"]);
    const tested = testPattern(pattern, outputText(trace.output));
    if ("error" in tested) return { passed: false, message: tested.error };
    return {
      passed: tested.matched && trace.output !== undefined,
      message: `${shown(pattern)} wanted in ${shown(trace.output)}`,
    };
  },
};
