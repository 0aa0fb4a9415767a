import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { Score, TraceError, Usage } from "../trace/trace.ts";
import { unwrapped } from "./any-turns.ts";
import { usageOf } from "./content.ts";
import type { About, Gatherer, ImportedTrace, Importer, Late } from "./importer.ts";
import { epochMs } from "./instant.ts";
import { keyed } from "./keyed.ts";
import { maybe, objectIn, objectsIn, own, textIn } from "./member.ts";
import { attributeText } from "./otel-attributes.ts";
import { KINDS as OTEL_KINDS, NAMES } from "./otel-names.ts";
import type { Span, SpanKind } from "./span.ts";
import { spanTrace } from "./span-trace.ts";

const KINDS: ReadonlyMap<string, SpanKind> = new Map([
  ["GENERATION", "model"],
  ["TOOL", "tool"],
  ["RETRIEVER", "tool"],
  ["AGENT", "agent"],
  ["SPAN", "other"],
  ["CHAIN", "other"],
  ["EVENT", "other"],
  ["EVALUATOR", "other"],
  ["EMBEDDING", "other"],
  ["GUARDRAIL", "other"],
]);
/** Attributes that name a tool better than its span. */
const TOOL_NAMES = ["gen_ai.tool.name", "ai.toolCall.name"];
/** Names under which a person says whether a run was right; other scores are opinions, some of which are bad when high. */
const TRUTHS = /^(?:success|correct|correctness|passed|pass|resolved|reward|accuracy)$/i;

/** Langfuse: `{trace, observations}`, a trace with its `observations` inside, or observations alone, in a list or one a line. */
export const langfuse: Importer = {
  name: "langfuse",

  recognises(record: Json): boolean {
    if (Array.isArray(record)) {
      return record.length > 0 && record.every((item) => isObject(item) && isObservation(item));
    }
    if (!isObject(record)) return false;
    return isObservation(record) || isWhole(record);
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    if (isObject(record) && isWhole(record)) {
      const trace = own(record, "trace");
      const observations = objectsIn(record, "observations");
      return [traceOf(observations, isObject(trace) ? trace : record, about.agent)];
    }
    const all = Array.isArray(record)
      ? record.filter((item) => isObject(item))
      : isObject(record)
        ? [record]
        : [];
    const found = byTrace(
      all.map((one) => ({ one, record: about.record })),
      about.agent,
    ).map((late) => late.read());
    return keyed(found);
  },

  gather: ({ agent }): Gatherer => {
    const all: { one: JsonObject; record: number }[] = [];
    return {
      takes: (record) => isObject(record) && isObservation(record) && !isWhole(record),
      add: (record, about) => {
        if (isObject(record)) all.push({ one: record, record: about.record });
        return [];
      },
      end: () => byTrace(all, agent),
    };
  },
};

function isObservation(record: JsonObject): boolean {
  const started = Object.hasOwn(record, "startTime") || Object.hasOwn(record, "start_time");
  return KINDS.has(textIn(record, "type") ?? "") && started && traceIdOf(record) !== undefined;
}

function isWhole(record: JsonObject): boolean {
  const list = own(record, "observations");
  if (!Array.isArray(list)) return false;
  if (isObject(own(record, "trace"))) return true;
  return list.length > 0 && list.every((item) => isObject(item) && isObservation(item));
}

function traceIdOf(observation: JsonObject): string | undefined {
  return textIn(observation, "traceId") ?? textIn(observation, "trace_id");
}

function byTrace(
  all: readonly { one: JsonObject; record: number }[],
  agent: string,
): Exclude<Late, () => ImportedTrace>[] {
  const traces = new Map<string, { record: number; list: JsonObject[] }>();
  for (const { one, record } of all) {
    const id = traceIdOf(one) ?? "";
    const known = traces.get(id) ?? { record, list: [] };
    traces.set(id, known);
    known.list.push(one);
  }
  return [...traces].map(([id, { record, list }]) => ({
    record,
    read: () => traceOf(list, { id }, agent),
  }));
}

function traceOf(
  observations: readonly JsonObject[],
  trace: JsonObject,
  agent: string,
): ImportedTrace {
  const scores = [...objectsIn(trace, "scores")];
  const name = textIn(trace, "name");
  return spanTrace({
    format: "langfuse",
    spans: observations.map((one) => spanOf(one)),
    agent: name !== undefined && !/[\da-f]{8}-[\da-f]{4}|[\da-f]{16}/i.test(name) ? name : agent,
    agentVersion: textIn(trace, "version") ?? textIn(trace, "release"),
    input: told(trace, "input"),
    output: told(trace, "output"),
    score: scoreIn(scores),
    meta: {
      ...maybe("trace_id", textIn(trace, "id")),
      ...maybe("session", textIn(trace, "sessionId")),
      ...maybe("environment", textIn(trace, "environment")),
      ...(scores.length > 0 ? { scores: scores.map((score) => brief(score)) } : {}),
    },
  });
}

