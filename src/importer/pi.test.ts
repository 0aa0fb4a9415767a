import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { outcomes, toolsOf, tracesIn } from "../testing/trace-files.ts";
import type { Trace } from "../trace/trace.ts";
import { readTraces } from "./importer.ts";

function first(path: string): Trace {
  const [trace] = tracesIn(readTraces([`fixtures/traces/${path}`]));
  if (trace === undefined) throw new Error("no trace");
  return trace;
}

test("a session of pi is its last branch, and a broken reply that came again is only told", () => {
  const trace = first("pi/session.jsonl");
  expect(trace).toMatchObject({
    task: "Fix it.",
    output: "It is fixed.",
    status: "ok",
    usage: { totalTokens: 6 },
  });
  expect(JSON.stringify(trace)).not.toContain("abandoned way");
  expect(toolsOf(trace)).toMatchObject([
    { name: "read", batch: 2, result: { ok: true, data: "one" } },
    { name: "bash", batch: 2, result: { ok: false, error: { message: "boom", source: "flag" } } },
  ]);
  expect(trace.steps.map(({ kind }) => kind)).toEqual([
    "input",
    "reasoning",
    "tool",
    "tool",
    "other",
    "other",
    "model",
    "output",
  ]);
});

const DATA = "../shared/data/other-jsonl";
test.skipIf(!existsSync(DATA))(
  "the public session of pi is read, and its broken line is named",
  () => {
    expect(outcomes(readTraces([DATA]))).toEqual(["E_RECORD_JSON", "trace"]);
  },
);
