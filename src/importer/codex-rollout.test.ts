import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { outcomes, readRecords, toolsOf, tracesIn } from "../testing/trace-files.ts";
import type { Trace } from "../trace/trace.ts";
import { readTraces } from "./importer.ts";

const FOLDER = "fixtures/traces/codex-rollout";
const PARENT = `${FOLDER}/rollout-2026-02-03-aaaa-1111.jsonl`;
const CHILD = `${FOLDER}/rollout-2026-02-03-bbbb-2222.jsonl`;

function first(path: string): Trace {
  const [trace] = tracesIn(readTraces([path]));
  if (trace === undefined) throw new Error("no trace");
  return trace;
}

test("a rollout has the user's task, not what the program told in the user's name, and each word once", () => {
  const trace = first(PARENT);
  expect(trace).toMatchObject({
    task: "Find the word lamp and count it.",
    output: "There is no lamp in it.",
    status: "ok",
    agent: "codex",
    agentVersion: "0.9.0",
    usage: { inputTokens: 100, outputTokens: 20, totalTokens: 120 },
    meta: { model: "gpt-x", cwd: "/lib" },
  });
  expect(trace.steps.map(({ kind }) => kind)).toEqual([
    "input",
    "reasoning",
    "tool",
    "tool",
    "tool",
    "tool",
    "model",
    "other",
    "output",
  ]);
});

test("exit codes are found in text, in JSON and in events, and a search without a hit is no error", () => {
  const [search, count, spawn, patch] = toolsOf(first(PARENT));
  expect(search).toMatchObject({
    batch: 2,
    settled: 1,
    result: { ok: true, data: { exit_code: 1 } },
  });
  expect(count).toMatchObject({
    batch: 2,
    settled: 0,
    result: { ok: false, error: { code: 2, source: "flag" } },
  });
  expect(spawn).toMatchObject({ batch: 2, result: { ok: true } });
  expect(patch).toMatchObject({
    result: { ok: false, error: { message: "no such file", source: "flag" } },
  });
});

test("a thread that another started is attached to it, and skipped as a run when that is read too", () => {
  expect(first(PARENT).meta?.["subagents"]).toMatchObject([
    { id: "bbbb-2222", call: "c3", output: "Zero." },
  ]);
  expect(outcomes(readTraces([PARENT, CHILD]))).toEqual(["trace", "skipped E_RECORD_ASIDE"]);
  expect(first(CHILD)).toMatchObject({ task: "Count.", meta: { subagentOf: "aaaa-1111" } });
});

test("a rollout of events alone is read from them, and an aborted turn is incomplete", () => {
  expect(first(`${FOLDER}/aborted.jsonl`)).toMatchObject({
    task: "Wait for me.",
    status: "incomplete",
  });
});

test("an older rollout has its items bare on the lines", () => {
  const items = readRecords(
    { id: "o", timestamp: "2025-05-01T00:00:00Z", instructions: null },
    { record_type: "state" },
    { type: "message", role: "user", content: [{ type: "input_text", text: "Go." }] },
    { type: "function_call", call_id: "1", name: "shell", arguments: "{}" },
    { type: "function_call_output", call_id: "1", output: "x" },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "Gone." }] },
  );
  expect(tracesIn(items)).toMatchObject([
    { source: "codex-rollout", task: "Go.", output: "Gone." },
  ]);
});

test("a rollout that only counts tokens is no run", () => {
  const items = readRecords({ type: "event_msg", payload: { type: "token_count", info: null } });
  expect(outcomes(items)).toEqual(["skipped E_RECORD_ASIDE"]);
});

const ROLLOUTS = "../shared/data/codex-rollout";
test.skipIf(!existsSync(ROLLOUTS))(
  "every public rollout is read, two of them as parts of another",
  () => {
    const found = outcomes(readTraces([ROLLOUTS]));
    expect(found.filter((outcome) => outcome === "trace").length).toBe(8);
    expect(found.filter((outcome) => outcome === "skipped E_RECORD_ASIDE").length).toBe(3);
    expect(found.length).toBe(11);
  },
);
