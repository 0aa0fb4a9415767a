import { failure } from "../shared/error.ts";
import { sha256 } from "../shared/hash.ts";
import { isObject, type Json } from "../shared/json.ts";
import { child } from "../shared/pointer.ts";
import { createRedactor, type Redactor, type RedactOptions } from "../shared/redact.ts";
import { taskIdOf, traceIdOf } from "../trace/identity.ts";
import {
  TRACE_VERSION,
  traceSchema,
  type Step,
  type ToolResult,
  type ToolStep,
  type Trace,
  type TraceError,
} from "../trace/trace.ts";
import type { Draft } from "./importer.ts";
import { isPlainTrace } from "./plain-trace.ts";

/** Steps that one trace may have. */
const MAX_STEPS = 10_000;

/** A draft as a trace: redacted first, then with its ids, then checked. Throws what is wrong with the record. */
export function finish(draft: Draft, redact: RedactOptions): Trace {
  checkSteps(draft.steps.length);
  const { id, taskId, ...rest } = redacted(draft, createRedactor(redact));
  const unnamed = {
    ...rest,
    schemaVersion: TRACE_VERSION,
    taskId: taskId ?? taskIdOf(rest.task),
  } satisfies Omit<Trace, "id">;
  const trace: Trace = { ...unnamed, id: id ?? traceIdOf(unnamed) };
  check(trace);
  return trace;
}

/** Refuses a trace with more steps than one may have. */
export function checkSteps(count: number): void {
  if (count <= MAX_STEPS) return;
  throw failure("E_RECORD_STEPS", {
    to: "read the record",
    because: `it has ${count} steps and a trace may have ${MAX_STEPS}`,
    fix: "Cut the run into smaller ones",
  });
}

/** Refuses what is no trace of ours, with the place and the reason. */
export function check(value: unknown): void {
  if (isPlainTrace(value)) return;
  const parsed = traceSchema.safeParse(value);
  if (parsed.success) return;
  const issue = parsed.error.issues[0];
  const pointer = (issue?.path ?? []).reduce<string>((path, key) => child(path, String(key)), "");
  throw failure("E_RECORD_SCHEMA", {
    to: "read the record",
    because: `${pointer === "" ? "it" : pointer} ${lowerFirst(issue?.message ?? "is not as the schema wants it")}`,
    fix: "Correct the record or leave it out",
  });
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Every text that came from outside; numbers and kinds stay. */
function redacted(draft: Draft, redactor: Redactor): Draft {
  const { id, taskId, output, outputSchema, expected, meta, tools } = draft;
  return {
    ...draft,
    ...(id === undefined ? {} : { id: hidden(id, redactor) }),
    ...(taskId === undefined ? {} : { taskId: hidden(taskId, redactor) }),
    task: redactor.value(draft.task),
    steps: draft.steps.map((step) => redactedStep(step, redactor)),
    ...(output === undefined ? {} : { output: redactor.value(output) }),
    ...(outputSchema === undefined ? {} : { outputSchema: redactor.value(outputSchema) }),
    ...(expected === undefined
      ? {}
      : { expected: redactor.value(expected) as Exclude<Draft["expected"], undefined> }),
    ...(tools === undefined ? {} : { tools: tools.map((name) => redactor.text(name)) }),
    ...(meta === undefined ? {} : { meta: redactedMeta(meta, redactor) }),
  };
}

/** An id with a person or a secret in it must still tell runs and tasks apart, so a digest stands for it. */
function hidden(id: string, redactor: Redactor): string {
  return redactor.text(id) === id ? id : `redacted_${sha256(id, 16)}`;
}

function redactedMeta(meta: Record<string, Json>, redactor: Redactor): Record<string, Json> {
  const value = redactor.value(meta);
  return isObject(value) ? value : {};
}

/** The very same step when there is nothing to replace, as in most. */
function redactedStep(step: Step, redactor: Redactor): Step {
  if (step.kind === "error") {
    const error = redactedError(step.error, redactor);
    return error === step.error ? step : { ...step, error };
  }
  if (step.kind === "tool") return redactedCall(step, redactor);
  const content = redactor.value(step.content);
  if (step.kind === "other") {
    const name = redactor.text(step.name);
    return content === step.content && name === step.name ? step : { ...step, name, content };
  }
  const before = step.kind === "model" ? step.prompt : undefined;
  const prompt = before === undefined ? undefined : redactor.value(before);
  if (content === step.content && prompt === before) return step;
  return { ...step, content, ...(prompt === undefined ? {} : { prompt }) };
}

function redactedCall(step: ToolStep, redactor: Redactor): Step {
  const name = redactor.text(step.name);
  const args = redactor.value(step.args);
  const result = step.result && redactedResult(step.result, redactor);
  if (name === step.name && args === step.args && result === step.result) return step;
  return { ...step, name, args, ...(result === undefined ? {} : { result }) };
}

function redactedResult(result: ToolResult, redactor: Redactor): ToolResult {
  const data = result.data === undefined ? undefined : redactor.value(result.data);
  if (result.ok) return data === result.data ? result : { ok: true, data: data ?? null };
  const error = redactedError(result.error, redactor);
  if (error === result.error && data === result.data) return result;
  return { ok: false, error, ...(data === undefined ? {} : { data }) };
}

function redactedError(error: TraceError, redactor: Redactor): TraceError {
  const message = redactor.text(error.message);
  const data = error.data === undefined ? undefined : redactor.value(error.data);
  if (message === error.message && data === error.data) return error;
  return { ...error, message, ...(data === undefined ? {} : { data }) };
}
