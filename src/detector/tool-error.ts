import { clip } from "../shared/text.ts";
import { isAbsence } from "./absence.ts";
import type { Call } from "./calls.ts";
import type { Detector } from "./detector.ts";
import type { CallError } from "./soft-error.ts";

/** A tool failed, and nothing made it good. */
export const toolError: Detector = {
  kind: "tool_error",
  detector: "rule",
  summary:
    "A tool call failed, by an error or by what its result says. Low when it was made good later, or when a deed that did not happen is reported honestly.",
  detect({ calls, recovered, honest, blocked }) {
    // Whoever asked to be told something and is told that it cannot be had has still got nothing; unless there is none.
    const excused = (call: Call, error: CallError): boolean =>
      blocked || (honest && (call.effect !== "read" || isAbsence(error)));
    return calls.flatMap((call) =>
      call.error === undefined
        ? []
        : [
            {
              severity:
                excused(call, call.error) || recovered.has(call)
                  ? ("low" as const)
                  : ("medium" as const),
              step: call.at,
              tool: call.tool,
              message: clip(call.error.message, 500) || "The tool gave an error without a text.",
            },
          ],
    );
  },
};
