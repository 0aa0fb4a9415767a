import { oneLine } from "../shared/text.ts";
import type { Detector } from "./detector.ts";

/** What frameworks put in the place of an answer when an agent has no turn left: the whole text, short, in lower case. */
const STOPPED =
  /^\W*(?:(?:the )?(?:agent|run|execution|conversation|task)[^.\n]{0,40} (?:stopped|ended|terminated|aborted|halted)[^.\n]{0,40} (?:due to|because of|after)[^.\n]{0,60}(?:limit|max(?:imum)?\b|budget)|sorry,? (?:i )?need more steps|(?:the )?(?:max(?:imum)?|limit of|number of)[^.\n]{0,40}(?:iterations?|steps?|turns?|rounds?|tool calls?|recursions?)[^.\n]{0,30}(?:reached|exceeded|exhausted|used up)|(?:reached|exceeded|hit)(?: the)? (?:max(?:imum)?|limit)[^.\n]{0,40}(?:iterations?|steps?|turns?|rounds?|tool calls?|recursions?))/u;
const LONGEST = 240;

/** The agent had no turn left, though the run ended as any other. */
export const budgetExceeded: Detector = {
  kind: "budget_exceeded",
  detector: "rule",
  summary:
    "The answer is the framework's word that no step was left, or more tools were called than the run allowed. A run that was stopped is a timeout.",
  excusedWhenPassed: true,
  detect({ trace, calls, text, outputAt }) {
    if (trace.status === "error" || trace.status === "timeout") return [];
    const at = outputAt === undefined ? {} : { step: outputAt };
    const said = text.trim();
    if (said.length <= LONGEST && STOPPED.test(said.toLowerCase()))
      return [{ severity: "medium", message: `No step was left: ${oneLine(said, 120)}`, ...at }];
    const most = trace.limits?.toolCalls;
    const over = most === undefined ? undefined : calls[most];
    if (most === undefined || over === undefined) return [];
    const message = `${calls.length} tools were called; the budget is ${most}.`;
    return [{ severity: "medium", step: over.at, message }];
  },
};
