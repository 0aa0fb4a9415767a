import { clip } from "../shared/text.ts";
import { isAbsence } from "./absence.ts";
import type { Call } from "./calls.ts";
import type { Detector } from "./detector.ts";
import type { CallError } from "./soft-error.ts";
import type { TraceView } from "./view.ts";

/** A tool failed, and nothing made it good. */
export const toolError: Detector = {
  kind: "tool_error",
  detector: "rule",
  summary:
    "A tool call failed, by an error or by what its result says. Low when it was made good later, or when a deed that did not happen is reported honestly.",
  excusedWhenBlocked: true,
  detect(view) {
    return view.calls.flatMap((call) => {
      if (call.error === undefined) return [];
      const harmless = isExcused(call, call.error, view) || view.recovered.has(call);
      return [
        {
          severity: harmless ? ("low" as const) : ("medium" as const),
          step: call.at,
          tool: call.tool,
          message: clip(call.error.message, 500) || "The tool gave an error without a text.",
        },
      ];
    });
  },
};

/** Whoever asked to be told something and is told that it cannot be had has still got nothing; unless there is none. */
function isExcused(call: Call, error: CallError, { blocked, honest }: TraceView): boolean {
  return blocked || (honest && (call.effect !== "read" || isAbsence(error)));
}
