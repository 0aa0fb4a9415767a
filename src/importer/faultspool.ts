import { failure } from "../shared/error.ts";
import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { Step, TraceStatus } from "../trace/trace.ts";
import { faultspoolStep } from "./faultspool-steps.ts";
import type { About, Draft, ImportedTrace, Importer } from "./importer.ts";
import { objectIn, own, textIn, textsIn } from "./member.ts";
import { inOrder } from "./order.ts";

/** Members of its meta that have a place of their own in our trace. */
const MAPPED = new Set(["output_schema", "benchmark_success", "budget_s", "tools"]);
const STATUSES: readonly TraceStatus[] = ["ok", "error", "timeout", "incomplete"];

/** Native traces of Faultspool: snake_case, times in seconds, `schema_version` "1". */
export const faultspool: Importer = {
  name: "faultspool",

  recognises(record: Json): boolean {
    if (!isObject(record) || Object.hasOwn(record, "schemaVersion")) return false;
    const steps = own(record, "steps");
    if (!Array.isArray(steps)) return false;
    const version = own(record, "schema_version");
    if (version !== undefined) return !(typeof version === "string" && version.startsWith("ATIF"));
    const kinds = steps.every((step) => isObject(step) && typeof own(step, "kind") === "string");
    return kinds && (steps.length > 0 || Object.hasOwn(record, "input"));
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    if (!isObject(record)) return [];
    checkVersion(own(record, "schema_version") ?? "1");
    const raw = own(record, "steps");
    const { items, moved } = inOrder(Array.isArray(raw) ? raw : [], "idx");
    const steps = items.map((step, index) => faultspoolStep(step, index));
    const { status, warnings } = statusOf(own(record, "status"));
    const time = timesOf(record);
    // One member after the other: many small objects spread into one are slow to make and to read.
    const draft = identity(record, about) as Draft;
    draft.task =
      own(record, "input") ?? steps.find((step) => step.kind === "input")?.content ?? null;
    draft.status = status;
    draft.steps = steps;
    if (time.startedAt !== undefined) draft.startedAt = time.startedAt;
    if (time.endedAt !== undefined) draft.endedAt = time.endedAt;
    if (time.duration > 0) draft.durationMs = time.duration;
    const output = outputOf(record, steps);
    if (output !== undefined) draft.output = output;
    addMeta(draft, objectIn(record, "meta"));
    const odd = time.duration < 0 ? [BACKWARDS] : [];
    return [{ draft, warnings: [...(moved ? [moved] : []), ...warnings, ...odd] }];
  },
};

function checkVersion(version: Json): void {
  if (version === "1" || version === 1) return;
  throw failure("E_RECORD_VERSION", {
    to: "read a faultspool trace",
    because: `its schema_version is ${JSON.stringify(version)}, and only "1" can be read`,
    fix: "Export it again with a version of the tool that writes schema_version 1",
  });
}

function identity(
  record: JsonObject,
  about: About,
): Pick<Draft, "agent" | "agentVersion" | "source" | "id" | "taskId"> {
  const agent = textIn(record, "agent");
  const version = own(record, "agent_version");
  const named: Pick<Draft, "agent" | "agentVersion" | "source" | "id" | "taskId"> = {
    // "agent" is what it writes when nobody named one.
    agent: agent === undefined || agent === "agent" ? about.agent : agent,
    agentVersion:
      typeof version === "number" ? String(version) : (textIn(record, "agent_version") ?? "0"),
    source: "faultspool",
  };
  const [id, taskId] = [textIn(record, "trace_id"), textIn(record, "task_id")];
  if (id !== undefined) named.id = id;
  if (taskId !== undefined) named.taskId = taskId;
  return named;
}

function statusOf(status: Json | undefined): { status: TraceStatus; warnings: string[] } {
  const known = STATUSES.find((each) => each === status);
  if (known !== undefined || status === undefined)
    return { status: known ?? "incomplete", warnings: [] };
  return {
    status: "incomplete",
    warnings: [`the status ${JSON.stringify(status)} is not known: read as incomplete`],
  };
}

const BACKWARDS = "it ended before it started: its duration is left out";

interface Times {
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  /** 0 when it is not known. */
  readonly duration: number;
}

function timesOf(record: JsonObject): Times {
  const startedAt = milliseconds(own(record, "started_at"));
  const endedAt = milliseconds(own(record, "ended_at"));
  const duration = startedAt === undefined || endedAt === undefined ? 0 : endedAt - startedAt;
  return { startedAt, endedAt, duration };
}

/** Epoch seconds as milliseconds; 0 stands for "not known" there. */
function milliseconds(seconds: Json | undefined): number | undefined {
  return typeof seconds === "number" && seconds > 0 ? Math.round(seconds * 1000) : undefined;
}

/** A null is an answer only when the agent logged it as its output: a trace without an output has the same null. */
function outputOf(record: JsonObject, steps: readonly Step[]): Json | undefined {
  return own(record, "output") ?? steps.findLast((step) => step.kind === "output")?.content;
}

function addMeta(draft: Draft, meta: JsonObject): void {
  const schema = own(meta, "output_schema") ?? undefined;
  if (schema !== undefined) draft.outputSchema = schema;
  const success = own(meta, "benchmark_success");
  if (typeof success === "boolean")
    draft.score = { name: "benchmark_success", value: success, passed: success };
  const budget = own(meta, "budget_s");
  if (typeof budget === "number" && budget >= 0) draft.limits = { ms: budget * 1000 };
  const tools = textsIn(meta, "tools");
  if (tools !== undefined) draft.tools = tools;
  const keys = Object.keys(meta);
  if (keys.length === 0) return;
  if (!keys.some((key) => MAPPED.has(key))) draft.meta = meta;
  else {
    const rest = Object.entries(meta).filter(([key]) => !MAPPED.has(key));
    if (rest.length > 0) draft.meta = Object.fromEntries(rest);
  }
}
