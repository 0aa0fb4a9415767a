import { clip } from "../shared/text.ts";
import type { Detector } from "./detector.ts";

/** A tool failed, and nothing made it good. */
export const toolError: Detector = {
  kind: "tool_error",
  detector: "rule",
  summary:
    "A tool call failed, by an error or by what its result says. Low when it was made good later or is reported honestly.",
  detect({ calls, recovered, honest }) {
    return calls.flatMap((call) =>
      call.error === undefined
        ? []
        : [
            {
              severity: honest || recovered.has(call) ? ("low" as const) : ("medium" as const),
              step: call.at,
              tool: call.tool,
              message: clip(call.error.message, 500) || "The tool gave an error without a text.",
            },
          ],
    );
  },
};
