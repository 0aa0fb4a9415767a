import type { Step, Trace } from "../trace/trace.ts";

/** How a run ends whose last part is not known. */
export type Ending =
  /** As far as it was seen. */
  | "open"
  /** With the most honest words: what is found even then does not depend on what would have followed. */
  | "honest"
  /** Stopped by its budget. */
  | "timeout";

/** The first steps of a trace, as a trace of its own; what its answer had to be means nothing there. */
export function prefixOf(trace: Trace, length: number, ending: Ending): Trace {
  const {
    output: _output,
    score: _score,
    expected: _expected,
    outputSchema: _schema,
    ...rest
  } = trace;
  const steps = trace.steps.slice(0, length).map((step) => unanswered(step));
  if (ending !== "honest") {
    return { ...rest, steps, status: ending === "timeout" ? "timeout" : "incomplete" };
  }
  const output = { status: "blocked", message: "The task was not done." };
  const last: Step = { kind: "output", index: steps.length, content: output };
  return { ...rest, steps: [...steps, last], status: "ok", output };
}

/** An answer that was given on the way is not the end of this run. */
function unanswered(step: Step): Step {
  if (step.kind !== "output") return step;
  const { index, content } = step;
  return { kind: "other", index, name: "output", content };
}
