import { oneLine } from "../shared/text.ts";
import type { CheckKind } from "./check.ts";
import { textOf } from "./evidence.ts";
import { trialOf } from "./place.ts";
import { manyCalls, shownBy, warningOf } from "./tools.ts";

export const toolBudget: CheckKind = {
  type: "tool_budget",
  summary: "The tool is asked at most so many times, and at least so many; attempts count.",
  on: "trial",
  fields: { tool: "string", max: "number", min: "number" },
  optional: ["min"],
  problems: ({ max, min }) =>
    min !== undefined && Number(min) > Number(max)
      ? [{ field: "min", message: "is more than max, so nothing could pass; exchange them" }]
      : [],
  evaluate(check, subject) {
    const trial = trialOf(subject);
    const tool = textOf(check["tool"]);
    const [max, min] = [Number(check["max"]), Number(check["min"] ?? 0)];
    const made = trial.calls.filter((call) => call.tool === tool);
    const passed = made.length <= max && made.length >= min;
    const bounds = min > 0 ? `${min} to ${max}` : `at most ${max}`;
    const found = `${manyCalls(made.length)} of ${oneLine(tool, 60)}`;
    return {
      passed,
      message: passed ? found : `${found}, and ${bounds} are expected`,
      ...shownBy(made, subject),
      ...warningOf([tool], trial),
      actual: made.length,
      expected: made.length < min ? min : max,
    };
  },
};
