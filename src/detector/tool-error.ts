import { isObject } from "../shared/json.ts";
import { clip } from "../shared/text.ts";
import { isAbsence } from "./absence.ts";
import type { Call } from "./calls.ts";
import type { Detector } from "./detector.ts";
import { leavesOf } from "./leaves.ts";
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
      const harmless =
        isExcused(call, call.error, view) || view.recovered.has(call) || wasRight(call, view);
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

/** The run passed all the same, by ground truth, and did not end with this call. */
function wasRight(call: Call, { trace, calls }: TraceView): boolean {
  return trace.score?.passed === true && call !== calls.at(-1);
}

/** Whoever asked to be told something and is told that it cannot be had has still got nothing; unless there is none. */
function isExcused(call: Call, error: CallError, { blocked, honest }: TraceView): boolean {
  if (blocked || !honest) return blocked;
  return call.effect !== "read" || isAbsence(error) || isStateOfAsked(call);
}

/** Members by which a result speaks of the call, and not of what was looked up. */
const OF_THE_CALL = ["success", "ok", "isError", "is_error", "error", "errors", "$t"];

/** What was asked for is there, as it shows the very name or number that was given: the bad status is its own. */
function isStateOfAsked({ step: { args, result } }: Call): boolean {
  const data = result?.data;
  if (!isObject(data) || result?.ok !== true || typeof data["status"] !== "string") return false;
  if (OF_THE_CALL.some((name) => Object.hasOwn(data, name))) return false;
  const asked = new Set(leavesOf(args).map((leaf) => leaf.text));
  return Object.entries(data).some(
    ([name, value]) =>
      name !== "status" &&
      (typeof value === "string" || typeof value === "number") &&
      asked.has(String(value)),
  );
}
