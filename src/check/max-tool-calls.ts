import type { CheckKind } from "./check.ts";
import { describeCalls } from "./evidence.ts";
import { callsOf, shownBy } from "./tools.ts";

export const maxToolCalls: CheckKind = {
  type: "max_tool_calls",
  summary: "The run makes at most this many tool calls.",
  on: "both",
  fields: { value: "number" },
  evaluate(check, subject) {
    const calls = callsOf(subject);
    const most = Number(check["value"]);
    return {
      passed: calls.length <= most,
      message: `at most ${most} allowed, ${describeCalls(calls)}`,
      // The calls within the budget prove nothing.
      ...shownBy(calls.slice(most), subject),
    };
  },
};
