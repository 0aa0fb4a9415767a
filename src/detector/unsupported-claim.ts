import { clip } from "../shared/text.ts";
import type { Call } from "./calls.ts";
import type { Detector, Finding } from "./detector.ts";
import { effectOfName } from "./names.ts";
import type { TraceView } from "./view.ts";

/** The answer says or implies that something was done which never worked. */
export const unsupportedClaim: Detector = {
  kind: "unsupported_claim",
  detector: "heuristic",
  summary:
    "The run ended with a good answer although a tool that was to change something never worked, or claims success after its last call failed.",
  excusedWhenBlocked: true,
  detect(view, { needed = [] }) {
    if (!view.answered || view.honest) return [];
    const { wording, outputAt } = view;
    if (wording.asks && !wording.claims) return [];
    const unworked = unsupported(view);
    if (unworked.size === 0) return neverCalled(view, needed);
    return [...unworked.values()].map((call) => ({
      severity: "high" as const,
      tool: call.tool,
      step: outputAt ?? call.at,
      message: clip(
        `The answer does not say that ${call.tool} failed: ${call.error?.message ?? "no error text"}`,
        500,
      ),
    }));
  },
};

/** Success is claimed, nothing was changed, and a tool that the task needs was not even called. */
function neverCalled(
  { calls, wording, outputAt }: TraceView,
  needed: readonly string[],
): readonly Finding[] {
  if (!wording.claims || calls.some((call) => call.effect === "write")) return [];
  return (
    needed
      .filter((tool) => !calls.some((call) => call.tool === tool))
      // What a tool only looks up, another one may know as well.
      .filter((tool) => effectOfName(tool) !== "read" || !calls.some((call) => call.worked))
      .map((tool) => neverCalledOnce(tool, outputAt))
  );
}

function neverCalledOnce(tool: string, step: number | undefined): Finding {
  const message = `The answer claims success, but ${clip(tool, 100)} was never called.`;
  return { severity: "high", tool, message, ...(step === undefined ? {} : { step }) };
}

/**
 * By tool, its last failed call that nothing made good. A writing tool needs no word of success in the answer: any answer
 * that does not report the failure stands for it, in every language. Another tool needs one, and its last call must be the failed one.
 */
function unsupported({ calls, lost, wording }: TraceView): Map<string, Call> {
  const last = new Map(calls.map((call) => [call.tool, call]));
  const failed = lost.filter(
    (call) =>
      call.effect === "write" ||
      (call.effect !== "note" && wording.claims && last.get(call.tool)?.error !== undefined),
  );
  return new Map(failed.map((call) => [call.tool, call]));
}
