import { expect, test } from "vitest";
import {
  itemFrom,
  outcomes,
  readText,
  toolsOf,
  traceFrom,
  tracesIn,
} from "../testing/trace-files.ts";
import {
  fixture,
  fixtureTrace,
  NO_SHARED,
  SHARED,
  WHY_NO_SHARED,
} from "../testing/trace-fixtures.ts";
import { readTraces } from "./importer.ts";

const run = (more: object) => ({
  id: "r1",
  name: "agent",
  run_type: "chain",
  inputs: { input: "Hi?" },
  ...more,
});
const tool = {
  id: "r2",
  name: "look",
  run_type: "tool",
  inputs: { a: 1 },
  outputs: { output: "seen" },
};

test("the halves of a run are put together, and a call that a model asked for is one step with its result", () => {
  const trace = fixtureTrace("langsmith/sdk-log.jsonl");
  expect(trace).toMatchObject({
    source: "langsmith",
    agent: "HouseAgent",
    task: "Which drawer holds the spare key?",
    output: "The spare key is in drawer 3.",
    status: "ok",
    startedAt: 1772359200000,
    durationMs: 5500,
    tools: ["find_item", "list_drawers"],
    usage: { inputTokens: 40, outputTokens: 10, totalTokens: 50 },
    meta: { system: "You know the house.", thread_id: "t-1" },
  });
  expect(trace.steps.map(({ kind }) => kind)).toEqual(["input", "tool", "tool", "model", "output"]);
  expect(toolsOf(trace)).toMatchObject([
    {
      id: "call_1",
      name: "find_item",
      args: { item: "spare key" },
      batch: 1,
      durationMs: 250,
      result: { ok: true, data: "drawer 3" },
    },
    {
      id: "call_2",
      name: "list_drawers",
      args: {},
      batch: 1,
      result: { ok: false, error: { name: "ValueError", message: "no such room", source: "flag" } },
    },
  ]);
});

test("a JavaScript body is read with its epoch times, also when its second half names no id", () => {
  expect(fixtureTrace("langsmith/batch-js.json")).toMatchObject({
    task: "Say hello.",
    output: "Hello.",
    status: "ok",
    startedAt: 1772359200000,
    durationMs: 750,
    usage: { inputTokens: 4, outputTokens: 2, totalTokens: 6 },
  });
});

test("runs inside runs are calls in order, and what ran inside a call is attached to it", () => {
  const trace = fixtureTrace("langsmith/nested-run.json");
  expect(trace).toMatchObject({
    agent: "refund-agent",
    task: "Refund order 7.",
    output: "Order 7 is refunded.",
    status: "ok",
  });
  expect(toolsOf(trace).map(({ name }) => name)).toEqual(["get_order", "ask_clerk", "refund"]);
  expect(trace.steps[3]).toMatchObject({
    kind: "other",
    name: "subagent",
    content: [{ kind: "tool", name: "look_up_policy" }],
  });
});

test.each([["2026-03-01T10:00:00"], [1772359200], [1772359200000], ["2026-03-01T10:00:00.000Z"]])(
  "a start_time of %j is read as the same moment",
  (start_time) => {
    const trace = traceFrom(
      run({
        start_time,
        end_time: "2026-03-01T10:00:01Z",
        outputs: { output: "Ho." },
        child_runs: [tool],
      }),
    );
    expect([trace.startedAt, trace.durationMs]).toEqual([1772359200000, 1000]);
  },
);

test("a run whose inputs are null is read", () => {
  const trace = traceFrom(
    run({ inputs: null, outputs: { output: "Ho." }, child_runs: [{ ...tool, inputs: null }] }),
  );
  expect(trace).toMatchObject({ task: null, output: "Ho.", status: "ok" });
  expect(toolsOf(trace)[0]).toMatchObject({ args: {}, result: { ok: true, data: "seen" } });
});

test("each trace of a list stands alone, and contents behind links are told as missing", () => {
  const items = fixture("langsmith/runs.json");
  expect(items.map(({ key }) => key)).toEqual([0, 1]);
  const [first, second] = tracesIn(items);
  expect(first).toMatchObject({ agent: "a-run", task: "First?", output: "One.", status: "ok" });
  expect(second).toMatchObject({
    agent: "b-run",
    status: "incomplete",
    truncated: "stored_elsewhere",
  });
  expect(items[1]).toMatchObject({
    warnings: ["the contents of 1 runs are stored elsewhere, behind links that are not followed"],
  });
});

test("runs that stand one a line are one trace, wherever they stand", () => {
  const lines = [
    { ...tool, parent_run_id: "r1", trace_id: "r1", start_time: 1772359201 },
    run({
      trace_id: "r1",
      start_time: 1772359200,
      end_time: 1772359202,
      outputs: { output: "Ho." },
    }),
    run({ id: "q1", trace_id: "q1", outputs: { output: "Other." } }),
  ];
  const items = readText(lines.map((line) => JSON.stringify(line)).join("\n"));
  expect(items.map(({ record }) => record)).toEqual([0, 2]);
  expect(tracesIn(items).map(({ output }) => output)).toEqual(["Ho.", "Other."]);
  expect(tracesIn(items).map((trace) => toolsOf(trace).length)).toEqual([1, 0]);
});

test("a run that failed is an error with the class of its exception, and one that never ended is incomplete", () => {
  const failed = traceFrom(
    run({ error: "KeyError('id')Traceback (most recent call last):\n  File x", child_runs: [] }),
  );
  expect(failed).toMatchObject({ status: "error" });
  expect(failed.steps.at(-1)).toMatchObject({
    kind: "error",
    error: { name: "KeyError", message: "id" },
  });
  expect(traceFrom(run({ start_time: 1772359200, child_runs: [tool] })).status).toBe("incomplete");
});

test("runs that are each other's parents are read and do not hang", () => {
  const { trace } = itemFrom({
    runs: [
      run({ id: "a", trace_id: "t", parent_run_id: "b" }),
      { ...tool, id: "b", trace_id: "t", parent_run_id: "a" },
    ],
  });
  expect(toolsOf(trace).length).toBe(1);
});

test("every public file of langsmith is read", ({ skip }) => {
  skip(NO_SHARED, WHY_NO_SHARED);
  const items = [...readTraces([`${SHARED}/langsmith`])];
  expect(outcomes(items)).toEqual(Array.from({ length: 7 }, () => "trace"));
  const logs = tracesIn(items).filter((trace) => toolsOf(trace).length > 0);
  expect(logs.map((trace) => toolsOf(trace).map(({ name }) => name))).toEqual(
    Array.from({ length: 3 }, () => [
      "execute_sql_query",
      "get_database_schema",
      "execute_sql_query",
    ]),
  );
  for (const trace of logs) {
    expect(trace.status).toBe("ok");
    expect(toolsOf(trace)[0]?.result).toMatchObject({
      data: expect.stringContaining("SQL Error") as string,
    });
  }
});
