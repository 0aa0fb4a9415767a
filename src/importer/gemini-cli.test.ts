import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { outcomes, readRecords, toolsOf, tracesIn } from "../testing/trace-files.ts";
import type { Trace } from "../trace/trace.ts";
import { readTraces } from "./importer.ts";

function first(path: string): Trace {
  const [trace] = tracesIn(readTraces([`fixtures/traces/${path}`]));
  if (trace === undefined) throw new Error("no trace");
  return trace;
}

test("a session of Gemini has its thoughts, calls with results and token counts", () => {
  const trace = first("gemini-cli/session.json");
  expect(trace).toMatchObject({
    task: "List and read.",
    output: "There is a.txt; b is not there.",
    status: "ok",
    usage: { inputTokens: 30, outputTokens: 7, totalTokens: 37 },
  });
  expect(toolsOf(trace)).toMatchObject([
    { batch: 3, result: { ok: true, data: "a.txt" } },
    { batch: 3, result: { ok: false, error: { message: "File not found", source: "flag" } } },
    { batch: 3, result: { ok: false, error: { name: "PermissionDenied" } } },
  ]);
});

test("a session of Gemini in lines is one run, and an error at its end is its end", () => {
  expect(first("gemini-cli/lines.jsonl")).toMatchObject({ task: "Hello", status: "error" });
});

test("a session of Gemini without a word of anybody is no run", () => {
  const messages = [{ type: "error", content: "no network" }];
  expect(outcomes(readRecords({ sessionId: "s", projectHash: "h", messages }))).toEqual([
    "skipped E_RECORD_ASIDE",
  ]);
});

const DATA = "../shared/data/gemini-cli";
test.skipIf(!existsSync(DATA))(
  "every public session of Gemini in which somebody speaks is read",
  () => {
    expect(outcomes(readTraces([DATA]))).toEqual(["skipped E_RECORD_ASIDE", "trace"]);
  },
);
