import { failure } from "../shared/error.ts";
import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { Score, Step, TraceStatus } from "../trace/trace.ts";
import { faultspoolStep } from "./faultspool-steps.ts";
import type { About, Draft, ImportedTrace, Importer } from "./importer.ts";
import { maybe, objectIn, own, textIn, textsIn } from "./member.ts";
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
    const draft: Draft = {
      ...identity(record, about),
      task: own(record, "input") ?? steps.find((step) => step.kind === "input")?.content ?? null,
      status,
      steps,
      ...time.members,
      ...maybe("output", outputOf(record, steps)),
      ...fromMeta(objectIn(record, "meta")),
    };
    return [{ draft, warnings: [...(moved ? [moved] : []), ...warnings, ...time.warnings] }];
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
  return {
    // "agent" is what it writes when nobody named one.
    agent: agent === undefined || agent === "agent" ? about.agent : agent,
    agentVersion:
      typeof version === "number" ? String(version) : (textIn(record, "agent_version") ?? "0"),
    source: "faultspool",
    ...maybe("id", textIn(record, "trace_id")),
    ...maybe("taskId", textIn(record, "task_id")),
  };
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

function timesOf(record: JsonObject): {
  members: Pick<Draft, "startedAt" | "endedAt" | "durationMs">;
  warnings: string[];
} {
  const startedAt = milliseconds(own(record, "started_at"));
  const endedAt = milliseconds(own(record, "ended_at"));
  const duration = startedAt === undefined || endedAt === undefined ? 0 : endedAt - startedAt;
  return {
    members: {
      ...maybe("startedAt", startedAt),
      ...maybe("endedAt", endedAt),
      ...maybe("durationMs", duration > 0 ? duration : undefined),
    },
    warnings: duration < 0 ? ["it ended before it started: its duration is left out"] : [],
  };
}

/** Epoch seconds as milliseconds; 0 stands for "not known" there. */
function milliseconds(seconds: Json | undefined): number | undefined {
  return typeof seconds === "number" && seconds > 0 ? Math.round(seconds * 1000) : undefined;
}

/** A null is an answer only when the agent logged it as its output: a trace without an output has the same null. */
function outputOf(record: JsonObject, steps: readonly Step[]): Json | undefined {
  return own(record, "output") ?? steps.findLast((step) => step.kind === "output")?.content;
}

function fromMeta(
  meta: JsonObject,
): Pick<Draft, "outputSchema" | "score" | "limits" | "tools" | "meta"> {
  const success = own(meta, "benchmark_success");
  const budget = own(meta, "budget_s");
  const score: Score | undefined =
    typeof success === "boolean"
      ? { name: "benchmark_success", value: success, passed: success }
      : undefined;
  const rest = Object.entries(meta).filter(([key]) => !MAPPED.has(key));
  return {
    ...maybe("outputSchema", own(meta, "output_schema") ?? undefined),
    ...maybe("score", score),
    ...maybe(
      "limits",
      typeof budget === "number" && budget >= 0 ? { ms: budget * 1000 } : undefined,
    ),
    ...maybe("tools", textsIn(meta, "tools")),
    ...maybe("meta", rest.length > 0 ? Object.fromEntries(rest) : undefined),
  };
}
