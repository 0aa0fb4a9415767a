import { oneLine } from "../shared/text.ts";
import { includes } from "./arguments.ts";
import { brief } from "./brief.ts";
import type { CheckKind } from "./check.ts";
import { describeCalls, textOf } from "./evidence.ts";
import { trialOf } from "./place.ts";
import { manyCalls, shownBy, warningOf } from "./tools.ts";

export const requiredCall: CheckKind = {
  type: "required_call",
  summary: "The tool is asked at least once, with at least these arguments when they are given.",
  on: "trial",
  fields: { tool: "string", args: "json" },
  optional: ["args"],
  evaluate(check, subject) {
    const trial = trialOf(subject);
    const tool = textOf(check["tool"]);
    const { args } = check;
    const made = trial.calls.filter((call) => call.tool === tool);
    const fitting = args === undefined ? made : made.filter((call) => includes(call.args, args));
    const passed = fitting.length > 0;
    const name = oneLine(tool, 60);
    const wanted = args === undefined ? "one is expected" : `one with ${brief(args)} is expected`;
    const found =
      made.length === 0
        ? describeCalls(trial.calls)
        : made
            .map((call) => brief(call.args, 80))
            .slice(0, 5)
            .join(", ");
    return {
      passed,
      message: passed
        ? `${manyCalls(fitting.length)} of ${name}`
        : `${manyCalls(made.length)} of ${name} (${found}), and ${wanted}`,
      ...shownBy(passed ? fitting : made, subject),
      ...warningOf([tool], trial),
    };
  },
};
