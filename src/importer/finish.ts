import { failure } from "../shared/error.ts";
import { sha256 } from "../shared/hash.ts";
import { isObject, type Json } from "../shared/json.ts";
import { child } from "../shared/pointer.ts";
import { redactorBy, type Redactor, type RedactRules } from "../shared/redact.ts";
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
export function finish(draft: Draft, rules: RedactRules): Trace {
  checkSteps(draft.steps.length);
  const seen = redacted(draft, redactorBy(rules));
  const trace = unnamed(seen) as Trace;
  trace.schemaVersion = TRACE_VERSION;
  trace.taskId = seen.taskId ?? taskIdOf(seen.task);
  trace.id = seen.id ?? traceIdOf(trace);
  check(trace);
  return trace;
}

/** A copy without its names, which come last. By hand: leaving members out of a spread is slow. */
function unnamed(draft: Draft): Omit<Draft, "id" | "taskId"> {
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(draft))
    if (key !== "id" && key !== "taskId") copy[key] = draft[key as keyof Draft];
  return copy as Omit<Draft, "id" | "taskId">;
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
  // One after the other, as the numbers of the placeholders go by the order in which the secrets are met.
  const id = draft.id === undefined ? undefined : hidden(draft.id, redactor);
  const taskId = draft.taskId === undefined ? undefined : hidden(draft.taskId, redactor);
  const task = redactor.value(draft.task);
  const steps = mapped(draft.steps, (step) => redactedStep(step, redactor));
  const output = draft.output === undefined ? undefined : redactor.value(draft.output);
  const { outputSchema: schema, expected: answer, tools: names } = draft;
  const outputSchema = schema === undefined ? undefined : redactor.value(schema);
  const expected = answer === undefined ? undefined : (redactor.value(answer) as typeof answer);
  const tools = names === undefined ? undefined : mapped(names, (name) => redactor.text(name));
  const meta = draft.meta === undefined ? undefined : redactedMeta(draft.meta, redactor);
  const hiding = { id, taskId, task, steps, output, outputSchema, expected, tools, meta };
  const changed = Object.entries(hiding).filter(
    ([key, value]) => value !== undefined && value !== draft[key as keyof Draft],
  );
  return changed.length === 0 ? draft : { ...draft, ...Object.fromEntries(changed) };
}

/** The very same list when nothing in it changes. */
function mapped<T>(items: T[], change: (item: T) => T): T[] {
  let copy: T[] | undefined;
  for (const [at, item] of items.entries()) {
    const changed = change(item);
    if (changed !== item) copy ??= items.slice(0, at);
    copy?.push(changed);
  }
  return copy ?? items;
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
