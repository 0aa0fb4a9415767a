import { failure } from "../shared/error.ts";
import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { About, Gatherer, ImportedTrace, Importer, Late } from "./importer.ts";
import { keyed } from "./keyed.ts";
import { maybe, objectIn, objectsIn, own, textIn } from "./member.ts";
import { attributesIn, attributeText } from "./otel-attributes.ts";
import { KINDS, MARKS, NAMES } from "./otel-names.ts";
import { otelSpan, spanIdOf, traceOf, type RawSpan } from "./otel-span.ts";
import { spanTrace } from "./span-trace.ts";

/**
 * OpenTelemetry: OTLP JSON (`resourceSpans`), the exports of Tempo (`batches`) and Jaeger (`data`), the spans of console exporters and
 * of Phoenix, one a line or in a list, and single spans or their attributes alone. Names are read through `otel-names.ts`.
 */
export const otel: Importer = {
  name: "opentelemetry",

  recognises(record: Json): boolean {
    if (Array.isArray(record))
      return record.length > 0 && record.every((item) => isObject(item) && isRawSpan(item));
    if (!isObject(record)) return false;
    return (
      groupsIn(record) !== undefined ||
      jaegerIn(record) !== undefined ||
      isRawSpan(record) ||
      isAlone(record)
    );
  },

  read(record: Json, about: About): readonly ImportedTrace[] {
    const found = byTrace(
      spansIn(record).map((span) => ({ span, record: about.record })),
      about.agent,
    ).map((late) => late.read());
    return keyed(found);
  },

  gather: ({ agent }): Gatherer => {
    const all: { span: RawSpan; record: number }[] = [];
    return {
      // A trace is spread over the lines of an exporter; a list holds whole ones.
      takes: (record) => isObject(record) && !isAlone(record) && jaegerIn(record) === undefined,
      add: (record, about) => {
        for (const span of spansIn(record)) all.push({ span, record: about.record });
        return [];
      },
      end: () => byTrace(all, agent),
    };
  },
};

/** The groups of OTLP, under the names of its releases and of Tempo. */
function groupsIn(record: JsonObject): JsonObject[] | undefined {
  const holder =
    isObject(own(record, "trace")) && !Object.hasOwn(record, "observations")
      ? objectIn(record, "trace")
      : record;
  for (const key of ["resourceSpans", "resource_spans", "batches"]) {
    if (Array.isArray(own(holder, key))) return objectsIn(holder, key);
  }
  return undefined;
}

/** The traces of a Jaeger export. */
function jaegerIn(record: JsonObject): JsonObject[] | undefined {
  const traces = Object.hasOwn(record, "processes") ? [record] : objectsIn(record, "data");
  const whole =
    traces.length > 0 &&
    traces.every(
      (trace) => Array.isArray(own(trace, "spans")) && isObject(own(trace, "processes")),
    );
  return whole ? traces : undefined;
}

/** A span that names its trace, itself and its attributes. */
function isRawSpan(record: JsonObject): boolean {
  const named = Object.hasOwn(record, "name") || Object.hasOwn(record, "operationName");
  const held = own(record, "attributes");
  return (
    named &&
    typeof held === "object" &&
    held !== null &&
    traceOf(record) !== undefined &&
    spanIdOf(record) !== undefined
  );
}

/** One span without its trace, or nothing but its attributes. */
function isAlone(record: JsonObject): boolean {
  if (isRawSpan(record)) return false;
  if (isObject(own(record, "attributes"))) {
    const named = Object.hasOwn(record, "spanName") || Object.hasOwn(record, "name");
    return named && isMarked(objectIn(record, "attributes"));
  }
  return isMarked(record);
}

function isMarked(attributes: JsonObject): boolean {
  return Object.keys(attributes).some((key) => MARKS.some((mark) => key.startsWith(mark)));
}

