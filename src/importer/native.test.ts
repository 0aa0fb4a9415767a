import { join } from "node:path";
import { appendFileSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  folderOf,
  itemFrom,
  outcomes,
  readRecords,
  readText,
  traceFrom,
} from "../testing/trace-files.ts";
import { call, input, traceOf } from "../testing/traces.ts";
import { openSink } from "../trace/sink.ts";
import { readTraces } from "./importer.ts";

const trace = traceOf([input("Hi"), call("get", { id: 1 }, { ok: 1 })], {
  task: "Hi",
  output: "Hello",
  status: "ok",
});
const head = { schemaVersion: trace.schemaVersion, traceId: "tr_1" };
const open = { task: "Hi", taskId: "t", agent: "a", agentVersion: "1", source: "live" };
const step = (index: number, content: string) => ({
  traceId: "tr_1",
  step: { index, kind: "reasoning", content },
});

test("a whole trace on a line is read as it was", () => {
  expect(traceFrom(trace)).toEqual(trace);
});

test("a trace that was written step by step is put together, among the lines of others", () => {
  const [first, second, ...none] = readRecords(
    { ...head, open },
    trace,
    { traceId: "tr_1", step: { index: 0, kind: "tool", name: "get", args: {} } },
    { traceId: "tr_1", more: { index: 0, result: { ok: true, data: 5 }, settled: 0 } },
    { traceId: "tr_1", close: { status: "ok", output: "5" } },
  );
  expect(none).toEqual([]);
  expect(first).toMatchObject({ record: 1, line: 2, trace });
  expect(second).toMatchObject({
    record: 4,
    line: 5,
    format: "twiceshy",
    trace: {
      ...open,
      id: "tr_1",
      status: "ok",
      output: "5",
      steps: [{ kind: "tool", name: "get", result: { ok: true, data: 5 } }],
    },
  });
});

test("what a sink writes is what the reader reads, also when a later writer came after a torn line", () => {
  const file = join(folderOf({}), "live.jsonl");
  const write = (id: string): void => {
    const { steps, output: _output, status: _status, ...rest } = trace;
    const writer = openSink(file, () => undefined);
    writer.open({ ...rest, id });
    for (const each of steps) writer.step(each);
    void writer.close({ ...trace, id });
  };
  write("tr_a");
  appendFileSync(file, '{"traceId":"tr_b","st');
  write("tr_c");
  const items = [...readTraces([file])];
  expect(outcomes(items)).toEqual(["trace", "E_RECORD_JSON", "trace"]);
  expect(items.flatMap((item) => ("trace" in item ? [item.trace] : []))).toEqual([
    { ...trace, id: "tr_a" },
    { ...trace, id: "tr_c" },
  ]);
  expect(readFileSync(file, "utf8").split("\n")).toContain('{"traceId":"tr_b","st');
});

test("a run whose process was killed is incomplete and marked as torn", () => {
  const lines = [{ ...head, open }, step(0, "a")].map((line) => JSON.stringify(line)).join("\n");
  const items = readText(`${lines}\n{"traceId":"tr_1","step":{"ind`);
  expect(outcomes(items)).toEqual(["skipped E_RECORD_TORN", "trace"]);
  expect(items[1]).toMatchObject({
    trace: { id: "tr_1", status: "incomplete", truncated: "torn", steps: [{ content: "a" }] },
    warnings: ["the run was never closed: it is read as far as it was written"],
  });
});

test("lines whose first line is missing are one error, and a bad run does not hide the others", () => {
  const other = { schemaVersion: trace.schemaVersion, traceId: "tr_2" };
  const items = readRecords(
    step(0, "a"),
    step(1, "b"),
    { ...other, open: { ...open, agent: 5 } },
    { ...head, open },
    step(0, "c"),
  );
  expect(outcomes(items)).toEqual(["E_RECORD_ORPHAN", "E_RECORD_SCHEMA", "trace"]);
});

test("steps out of order are ordered by their index, with a warning", () => {
  const steps = [
    { index: 7, kind: "output", content: "c" },
    { index: 1, kind: "tool", name: "t", args: {}, batch: 1 },
    { index: 1, kind: "reasoning", content: "b" },
  ];
  const item = itemFrom({ ...trace, steps });
  expect(item.trace.steps.map((each) => [each.index, each.kind])).toEqual([
    [0, "tool"],
    [1, "reasoning"],
    [2, "output"],
  ]);
  expect(item.warnings).toHaveLength(1);
});

test("another version of the format is refused with both versions", () => {
  const [item] = readRecords({ ...trace, schemaVersion: "twiceshy.trace/99" });
  expect(
    item && "error" in item && item.error.message.replace(/^.*jsonl/, "traces.jsonl"),
  ).toMatchInlineSnapshot(
    `"traces.jsonl:1: Failed to read a trace: its version is "twiceshy.trace/99", and this package reads twiceshy.trace/1. Use the version of the package that wrote it, or record the run again."`,
  );
});

test("a trace with a wrong member is refused with its place", () => {
  const [item] = readRecords({ ...trace, steps: [{ index: 0, kind: "tool", name: 5, args: {} }] });
  expect(
    item && "error" in item && item.error.message.replace(/^.*jsonl/, "traces.jsonl"),
  ).toMatchInlineSnapshot(
    `"traces.jsonl:1: Failed to read the record: /steps/0/name invalid input: expected string, received number. Correct the record or leave it out."`,
  );
});
