import type { CheckKind } from "./check.ts";
import { holdsFact } from "../shared/fact.ts";
import { outputText, shown, textOf } from "./evidence.ts";

export const outputContains: CheckKind = {
  type: "output_contains",
  summary: "The output holds this text; a number also in another notation (1,200 is 1200.00).",
  on: "both",
  fields: { value: "string" },
  evaluate(check, { trace }) {
    const value = textOf(check["value"]);
    return {
      passed: trace.output !== undefined && holdsFact(outputText(trace.output), value),
      message: `${shown(value)} wanted in ${shown(trace.output)}`,
    };
  },
};
