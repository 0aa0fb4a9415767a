import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { TraceError, Usage } from "../trace/trace.ts";
import { unwrapped } from "./any-turns.ts";
import { contentOf } from "./content.ts";
import { epochMs } from "./instant.ts";
import { maybe, objectIn, objectsIn, own, textIn } from "./member.ts";
import { attribute, attributeCount, attributeText, toolNamesIn } from "./otel-attributes.ts";
import { eventsOf, type SpanEvents } from "./otel-events.ts";
import { KINDS, NAMES } from "./otel-names.ts";
import type { Span, SpanKind } from "./span.ts";

/** A span as an exporter wrote it, with its attributes read. */
export interface RawSpan {
  readonly raw: JsonObject;
  readonly attributes: JsonObject;
  readonly trace: string;
  readonly service?: string | undefined;
}

const TRACE_IDS = ["traceId", "traceID", "trace_id"];
const SPAN_IDS = ["spanId", "spanID", "span_id", "id"];
const PARENTS = ["parentSpanId", "parentSpanID", "parent_span_id", "parentId", "parent_id"];
const STARTS = [
  "startTimeUnixNano",
  "start_time_unix_nano",
  "startTime",
  "start_time",
  "timestamp",
];
const ENDS = ["endTimeUnixNano", "end_time_unix_nano", "endTime", "end_time"];
const NAMELESS = /^0*$/;
/** The trace that a span names; undefined when it is none. */
export function traceOf(raw: JsonObject): string | undefined {
  return textAt(raw, TRACE_IDS) ?? textAt(objectIn(raw, "context"), TRACE_IDS);
}

export function spanIdOf(raw: JsonObject): string | undefined {
  return textAt(raw, SPAN_IDS) ?? textAt(objectIn(raw, "context"), SPAN_IDS);
}

/** A span by what it stands for. `place` names it when its own id is missing or nothing but zeros. */
export function otelSpan({ raw, attributes }: RawSpan, place: number): Span {
  const events = eventsOf(raw);
  const all = { ...events.attributes, ...attributes };
  const kind = kindOf(raw, all);
  const name = textIn(raw, "name") ?? textIn(raw, "operationName") ?? textIn(raw, "spanName") ?? "";
  const id = spanIdOf(raw);
  const parent = parentOf(raw);
  const start = epochMs(firstOf(raw, STARTS));
  const end = epochMs(firstOf(raw, ENDS)) ?? endOf(start, own(raw, "duration"));
  const error = kind === "other" ? undefined : errorOf(raw, all);
  const model = attributeText(all, NAMES.model);
  const tools = kind === "model" ? toolNamesIn(attribute(all, NAMES.toolsOffered)) : [];
  return {
    id: id === undefined || NAMELESS.test(id) ? `unnamed ${place}` : id,
    kind,
    name:
      kind === "tool"
        ? (attributeText(all, NAMES.toolName) ?? name.replace(/^execute_tool\s+/, ""))
        : name,
    ...maybe("parent", parent === undefined || NAMELESS.test(parent) ? undefined : parent),
    ...maybe("start", start),
    ...maybe("end", end),
    ...contentsOf(kind, all, events),
    ...maybe("error", error),
    ...(kind === "tool" ? maybe("callId", attributeText(all, NAMES.callId)) : {}),
    ...(kind === "model" ? maybe("model", model) : {}),
    ...(kind === "model" ? maybe("usage", usageOf(all)) : {}),
    ...maybe("system", systemOf(all)),
    ...(tools.length > 0 ? { tools } : {}),
    ...(start !== undefined && end === undefined ? { open: true } : {}),
  };
}

function kindOf(raw: JsonObject, attributes: JsonObject): SpanKind {
  for (const name of [
    ...NAMES.kind.map((key) => attributeText(attributes, [key])),
    textIn(raw, "span_kind"),
  ]) {
    const kind = name === undefined ? undefined : KINDS.get(name.toLowerCase());
    if (kind !== undefined) return kind;
  }
  if (attribute(attributes, ["gcp.vertex.agent.llm_response"]) !== undefined) return "model";
  const name = textIn(raw, "name") ?? textIn(raw, "operationName") ?? "";
  if (name.startsWith("execute_tool ")) return "tool";
  if (
    name.startsWith("invoke_agent") ||
    (name === "invocation" && attributeText(attributes, ["otel.scope.name"]) === "gcp.vertex.agent")
  )
    return "agent";
  const asked = attribute(attributes, ["gen_ai.request.model"]) !== undefined;
  return asked && attribute(attributes, NAMES.modelOutput) !== undefined ? "model" : "other";
}

