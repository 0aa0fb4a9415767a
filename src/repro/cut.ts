import type { Failure } from "../detector/detector.ts";
import type { Trace } from "../trace/trace.ts";

/**
 * Index of the last step that a repro keeps: the first failing one, with the calls that were under way together with it.
 * Undefined, so everything is kept, when nothing fails or a real failure belongs to the whole trace.
 */
export function cutOf(trace: Trace, failures: readonly Failure[]): number | undefined {
  let first = Infinity;
  for (const { severity, step } of failures) {
    if (severity === "low") continue;
    if (step === undefined) return undefined;
    first = Math.min(first, step);
  }
  const step = trace.steps[first];
  if (step === undefined) return undefined;
  if (step.kind !== "tool" || step.batch === undefined) return first;
  return Math.max(first, ...batchOf(trace, step.batch));
}

function batchOf(trace: Trace, batch: number): number[] {
  return trace.steps.flatMap((step, index) =>
    step.kind === "tool" && step.batch === batch ? [index] : [],
  );
}
