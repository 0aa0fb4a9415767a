import type { CheckKind } from "./check.ts";
import { describeCalls, toolSteps } from "./evidence.ts";

export const maxToolCalls: CheckKind = {
  type: "max_tool_calls",
  summary: "The run makes at most this many tool calls.",
  fields: { value: "number" },
  evaluate(check, { trace }) {
    const steps = toolSteps(trace);
    return {
      passed: steps.length <= Number(check["value"]),
      message: `at most ${Number(check["value"])} allowed, ${describeCalls(steps)}`,
    };
  },
};
