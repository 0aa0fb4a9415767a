import type { Failure } from "../detector/detector.ts";
import type { Json } from "../shared/json.ts";
import type { Redactor } from "../shared/redact.ts";
import type { Step, ToolResult, Trace, TraceError } from "../trace/trace.ts";

/** A trace whose every value from the outside is redacted; what a recorder redacted already stays as it is. */
export function redactedTrace(trace: Trace, redactor: Redactor): Trace {
  const { output, outputSchema, expected } = trace;
  return {
    ...trace,
    task: redactor.value(trace.task),
    steps: trace.steps.map((step) => redactedStep(step, redactor)),
    ...(output === undefined ? {} : { output: redactor.value(output) }),
    ...(outputSchema === undefined ? {} : { outputSchema: redactor.value(outputSchema) }),
    ...(expected === undefined ? {} : { expected: redactor.value(expected) as typeof expected }),
    ...(trace.tools === undefined ? {} : { tools: trace.tools.map((name) => redactor.text(name)) }),
  };
}

export function redactedFailure(failure: Failure, redactor: Redactor): Failure {
  return {
    ...failure,
    message: redactor.text(failure.message),
    signature: redactor.text(failure.signature),
    ...(failure.tool === undefined ? {} : { tool: redactor.text(failure.tool) }),
  };
}

function redactedStep(step: Step, redactor: Redactor): Step {
  if (step.kind === "error") return { ...step, error: redactedError(step.error, redactor) };
  if (step.kind !== "tool") return { ...step, content: redactor.value(step.content) };
  const { result } = step;
  return {
    ...step,
    name: redactor.text(step.name),
    args: redactor.value(step.args),
    ...(result === undefined ? {} : { result: redactedResult(result, redactor) }),
  };
}

function redactedResult(result: ToolResult, redactor: Redactor): ToolResult {
  if (result.ok) return { ok: true, data: redactor.value(result.data) };
  const { data } = result;
  return {
    ok: false,
    error: redactedError(result.error, redactor),
    ...(data === undefined ? {} : { data: redactor.value(data) }),
  };
}

function redactedError(error: TraceError, redactor: Redactor): TraceError {
  const data: Json | undefined = error.data;
  return {
    ...error,
    message: redactor.text(error.message),
    ...(data === undefined ? {} : { data: redactor.value(data) }),
  };
}
