import { expect, test } from "vitest";
import { itemFrom, outcomes, readRecords, toolsOf, traceFrom } from "../testing/trace-files.ts";

const base = {
  input: { q: "Where is order 7?" },
  steps: [] as unknown[],
  output: null as unknown,
  status: "ok",
  trace_id: "tr_0123456789ab",
  task_id: null as unknown,
  agent: "bench",
  agent_version: "1",
  source: "live",
  started_at: 1_700_000_000.5,
  ended_at: 1_700_000_002,
  meta: {} as unknown,
  schema_version: "1",
};

test("a native trace is read with its ids, times in milliseconds and steps", () => {
  const trace = traceFrom({
    ...base,
    task_id: "task_x",
    output: "Sent.",
    steps: [
      { idx: 0, kind: "input", ts: 1_700_000_000.5, content: base.input },
      { idx: 1, kind: "reasoning", ts: 1_700_000_000.75, content: "I look." },
      {
        idx: 2,
        kind: "llm",
        ts: 0,
        name: "m1",
        content: "get",
        meta: { prompt: "p", usage: { prompt_tokens: 3 } },
      },
      {
        idx: 3,
        kind: "tool",
        name: "get",
        args: { id: 7 },
        content: { state: "sent" },
        duration_ms: 12.5,
        meta: { params: ["id"] },
      },
      { idx: 4, kind: "tool", name: "log", error: "RuntimeError: HTTP 503" },
      { idx: 5, kind: "output", content: "Sent." },
    ],
    meta: {
      tools: ["get", "log"],
      output_schema: { type: "string" },
      benchmark_success: false,
      budget_s: 1.5,
      cause: "c7",
    },
  });
  expect(trace).toEqual({
    schemaVersion: "twiceshy.trace/1",
    id: "tr_0123456789ab",
    taskId: "task_x",
    task: { q: "Where is order 7?" },
    agent: "bench",
    agentVersion: "1",
    source: "faultspool",
    status: "ok",
    startedAt: 1_700_000_000_500,
    endedAt: 1_700_000_002_000,
    durationMs: 1500,
    output: "Sent.",
    tools: ["get", "log"],
    outputSchema: { type: "string" },
    score: { name: "benchmark_success", value: false, passed: false },
    limits: { ms: 1500 },
    meta: { cause: "c7" },
    steps: [
      { index: 0, kind: "input", at: 1_700_000_000_500, content: { q: "Where is order 7?" } },
      { index: 1, kind: "reasoning", at: 1_700_000_000_750, content: "I look." },
      {
        index: 2,
        kind: "model",
        name: "m1",
        content: "get",
        prompt: "p",
        usage: { inputTokens: 3 },
      },
      {
        index: 3,
        kind: "tool",
        name: "get",
        args: { id: 7 },
        params: ["id"],
        result: { ok: true, data: { state: "sent" } },
        durationMs: 12.5,
      },
      {
        index: 4,
        kind: "tool",
        name: "log",
        args: {},
        result: { ok: false, error: { name: "RuntimeError", message: "HTTP 503" } },
      },
      { index: 5, kind: "output", content: "Sent." },
    ],
  });
});

test("without ids the task gives the task id and the content gives the trace id", () => {
  const { trace_id: _id, ...unnamed } = base;
  const [a, b] = [traceFrom(unnamed), traceFrom({ ...unnamed, status: "error" })];
  expect(a.taskId).toBe(b.taskId);
  expect(a.id).not.toBe(b.id);
  expect(traceFrom(unnamed).id).toBe(a.id);
});

test("a step of an unknown kind is kept as other, with all that it holds", () => {
  const trace = traceFrom({
    ...base,
    steps: [{ idx: 0, kind: "retriever", name: "docs", content: ["d1"], meta: { k: 3 } }],
  });
  expect(trace.steps).toEqual([
    {
      index: 0,
      kind: "other",
      name: "retriever",
      content: { name: "docs", content: ["d1"], meta: { k: 3 } },
    },
  ]);
});

test("arguments that were recorded as a list are named by their position", () => {
  const trace = traceFrom({
    ...base,
    steps: [
      { idx: 0, kind: "tool", name: "create_file", args: ["a.txt", 1], content: true },
      { idx: 1, kind: "tool", name: "delete_file", args: ["a.txt"], content: true },
    ],
  });
  expect(toolsOf(trace).map(({ args }) => args)).toEqual([{ _0: "a.txt", _1: 1 }, { _0: "a.txt" }]);
});

test("a tool step with neither content nor error is answered with null", () => {
  expect(
    toolsOf(traceFrom({ ...base, steps: [{ idx: 0, kind: "tool", name: "t" }] }))[0]?.result,
  ).toEqual({ ok: true, data: null });
});

test("an error over MCP is a flag of the result and no thrown error", () => {
  const step = {
    idx: 0,
    kind: "tool",
    name: "t",
    error: "Rate: limit",
    meta: { transport: "mcp" },
  };
  expect(toolsOf(traceFrom({ ...base, steps: [step] }))[0]?.result).toEqual({
    ok: false,
    error: { message: "Rate: limit", source: "flag" },
  });
});

test("steps with gaps, doubles and times that go backwards are ordered by idx, with a warning", () => {
  const { trace, warnings } = itemFrom({
    ...base,
    started_at: 1_700_000_009,
    ended_at: 1_700_000_001,
    steps: [
      { idx: 9, kind: "output", ts: 5, content: "last" },
      { idx: 2, kind: "reasoning", ts: 9, content: "b" },
      { idx: 0, kind: "input", ts: 8, content: "a" },
      { idx: 2, kind: "reasoning", ts: 7, content: "c" },
    ],
  });
  expect(trace.steps.map((step) => [step.index, "content" in step && step.content])).toEqual([
    [0, "a"],
    [1, "b"],
    [2, "c"],
    [3, "last"],
  ]);
  expect(trace).not.toHaveProperty("durationMs");
  expect(warnings).toEqual([
    "the steps were out of order or had gaps: they are ordered by idx and counted anew",
    "it ended before it started: its duration is left out",
  ]);
});

test("an output of null is an answer only when it was logged", () => {
  expect(traceFrom(base)).not.toHaveProperty("output");
  expect(traceFrom({ ...base, steps: [{ idx: 0, kind: "output" }] }).output).toBeNull();
});

test("an unnamed agent is the agent that the caller names", () => {
  expect(traceFrom({ ...base, agent: "agent" }).agent).toBe("agent");
  expect(traceFrom(base).agent).toBe("bench");
});

test("another schema version and foreign steps are refused with their reason", () => {
  const items = readRecords(
    { ...base },
    { ...base, schema_version: "2" },
    { ...base, schema_version: "ATIF-v1.4" },
    { steps: [{ action: "click" }] },
  );
  expect(outcomes(items)).toEqual([
    "trace",
    "E_RECORD_VERSION",
    "E_RECORD_FORMAT",
    "E_RECORD_FORMAT",
  ]);
});

test("steps alone, without a version, are read when each says its kind", () => {
  expect(outcomes(readRecords({ steps: [{ idx: 0, kind: "input", content: "x" }] }))).toEqual([
    "trace",
  ]);
});
