import { clip } from "../shared/text.ts";
import { meets } from "../trace/expected.ts";
import type { Detector } from "./detector.ts";

/** The answer is known to be wrong. */
export const wrongAnswer: Detector = {
  kind: "wrong_answer",
  detector: "rule",
  summary: "A score says that the run failed, or the output is not the expected one.",
  detect({ trace, outputAt }) {
    const at = outputAt === undefined ? {} : { step: outputAt };
    if (trace.score?.passed === false) {
      const { name, value, best } = trace.score;
      const scale = best === undefined ? "" : ` of ${best}`;
      return [
        {
          severity: "high",
          message: clip(`The score ${name} is ${value}${scale}: not passed.`, 500),
          ...at,
        },
      ];
    }
    if (trace.expected === undefined || trace.output === undefined) return [];
    const { passed, message } = meets(trace.expected, trace.output);
    return passed ? [] : [{ severity: "high", message: clip(message, 500), ...at }];
  },
};