function contentsOf(
  kind: SpanKind,
  attributes: JsonObject,
  events: SpanEvents,
): { input?: Json; output?: Json } {
  if (kind === "tool") {
    const input = attribute(attributes, NAMES.toolArguments);
    return {
      ...maybe("input", input),
      ...maybe("output", attribute(attributes, NAMES.toolResult)),
    };
  }
  if (kind === "model") {
    const input =
      attribute(attributes, NAMES.modelInput) ??
      (events.asked.length > 0 ? events.asked : undefined);
    return { ...maybe("input", input), ...maybe("output", answerOf(attributes, events)) };
  }
  return {
    ...maybe("input", attribute(attributes, NAMES.runInput)),
    ...maybe("output", attribute(attributes, NAMES.runOutput)),
  };
}

/** What a model answered, also when its text, its thoughts and its calls stand apart. */
function answerOf(attributes: JsonObject, events: SpanEvents): Json | undefined {
  const text = attribute(attributes, NAMES.responseText);
  const calls = unwrapped(attribute(attributes, NAMES.responseCalls) ?? null);
  const reasoning = attributeText(attributes, NAMES.responseReasoning);
  if (text !== undefined || Array.isArray(calls)) {
    return {
      role: "assistant",
      content: text ?? null,
      ...(Array.isArray(calls) ? { tool_calls: calls } : {}),
      ...maybe("reasoning", reasoning),
    };
  }
  return (
    attribute(attributes, NAMES.modelOutput) ??
    (events.answered.length > 0 ? events.answered : undefined)
  );
}

function errorOf(raw: JsonObject, attributes: JsonObject): TraceError | undefined {
  const status = objectIn(raw, "status");
  const code =
    own(status, "code") ??
    own(status, "status_code") ??
    own(raw, "status_code") ??
    attribute(attributes, NAMES.status);
  const bad =
    code === 2 ||
    code === true ||
    (typeof code === "string" && /^(?:STATUS_CODE_)?ERROR$|^2$|^true$/i.test(code));
  if (!bad) return undefined;
  const told =
    textIn(status, "message") ?? textIn(status, "description") ?? textIn(raw, "status_message");
  const name = attributeText(attributes, NAMES.errorType);
  return {
    ...maybe("name", name !== undefined && /^[\w.]{1,120}$/.test(name) ? name : undefined),
    message:
      told ?? attributeText(attributes, NAMES.statusMessage) ?? "the span has the status ERROR",
    source: "flag",
  };
}

function usageOf(attributes: JsonObject): Usage | undefined {
  const usage: Usage = {
    ...maybe("inputTokens", attributeCount(attributes, NAMES.inputTokens)),
    ...maybe("outputTokens", attributeCount(attributes, NAMES.outputTokens)),
    ...maybe("totalTokens", attributeCount(attributes, NAMES.totalTokens)),
  };
  return Object.keys(usage).length > 0 ? usage : undefined;
}

function systemOf(attributes: JsonObject): string | undefined {
  const value = unwrapped(attribute(attributes, NAMES.system) ?? null);
  if (value === null) return undefined;
  const parts = Array.isArray(value)
    ? value.map((part) =>
        isObject(part) ? (own(part, "content") ?? own(part, "text") ?? part) : part,
      )
    : value;
  const text = contentOf(parts);
  return typeof text === "string" ? text : JSON.stringify(text);
}

function parentOf(raw: JsonObject): string | undefined {
  const named = textAt(raw, PARENTS) ?? textAt(objectIn(raw, "parentSpanContext"), SPAN_IDS);
  const above = objectsIn(raw, "references").find(
    (one) => textIn(one, "refType") !== "FOLLOWS_FROM",
  );
  return named ?? (above === undefined ? undefined : textAt(above, SPAN_IDS));
}

/** Durations that stand alone are microseconds, as Jaeger and the console exporter write them. */
function endOf(start: number | undefined, duration: Json | undefined): number | undefined {
  return start !== undefined && typeof duration === "number" && duration >= 0
    ? start + duration / 1000
    : undefined;
}

function firstOf(object: JsonObject, keys: readonly string[]): Json | undefined {
  return keys.map((key) => own(object, key)).find((value) => value !== undefined && value !== null);
}

function textAt(object: JsonObject, keys: readonly string[]): string | undefined {
  return keys.map((key) => textIn(object, key)).find((text) => text !== undefined);
}
