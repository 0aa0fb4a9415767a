import { expect, test } from "vitest";
import { outcomes, toolsOf, traceFrom, tracesIn } from "../testing/trace-files.ts";
import {
  fixture,
  fixtureTrace,
  NO_SHARED,
  SHARED,
  WHY_NO_SHARED,
} from "../testing/trace-fixtures.ts";
import { readTraces } from "./importer.ts";

test("observations in any order are one story, and an error in a result is one though the level says nothing", () => {
  const trace = fixtureTrace("langfuse/trace.json");
  expect(trace).toMatchObject({
    source: "langfuse",
    agent: "shop-agent",
    task: "Is the shop open?",
    output: "I could not find out: the calendar is down.",
    status: "ok",
    durationMs: 8000,
    usage: { inputTokens: 40, outputTokens: 13, totalTokens: 53 },
    meta: { session: "s-1" },
  });
  expect(toolsOf(trace)).toMatchObject([
    {
      id: "c1",
      name: "get_hours",
      args: { day: "today" },
      durationMs: 1000,
      result: { ok: false, error: { message: "calendar is down", source: "wrapper" } },
    },
  ]);
});

test("what a person said of a run is its score, and what a model thinks is kept beside it", () => {
  const trace = fixtureTrace("langfuse/trace.json");
  expect(trace.score).toEqual({ name: "correct", value: false, passed: false });
  expect(trace.meta?.["scores"]).toMatchObject([
    { name: "hallucination", source: "EVAL" },
    { name: "correct" },
  ]);
});

test("observations of several traces, one a line, are put together by trace", () => {
  const items = fixture("langfuse/observations.jsonl");
  expect(outcomes(items)).toEqual(["trace", "trace"]);
  expect(tracesIn(items).map(({ output }) => output)).toEqual([
    "I could not find out: the calendar is down.",
    "I could not find out: the calendar is down.",
  ]);
});

test("a failed observation at the end is the error of the run", () => {
  const trace = traceFrom({
    id: "t",
    observations: [
      {
        id: "g",
        traceId: "t",
        type: "GENERATION",
        name: "chat",
        startTime: "2026-03-01T10:00:00Z",
        endTime: "2026-03-01T10:00:01Z",
        level: "ERROR",
        statusMessage: "rate limit",
        input: "Hi",
        output: null,
      },
    ],
  });
  expect(trace).toMatchObject({ task: "Hi", status: "error" });
  expect(trace.steps.at(-1)).toMatchObject({
    kind: "error",
    error: { message: "rate limit", source: "flag" },
  });
});

test("a call that only hands in the answer is the output and no call", () => {
  const trace = traceFrom({
    id: "t",
    observations: [
      {
        id: "g",
        traceId: "t",
        type: "GENERATION",
        name: "chat",
        startTime: "2026-03-01T10:00:00Z",
        endTime: "2026-03-01T10:00:01Z",
        input: "Hi",
        output: {
          role: "assistant",
          tool_calls: [
            { id: "f", function: { name: "final_result", arguments: '{"greeting":"Ho"}' } },
          ],
        },
      },
    ],
  });
  expect(trace).toMatchObject({ output: { greeting: "Ho" }, status: "ok" });
  expect(toolsOf(trace)).toEqual([]);
});

test("every public file of langfuse is read with its question and its answer", ({ skip }) => {
  skip(NO_SHARED, WHY_NO_SHARED);
  const items = [...readTraces([`${SHARED}/langfuse`])];
  expect(outcomes(items)).toEqual(Array.from({ length: 14 }, () => "trace"));
  for (const trace of tracesIn(items)) {
    expect(trace.task).not.toBeNull();
    expect(trace).toMatchObject({ status: "ok", output: expect.anything() as unknown });
    expect(toolsOf(trace).every(({ result }) => result !== undefined)).toBe(true);
  }
  expect(tracesIn(items).map((trace) => toolsOf(trace).length)).toEqual([
    2, 0, 1, 2, 1, 0, 2, 1, 1, 1, 0, 0, 0, 0,
  ]);
});
