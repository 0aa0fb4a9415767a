import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { outcomes, readRecords, toolsOf, tracesIn } from "../testing/trace-files.ts";
import { readTraces } from "./importer.ts";

const FOLDER = "fixtures/traces/claude-sdk-stream";
const DATA = "../shared/data/claude-sdk-stream";

const start = (session_id: string) => ({
  type: "system",
  subtype: "init",
  session_id,
  tools: ["Read"],
});
const said = (session_id: string, text: string) => ({
  type: "assistant",
  session_id,
  message: { role: "assistant", content: [{ type: "text", text }] },
});
const end = (session_id: string, more: object = {}) => ({
  type: "result",
  subtype: "success",
  is_error: false,
  session_id,
  ...more,
});

test("a stream that ran out of turns timed out, with its usage, tools and sub-agent", () => {
  const [trace] = tracesIn(readTraces([`${FOLDER}/limit.json`]));
  expect(trace).toMatchObject({
    task: "Count the files.",
    status: "timeout",
    durationMs: 1200,
    tools: ["Bash", "Read"],
    usage: { inputTokens: 7, outputTokens: 3 },
    meta: { conversation: "s-9", end: "error_max_turns", subagents: [{ id: "b1", call: "b1" }] },
  });
  expect(trace === undefined ? [] : toolsOf(trace).map(({ name }) => name)).toEqual(["Task"]);
});

test("a stream with directions is read without what was only between the programs", () => {
  const [trace] = tracesIn(readTraces([`${FOLDER}/wrapped.json`]));
  expect(trace).toMatchObject({
    task: "What is 3+3?",
    output: "6",
    status: "ok",
    meta: { conversation: "s-1", permissionDenials: [{ tool_name: "Bash" }] },
  });
});

test("lines of two streams in one file are two runs, and turns of one session one", () => {
  const items = readRecords(
    start("a"),
    said("a", "One."),
    end("a"),
    start("a"),
    said("a", "Two."),
    end("a"),
    start("b"),
    said("b", "Three."),
    end("b", { subtype: "error_during_execution", is_error: true, errors: ["boom"] }),
  );
  expect(items.map(({ record }) => record)).toEqual([0, 6]);
  expect(tracesIn(items)).toMatchObject([
    { output: "Two.", status: "ok", source: "claude-sdk-stream" },
    { status: "error", steps: [{ kind: "model" }, { kind: "error", error: { message: "boom" } }] },
  ]);
});

test("runs without the question are not taken for retries of each other", () => {
  const [one, two] = tracesIn(
    readRecords(start("a"), said("a", "One."), end("a"), start("b"), said("b", "One.")),
  );
  expect(one?.task).toBeNull();
  expect(one?.taskId).not.toBe(two?.taskId);
});

test.skipIf(!existsSync(DATA))("every public stream is read", () => {
  const items = [...readTraces([DATA])];
  expect(outcomes(items)).toEqual(["trace", "trace"]);
  expect(tracesIn(items).map(({ status }) => status)).toEqual(["ok", "ok"]);
});

test("a stream of which only the last line was kept has its result as the output", () => {
  expect(tracesIn(readRecords(end("a", { result: "Four.", duration_ms: 5 })))).toMatchObject([
    { output: "Four.", status: "ok", durationMs: 5 },
  ]);
});