/** What a person said, or a program that was no model; what a model thinks of a run is no truth. */
function scoreIn(scores: readonly JsonObject[]): Score | undefined {
  for (const score of scores) {
    const name = textIn(score, "name") ?? "";
    const value = own(score, "value");
    if (textIn(score, "source") === "EVAL" || !TRUTHS.test(name)) continue;
    if (textIn(score, "dataType") === "BOOLEAN" && typeof value === "number") {
      return { name, value: value === 1, passed: value === 1 };
    }
    if (typeof value === "boolean") return { name, value, passed: value };
    if (typeof value === "number") return { name, value, best: 1, passed: value >= 1 };
  }
  return undefined;
}

function brief(score: JsonObject): JsonObject {
  const kept = ["name", "value", "stringValue", "source", "dataType", "comment"];
  return Object.fromEntries(
    kept.flatMap((key) => {
      const value = own(score, key);
      return value === undefined || value === null ? [] : [[key, value] as const];
    }),
  );
}

/** Contents are JSON inside a text, or twice so. */
function told(holder: JsonObject, key: string): Json | undefined {
  const value = unwrapped(own(holder, key) ?? null);
  return value === null || value === "" ? undefined : value;
}

function spanOf(one: JsonObject): Span {
  const type = textIn(one, "type") ?? "";
  const metadata = unwrapped(own(one, "metadata") ?? null);
  const attributes = isObject(metadata) ? { ...metadata, ...objectIn(metadata, "attributes") } : {};
  const kind = kindOf(type, attributes);
  const parent = textIn(one, "parentObservationId") ?? textIn(one, "parent_observation_id");
  const end = epochMs(own(one, "endTime") ?? own(one, "end_time"));
  const output = told(one, "output");
  const calls = kind === "model" && output === undefined ? callsOf(one) : [];
  const error = errorOf(one);
  const tools = toolNames(own(one, "toolDefinitions"));
  return {
    id: textIn(one, "id") ?? "",
    kind,
    name:
      (kind === "tool" ? attributeText(attributes, TOOL_NAMES) : undefined) ??
      textIn(one, "name") ??
      type,
    ...maybe("parent", parent),
    ...maybe("start", epochMs(own(one, "startTime") ?? own(one, "start_time"))),
    ...maybe("end", end),
    ...maybe("input", told(one, "input")),
    ...maybe("output", calls.length > 0 ? { role: "assistant", tool_calls: calls } : output),
    ...maybe("error", error),
    ...maybe(
      "callId",
      textIn(attributes, "gen_ai.tool.call.id") ?? textIn(attributes, "tool_call_id"),
    ),
    ...maybe("model", textIn(one, "model") ?? textIn(one, "providedModelName")),
    ...maybe("usage", usageIn(one)),
    ...(tools.length > 0 ? { tools } : {}),
    ...(end === undefined && output === undefined && error === undefined && type !== "EVENT"
      ? { open: true }
      : {}),
  };
}

/** Spans of older exports tell by their attributes that they are a tool or an agent. */
function kindOf(type: string, attributes: JsonObject): SpanKind {
  const kind = KINDS.get(type) ?? "other";
  if (kind !== "other") return kind;
  const told = attributeText(attributes, NAMES.kind)?.toLowerCase();
  const named = told === undefined ? undefined : OTEL_KINDS.get(told);
  return named === "tool" || named === "agent" ? named : "other";
}

function callsOf(one: JsonObject): Json[] {
  const calls = own(one, "toolCalls");
  const names = own(one, "toolCallNames");
  if (!Array.isArray(calls)) return [];
  return calls.flatMap((raw, place) => {
    const call = unwrapped(raw);
    const name = Array.isArray(names) ? (names[place] ?? null) : null;
    return isObject(call) ? [{ name, ...call }] : [];
  });
}

function errorOf(one: JsonObject): TraceError | undefined {
  if (textIn(one, "level") !== "ERROR") return undefined;
  return {
    message: textIn(one, "statusMessage") ?? "the observation has the level ERROR",
    source: "flag",
  };
}

function usageIn(one: JsonObject): Usage | undefined {
  const details = own(one, "usageDetails") ?? own(one, "usage");
  if (!isObject(details)) return undefined;
  return usageOf({
    ...details,
    ...maybe("input_tokens", own(details, "input_tokens") ?? own(details, "input")),
    ...maybe("output_tokens", own(details, "output_tokens") ?? own(details, "output")),
    ...maybe("total_tokens", own(details, "total_tokens") ?? own(details, "total")),
  });
}

/** A list of definitions, or an object of them by name. */
function toolNames(value: Json | undefined): string[] {
  const tools = unwrapped(value ?? null);
  if (Array.isArray(tools)) {
    return tools.flatMap((raw) => {
      const tool = unwrapped(raw);
      if (!isObject(tool)) return [];
      const inner = own(tool, "function");
      return textIn(isObject(inner) ? inner : tool, "name") ?? [];
    });
  }
  return isObject(tools) ? Object.keys(tools) : [];
}