function spansIn(record: Json): RawSpan[] {
  if (Array.isArray(record))
    return record.filter((item) => isObject(item)).map((raw) => rawSpan(raw));
  if (!isObject(record)) return [];
  const groups = groupsIn(record);
  if (groups !== undefined) return groups.flatMap((group) => groupSpans(group));
  const jaeger = jaegerIn(record);
  if (jaeger !== undefined) return jaeger.flatMap((trace) => jaegerSpans(trace));
  if (isRawSpan(record)) return [rawSpan(record)];
  const inner = isObject(own(record, "attributes"));
  return [
    {
      raw: inner ? record : {},
      attributes: inner ? attributesIn(record) : attributesIn({ all: record }, "all"),
      trace: "",
    },
  ];
}

function rawSpan(raw: JsonObject): RawSpan {
  const service = serviceOf(attributesIn(objectIn(raw, "resource")));
  return {
    raw,
    attributes: attributesIn(raw),
    trace: traceOf(raw) ?? "",
    ...maybe("service", service),
  };
}

function groupSpans(group: JsonObject): RawSpan[] {
  const service = serviceOf(attributesIn(objectIn(group, "resource")));
  const scopes = ["scopeSpans", "scope_spans", "instrumentationLibrarySpans"].flatMap((key) =>
    objectsIn(group, key),
  );
  return scopes.flatMap((scope) => {
    const scopeName = textIn(objectIn(scope, "scope"), "name") ?? null;
    return objectsIn(scope, "spans").map((raw) => ({
      raw,
      attributes: { "otel.scope.name": scopeName, ...attributesIn(raw) },
      trace: traceOf(raw) ?? "",
      service,
    }));
  });
}

function jaegerSpans(trace: JsonObject): RawSpan[] {
  const processes = objectIn(trace, "processes");
  return objectsIn(trace, "spans").map((raw) => {
    const process = textIn(raw, "processID");
    const service =
      process === undefined ? undefined : textIn(objectIn(processes, process), "serviceName");
    return {
      raw,
      attributes: attributesIn(raw, "tags"),
      trace: traceOf(raw) ?? textIn(trace, "traceID") ?? "",
      service,
    };
  });
}

function serviceOf(resource: JsonObject): string | undefined {
  const name = textIn(resource, "service.name");
  return name?.startsWith("unknown_service") === true ? undefined : name;
}

/** Spans by trace. Traces of mere infrastructure are left out, unless nothing else is there. */
function byTrace(
  all: readonly { span: RawSpan; record: number }[],
  agent: string,
): Exclude<Late, () => ImportedTrace>[] {
  const traces = new Map<string, { record: number; spans: RawSpan[] }>();
  for (const { span, record } of all) {
    const known = traces.get(span.trace) ?? { record, spans: [] };
    traces.set(span.trace, known);
    known.spans.push(span);
  }
  const told = [...traces].filter(([, { spans }]) =>
    spans.some((span, place) => otelSpan(span, place).kind !== "other"),
  );
  if (told.length > 0)
    return told.map(([id, { record, spans }]) => ({
      record,
      read: () => traceFrom(id, spans, agent),
    }));
  const [first] = traces.values();
  return first === undefined
    ? []
    : [
        {
          record: first.record,
          read: () => {
            throw infrastructure(all.length);
          },
        },
      ];
}

function traceFrom(id: string, spans: readonly RawSpan[], agent: string): ImportedTrace {
  const named = spans
    .map(({ attributes }) => attributeText(attributes, NAMES.agentName))
    .find((name) => name !== undefined);
  const marked = spans.find(({ attributes }) =>
    KINDS.has((attributeText(attributes, NAMES.kind) ?? "").toLowerCase()),
  );
  const service = marked?.service ?? spans.find((span) => span.service !== undefined)?.service;
  const session = spans
    .map(({ attributes }) => attributeText(attributes, NAMES.session))
    .find((text) => text !== undefined);
  return spanTrace({
    format: "opentelemetry",
    spans: spans.map((span, place) => otelSpan(span, place)),
    agent: named ?? service ?? agent,
    meta: {
      ...(/^0*$/.test(id) ? {} : { trace_id: id }),
      ...maybe("session", session),
      ...maybe("service", service),
    },
  });
}

function infrastructure(count: number): Error {
  return failure("E_RECORD_EMPTY", {
    to: "read a trace of opentelemetry",
    because: `none of its ${count} spans is of an agent, a model or a tool`,
    fix: "Export the spans of the agent too, or leave the file out",
  });
}
