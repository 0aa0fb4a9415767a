import { includes } from "./arguments.ts";
import type { CheckKind } from "./check.ts";
import { describeCalls, shown, toolSteps } from "./evidence.ts";

export const toolCalled: CheckKind = {
  type: "tool_called",
  summary: "The tool is called, with at least these arguments when they are given.",
  fields: { name: "string", args: "json" },
  optional: ["args"],
  evaluate(check, { trace }) {
    const { name, args } = check;
    const steps = toolSteps(trace);
    const called = steps.filter((step) => step.name === name);
    if (args === undefined || called.length === 0) {
      return { passed: called.length > 0, message: describeCalls(steps) };
    }
    return {
      passed: called.some((step) => includes(step.args, args)),
      message: `${shown(args)} wanted, called with ${called.map((step) => shown(step.args)).join(", ")}`,
    };
  },
};
