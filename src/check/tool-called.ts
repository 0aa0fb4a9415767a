import { includes } from "./arguments.ts";
import type { CheckKind } from "./check.ts";
import { describeCalls, shown, textOf } from "./evidence.ts";
import { callsOf, shownBy, warningOf } from "./tools.ts";

export const toolCalled: CheckKind = {
  type: "tool_called",
  summary: "The tool is called, with at least these arguments when they are given.",
  on: "both",
  fields: { name: "string", args: "json" },
  optional: ["args"],
  evaluate(check, subject) {
    const name = textOf(check["name"]);
    const { args } = check;
    const calls = callsOf(subject);
    const called = calls.filter(({ tool }) => tool === name);
    const warning = warningOf([name], subject.trial);
    if (args === undefined || called.length === 0) {
      const message = describeCalls(calls);
      return { passed: called.length > 0, message, ...shownBy(called, subject), ...warning };
    }
    const fitting = called.filter((call) => includes(call.args, args));
    return {
      passed: fitting.length > 0,
      message: `${shown(args)} wanted, called with ${called.map((call) => shown(call.args)).join(", ")}`,
      ...shownBy(fitting.length > 0 ? fitting : called, subject),
      ...warning,
    };
  },
};
