import { clip } from "../shared/text.ts";
import type { Trace } from "../trace/trace.ts";
import type { Detector } from "./detector.ts";

/** A budget of time or calls ran out, or the run took longer than it may. */
export const timeout: Detector = {
  kind: "timeout",
  detector: "rule",
  summary: "The run was stopped by its budget of time or tool calls, or took longer than it may.",
  excusedWhenPassed: true,
  detect({ trace }, { budgetMs }) {
    if (trace.status === "timeout") {
      const at = trace.steps.findLastIndex((step) => step.kind === "error");
      const step = trace.steps[at];
      const message =
        step?.kind === "error" ? step.error.message : "The run was stopped by its budget.";
      return [{ severity: "high", message: clip(message, 500), ...(at < 0 ? {} : { step: at }) }];
    }
    const budget = budgetMs ?? trace.limits?.ms;
    const took = durationOf(trace);
    if (budget === undefined || took === undefined || took <= budget) return [];
    return [
      { severity: "medium", message: `The run took ${took} ms; its budget is ${budget} ms.` },
    ];
  },
};

function durationOf({ durationMs, startedAt, endedAt }: Trace): number | undefined {
  if (durationMs !== undefined) return durationMs;
  return startedAt === undefined || endedAt === undefined ? undefined : endedAt - startedAt;
}
