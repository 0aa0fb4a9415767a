import type { CheckKind } from "./check.ts";
import { describeCalls, toolSteps } from "./evidence.ts";

export const toolNotCalled: CheckKind = {
  type: "tool_not_called",
  summary: "The tool is never called; refused and failed attempts count as calls.",
  fields: { name: "string" },
  evaluate(check, { trace }) {
    const steps = toolSteps(trace);
    return {
      passed: steps.every(({ name }) => name !== check["name"]),
      message: describeCalls(steps),
    };
  },
};
