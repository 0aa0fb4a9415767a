import { oneLine } from "../shared/text.ts";
import type { Detector } from "./detector.ts";

/** How services say that a filter of theirs cut the answer off. */
const FILTERED =
  /^(?:content[_-]?filter(?:ed)?|safety|prohibited[_-]?content|blocklist|spii|recitation)$/iu;
/** How they say that the model itself declined. */
const DECLINED = /^refusal$/iu;

/** The agent, or a filter before it, declined. */
export const refused: Detector = {
  kind: "refused",
  detector: "heuristic",
  summary:
    "A filter cut the answer off. Low where the agent itself declined for a policy, which may be right, and where no answer is left.",
  excusedWhenPassed: true,
  detect({ trace, answered, blocked, calls, outputAt, text, wording }) {
    if (trace.status === "error" || trace.status === "timeout") return [];
    const at = outputAt === undefined ? {} : { step: outputAt };
    const reason = trace.meta?.["finish_reason"];
    if (typeof reason === "string" && FILTERED.test(reason)) {
      const severity = answered && trace.score?.passed !== true ? ("medium" as const) : "low";
      return [
        { severity, message: `A filter cut the answer off (${oneLine(reason, 40)}).`, ...at },
      ];
    }
    const flagged = typeof reason === "string" && DECLINED.test(reason);
    if (!flagged && (blocked || !answered || calls.some((call) => call.worked))) return [];
    if (!flagged && !wording.refuses) return [];
    return [{ severity: "low", message: `The agent declined: ${oneLine(text, 120)}`, ...at }];
  },
};
