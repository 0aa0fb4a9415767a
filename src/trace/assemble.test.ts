import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Json } from "../shared/json.ts";
import { anyJson } from "../testing/traces.ts";
import { assemble, assembler, isStreamed } from "./assemble.ts";
import { traceSchema } from "./trace.ts";

const head = { taskId: "task_1", task: "x", agent: "a", agentVersion: "1", source: "live" };
const open = (traceId: string, task: Json = "x"): Json => ({
  schemaVersion: "twiceshy.trace/1",
  traceId,
  open: { ...head, task },
});
const step = (traceId: string, index: number, more: object = {}): Json => ({
  traceId,
  step: { kind: "tool", index, name: "t", args: {}, ...more },
});
const close = (traceId: string): Json => ({ traceId, close: { status: "ok", output: 1 } });

test("lines of several traces may be mixed", () => {
  const traces = assemble([
    open("a"),
    open("b", "y"),
    step("b", 0),
    step("a", 0),
    close("a"),
    step("b", 1),
    close("b"),
  ]);
  expect(traces.map((trace) => traceSchema.parse(trace))).toMatchObject([
    { id: "a", task: "x", status: "ok", output: 1, steps: [{ index: 0 }] },
    { id: "b", task: "y", steps: [{ index: 0 }, { index: 1 }] },
  ]);
});

test("a trace that was never closed is incomplete", () => {
  const [trace] = assemble([open("a"), step("a", 0)]);
  expect(traceSchema.parse(trace)).toMatchObject({ status: "incomplete", steps: [{ index: 0 }] });
});

test("what a call is given later becomes part of its step, and nothing else does", () => {
  const more = {
    index: 0,
    result: { ok: true, data: 5 },
    durationMs: 3,
    settled: 0,
    batch: 0,
    sync: true,
    name: "other",
    at: 1,
  };
  const [trace] = assemble([open("a"), step("a", 0), { traceId: "a", more }, close("a")]);
  expect(traceSchema.parse(trace).steps).toEqual([
    {
      kind: "tool",
      index: 0,
      name: "t",
      args: {},
      result: { ok: true, data: 5 },
      durationMs: 3,
      settled: 0,
      batch: 0,
      sync: true,
    },
  ]);
});

test("steps are ordered by index, a later one of the same index replaces the earlier, and gaps are closed and marked", () => {
  const [trace] = assemble([
    open("a"),
    step("a", 5, { batch: 5, at: 1 }),
    step("a", 2, { at: 9 }),
    step("a", 7, { batch: 5 }),
    step("a", 2, { at: 8 }),
    close("a"),
  ]);
  expect(traceSchema.parse(trace)).toMatchObject({
    truncated: "steps_missing",
    steps: [
      { index: 0, at: 8 },
      { index: 1, batch: 1 },
      { index: 2, batch: 1 },
    ],
  });
});

test("the same trace written twice is two traces", () => {
  const lines = [open("a"), step("a", 0), close("a")];
  expect(assemble([...lines, ...lines])).toHaveLength(2);
  expect(
    assemble([open("a"), step("a", 0), open("a"), close("a")]).map((trace) => trace.status),
  ).toEqual(["ok", "incomplete"]);
});

test("lines without the first line of their trace are counted", () => {
  const lines = assembler();
  for (const record of [step("a", 0), close("a"), open("b")])
    if (isStreamed(record)) lines.add(record);
  expect([lines.orphans(), lines.rest().length]).toEqual([2, 1]);
});

test("whatever the records are, assembling never throws", () => {
  const record = fc.oneof(
    anyJson(),
    fc.record(
      {
        traceId: fc.constantFrom("a", "b", "__proto__"),
        open: anyJson(),
        step: anyJson(),
        more: anyJson(),
        close: anyJson(),
      },
      { requiredKeys: ["traceId"] },
    ),
    fc.constantFrom(open("a"), step("a", 1), close("a")),
  );
  const assembles = fc.property(fc.array(record), (records) =>
    Array.isArray(assemble(records as Json[])),
  );
  expect(fc.check(assembles).failed).toBe(false);
});
