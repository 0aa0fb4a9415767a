import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { readRecords, toolsOf, tracesIn } from "../testing/trace-files.ts";
import type { Trace } from "../trace/trace.ts";
import { readTraces } from "./importer.ts";

const EXEC = "fixtures/traces/codex-exec-json/broken.jsonl";

function first(path: string): Trace {
  const [trace] = tracesIn(readTraces([path]));
  if (trace === undefined) throw new Error("no trace");
  return trace;
}

test("a printed run that broke off failed, and a connection that came back is only told", () => {
  const [broken, done] = tracesIn(readTraces([EXEC]));
  expect(broken).toMatchObject({ status: "error", task: null, source: "codex-exec-json" });
  expect(broken?.steps.map(({ kind }) => kind)).toEqual([
    "other",
    "reasoning",
    "tool",
    "tool",
    "tool",
    "other",
    "error",
  ]);
  expect(done).toMatchObject({
    status: "ok",
    output: "Done.",
    usage: { inputTokens: 5, outputTokens: 1 },
  });
});

test("a printed item that was begun twice is one call; calls under way together are a batch", () => {
  const tools = toolsOf(first(EXEC));
  expect(tools).toMatchObject([
    {
      name: "command_execution",
      batch: 2,
      settled: 1,
      result: { ok: true, data: { exit_code: 1 } },
    },
    {
      name: "shop.find",
      args: { q: "lamp" },
      batch: 2,
      settled: 0,
      result: { ok: false, error: { message: "no such shop" } },
    },
    { name: "file_change", result: { ok: true } },
  ]);
});

test("a printed item that never completed has no result", () => {
  const items = readRecords(
    { type: "thread.started", thread_id: "t" },
    {
      type: "item.started",
      item: { id: "i", type: "command_execution", command: "sleep 9", status: "in_progress" },
    },
  );
  const [trace] = tracesIn(items);
  expect(trace).toMatchObject({ status: "incomplete" });
  expect(trace === undefined ? undefined : toolsOf(trace)[0]).not.toHaveProperty("result");
});

const PRINTED = "../shared/data/codex-exec-json";
test.skipIf(!existsSync(PRINTED))("every public printed run is read and ended well", () => {
  expect(tracesIn(readTraces([PRINTED])).map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
});
