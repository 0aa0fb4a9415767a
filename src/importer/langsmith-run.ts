import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { TraceError, Usage } from "../trace/trace.ts";
import { usageOf } from "./content.ts";
import { epochMs } from "./instant.ts";
import { maybe, objectIn, objectsIn, own, textIn } from "./member.ts";
import { pythonError } from "./python-error.ts";
import type { Span, SpanKind } from "./span.ts";

const KINDS: ReadonlyMap<string, SpanKind> = new Map([
  ["llm", "model"],
  ["tool", "tool"],
  ["retriever", "tool"],
]);
/** The id of a run; some recorders drop it from the second half, and then it ends the text by which runs are ordered. */
export function runId(run: JsonObject): string | undefined {
  return textIn(run, "id") ?? textIn(run, "dotted_order")?.split(".").at(-1)?.split("Z").at(-1);
}

/** The trace that a run belongs to; a run without any is one of its own. */
export function traceKey(run: JsonObject): string | undefined {
  const first = textIn(run, "dotted_order")?.split(".")[0]?.split("Z").at(-1);
  return textIn(run, "trace_id") ?? first;
}

/** Runs and the runs inside them, each with the id of the one around it. */
export function flattened(runs: readonly JsonObject[]): JsonObject[] {
  const found: JsonObject[] = [];
  const waiting = runs
    .map((run) => ({ run, parent: undefined as string | undefined }))
    .toReversed();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { run, parent } = next;
    const id = runId(run) ?? `unnamed ${found.length}`;
    const { child_runs: _inside, ...rest } = run;
    const above = parentOf(run) ?? parent;
    found.push({ ...rest, id, ...(above === undefined ? {} : { parent_run_id: above }) });
    const inside = objectsIn(run, "child_runs").map((child) => ({ run: child, parent: id }));
    for (const child of inside.toReversed()) waiting.push(child);
  }
  return found;
}

function parentOf(run: JsonObject): string | undefined {
  const all = own(run, "parent_run_ids");
  const last = Array.isArray(all) ? all.at(-1) : undefined;
  return textIn(run, "parent_run_id") ?? (typeof last === "string" ? last : undefined);
}

/** What the second half of a run tells wins, but what it leaves out or empty stays. */
export function merged(first: JsonObject, second: JsonObject): JsonObject {
  const told = Object.entries(second).filter(([, value]) => !isEmpty(value));
  return Object.fromEntries([...Object.entries(first), ...told]);
}

function isEmpty(value: Json): boolean {
  return value === null || (isObject(value) && Object.keys(value).length === 0);
}

/** One run as a span. */
export function spanOf(run: JsonObject): Span {
  const extra = objectIn(run, "extra");
  const metadata = objectIn(extra, "metadata");
  const parent = parentOf(run);
  const start = epochMs(own(run, "start_time"));
  const end = epochMs(own(run, "end_time"));
  const output = presentIn(run, "outputs");
  const error = errorOf(own(run, "error"));
  const type = textIn(run, "run_type") ?? "";
  const tools = offered(objectIn(extra, "invocation_params"));
  const open =
    textIn(run, "status") === "pending" ||
    (start !== undefined && end === undefined && output === undefined && error === undefined);
  return {
    id: runId(run) ?? "",
    kind: KINDS.get(type) ?? (parent === undefined ? "agent" : "other"),
    name: textIn(run, "name") ?? type,
    ...maybe("parent", parent),
    ...maybe("start", start),
    ...maybe("end", end),
    ...maybe("order", textIn(run, "dotted_order")),
    ...maybe("input", presentIn(run, "inputs")),
    ...maybe("output", output),
    ...maybe("error", error),
    ...maybe("callId", callId(run)),
    ...maybe("model", textIn(metadata, "ls_model_name")),
    ...maybe("usage", usageIn(run)),
    ...(tools.length > 0 ? { tools } : {}),
    ...(open ? { open } : {}),
  };
}

function presentIn(run: JsonObject, key: string): Json | undefined {
  const value = own(run, key);
  return value === undefined || isEmpty(value) ? undefined : value;
}

function errorOf(value: Json | undefined): TraceError | undefined {
  const text = isObject(value) ? textIn(value, "message") : value;
  return typeof text === "string" && text.trim() !== "" ? pythonError(text) : undefined;
}

function callId(run: JsonObject): string | undefined {
  const extra = objectIn(run, "extra");
  const outputs = objectIn(run, "outputs");
  const holders = [extra, objectIn(extra, "metadata"), objectIn(outputs, "output"), outputs];
  return holders.map((holder) => textIn(holder, "tool_call_id")).find((id) => id !== undefined);
}

function usageIn(run: JsonObject): Usage | undefined {
  const outputs = objectIn(run, "outputs");
  const told = [
    own(outputs, "usage_metadata"),
    own(outputs, "usage"),
    own(objectIn(outputs, "llm_output"), "token_usage"),
    run,
  ];
  return told
    .map((value) => usageOf(value))
    .find((usage) => usage !== undefined && Object.keys(usage).length > 0);
}

function offered(params: JsonObject): string[] {
  return [...objectsIn(params, "tools"), ...objectsIn(params, "functions")].flatMap((tool) => {
    const inner = own(tool, "function");
    return textIn(isObject(inner) ? inner : tool, "name") ?? [];
  });
}
