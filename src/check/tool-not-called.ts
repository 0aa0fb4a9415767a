import type { CheckKind } from "./check.ts";
import { describeCalls, textOf } from "./evidence.ts";
import { callsOf, shownBy, warningOf } from "./tools.ts";

export const toolNotCalled: CheckKind = {
  type: "tool_not_called",
  summary: "The tool is never called; refused and failed attempts count as calls.",
  on: "both",
  fields: { name: "string" },
  evaluate(check, subject) {
    const name = textOf(check["name"]);
    const calls = callsOf(subject);
    const called = calls.filter(({ tool }) => tool === name);
    return {
      passed: called.length === 0,
      message: describeCalls(calls),
      ...shownBy(called, subject),
      ...warningOf([name], subject.trial),
    };
  },
};
