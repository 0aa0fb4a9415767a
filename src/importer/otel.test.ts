import { expect, test } from "vitest";
import { outcomes, readRecords, toolsOf, traceFrom, tracesIn } from "../testing/trace-files.ts";
import {
  fixture,
  fixtureTrace,
  NO_SHARED,
  SHARED,
  WHY_NO_SHARED,
} from "../testing/trace-fixtures.ts";
import { readTraces } from "./importer.ts";
import { NAMES } from "./otel-names.ts";

test("a trace over several lines of OTLP is one, with parallel calls and an error span for a failed one", () => {
  const trace = fixtureTrace("opentelemetry/otlp.jsonl");
  expect(trace).toMatchObject({
    source: "opentelemetry",
    agent: "weather",
    task: "What is the weather in Oslo?",
    output: "It is -3 degrees in Oslo; I could not read the alerts.",
    status: "ok",
    startedAt: 1772359200000,
    durationMs: 5000,
    usage: { inputTokens: 32, outputTokens: 9 },
    meta: { system: "Be brief.", session: "conv-1", service: "desk" },
  });
  expect(toolsOf(trace)).toMatchObject([
    {
      id: "w1",
      name: "get_weather",
      args: { city: "Oslo" },
      batch: 1,
      result: { ok: true, data: "cold, -3 degrees" },
    },
    {
      id: "w2",
      name: "get_alerts",
      batch: 1,
      result: {
        ok: false,
        error: { name: "ConnectionError", message: "service is down", source: "flag" },
      },
    },
  ]);
});

test.each([
  { file: "openinference.json", task: "Add 2 and 3.", output: "The sum is 5.", call: "add" },
  { file: "vercel-ai.json", task: "Greet Ada.", output: "Hello, dear Ada!", call: "nickname" },
  {
    file: "jaeger.json",
    task: "List the lamps.",
    output: "There are two lamps: desk and hall.",
    call: "list_lamps",
  },
  { file: "single.json", task: "Is it late?", output: "Yes, it is 23:50.", call: "clock" },
])("the names of $file mean the same", ({ file, task, output, call }) => {
  const trace = fixtureTrace(`opentelemetry/${file}`);
  expect(trace).toMatchObject({ task, output, status: "ok" });
  expect(toolsOf(trace).map(({ name }) => name)).toEqual([call]);
  expect(toolsOf(trace).every(({ result }) => result?.ok === true)).toBe(true);
  expect(trace.steps.filter(({ kind }) => kind === "model").length).toBe(1);
});

test("a model call that is told by the framework and by its client is counted once", () => {
  expect(fixtureTrace("opentelemetry/jaeger.json").usage).toEqual({
    inputTokens: 8,
    outputTokens: 2,
  });
});

test("messages in events are read, and an exception in one is the error of the run", () => {
  const items = fixture("opentelemetry/events.jsonl");
  const [good, bad] = tracesIn(items);
  expect(good).toMatchObject({ agent: "pinger", task: "Ping?", output: "Pong.", status: "ok" });
  expect(bad).toMatchObject({ task: "Ping?", status: "error" });
  expect(bad?.steps.at(-1)).toMatchObject({
    kind: "error",
    error: { name: "RateLimitError", message: "too many requests" },
  });
});

test("spans of mere infrastructure are refused with their number when no agent is among them", () => {
  const span = {
    name: "GET",
    context: { trace_id: "t", span_id: "s" },
    attributes: { "http.method": "GET" },
    start_time: "2026-03-01T10:00:00Z",
  };
  const [item] = readRecords(span);
  expect(item).toMatchObject({
    error: {
      code: "E_RECORD_EMPTY",
      message: expect.stringContaining(
        "none of its 1 spans is of an agent, a model or a tool",
      ) as string,
    },
  });
});

test("a trace whose contents were not exported keeps its shape and says so", () => {
  const trace = traceFrom({
    name: "chat",
    context: { trace_id: "t", span_id: "s" },
    attributes: { "gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 5 },
    start_time: "2026-03-01T10:00:00Z",
    end_time: "2026-03-01T10:00:01Z",
  });
  expect(trace).toMatchObject({
    truncated: "content_not_exported",
    usage: { inputTokens: 5 },
    durationMs: 1000,
  });
});

test("each meaning has names, and no name stands twice for one meaning", () => {
  for (const names of Object.values(NAMES)) {
    expect(names.length).toBeGreaterThan(0);
    expect(new Set(names).size).toBe(names.length);
  }
});

test("every public export and single span is read, but for the one without an agent, which is named", ({
  skip,
}) => {
  skip(NO_SHARED, WHY_NO_SHARED);
  const folders = ["otel-export", "otel-single-span", "otlp-json"];
  const items = [...readTraces(folders.map((folder) => `${SHARED}/${folder}`))];
  expect(outcomes(items).filter((outcome) => outcome !== "trace")).toEqual(["E_RECORD_EMPTY"]);
  const spans = tracesIn(items).filter(({ source }) => source === "opentelemetry");
  expect(spans.length).toBe(10);
  const named = (agent: string) =>
    spans
      .filter((trace) => trace.agent === agent)
      .map((trace) => toolsOf(trace).map(({ name }) => name));
  expect(named("helm_agent")).toEqual([["helm_list_releases"], ["helm_list_releases"]]);
  expect(named("k8s_agent")).toEqual([[]]);
});
