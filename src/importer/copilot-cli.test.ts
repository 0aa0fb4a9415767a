import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { toolsOf, tracesIn } from "../testing/trace-files.ts";
import { readTraces } from "./importer.ts";

const EVENTS = "fixtures/traces/copilot-cli-events/tests.jsonl";

test("events have the calls of one reply as a batch, each once, and exit codes out of the text", () => {
  const [trace] = tracesIn(readTraces([EVENTS]));
  expect(trace).toMatchObject({
    task: "Run the tests.",
    output: "One test fails.",
    status: "ok",
    agentVersion: "1.2.3",
  });
  expect(trace === undefined ? [] : toolsOf(trace)).toMatchObject([
    {
      name: "bash",
      batch: 2,
      settled: 1,
      result: { ok: false, error: { code: 1, message: "1 failed" } },
    },
    {
      name: "view",
      batch: 2,
      settled: 0,
      result: { ok: false, error: { message: "Path does not exist", source: "flag" } },
    },
  ]);
});

test("events of a sub-agent are attached to the call that started it", () => {
  const [trace] = tracesIn(readTraces([EVENTS]));
  expect(trace?.meta?.["subagents"]).toMatchObject([{ call: "k1", steps: [{ name: "grep" }] }]);
});

const PUBLIC = "../shared/data/copilot-cli-events";
test.skipIf(!existsSync(PUBLIC))("the public events are read with their parallel calls", () => {
  const [trace] = tracesIn(readTraces([PUBLIC]));
  expect(trace?.status).toBe("ok");
  expect(trace === undefined ? [] : toolsOf(trace).map(({ batch }) => batch)).toEqual([2, 2]);
});
