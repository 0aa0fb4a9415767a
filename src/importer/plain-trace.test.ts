import * as fc from "fast-check";
import { expect, test } from "vitest";
import { TRACE_VERSION, traceSchema } from "../trace/trace.ts";
import { isPlainTrace } from "./plain-trace.ts";

const anyStep = fc.oneof(
  fc.record(
    {
      index: fc.oneof(fc.nat(), fc.constantFrom(-1, 0.5, "0")),
      at: fc.oneof(fc.double(), fc.constant("now")),
      kind: fc.constantFrom("input", "reasoning", "output", "tool", "error", "model", "odd"),
      name: fc.oneof(fc.string(), fc.integer()),
      args: fc.jsonValue(),
      content: fc.jsonValue(),
      params: fc.oneof(fc.array(fc.string()), fc.array(fc.integer()), fc.string()),
      durationMs: fc.double(),
      result: fc.oneof(
        fc.record({ ok: fc.boolean(), data: fc.jsonValue() }, { requiredKeys: ["ok"] }),
        fc.record({
          ok: fc.constantFrom(true, false, 1),
          error: fc.oneof(fc.record({ message: fc.string() }), fc.record({ name: fc.string() })),
        }),
      ),
      error: fc.record(
        { message: fc.oneof(fc.string(), fc.nat()), name: fc.string(), code: fc.nat() },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: ["index", "kind"] },
  ),
  fc.jsonValue(),
);

const anyTrace = fc.record(
  {
    schemaVersion: fc.constantFrom(TRACE_VERSION, TRACE_VERSION, "twiceshy.trace/2"),
    id: fc.string(),
    taskId: fc.string(),
    task: fc.jsonValue(),
    agent: fc.string(),
    agentVersion: fc.string(),
    source: fc.string(),
    status: fc.constantFrom("ok", "error", "timeout", "incomplete", "odd"),
    startedAt: fc.double(),
    durationMs: fc.double(),
    steps: fc.array(anyStep, { maxLength: 3 }),
    output: fc.jsonValue(),
    tools: fc.array(fc.oneof(fc.string(), fc.nat()), { maxLength: 2 }),
    meta: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.nat())),
  },
  { requiredKeys: ["schemaVersion", "id", "taskId", "task", "agent", "source", "status", "steps"] },
);

test("what the quick look takes for a trace, the schema takes for one", () => {
  fc.assert(
    fc.property(anyTrace, (trace) => {
      expect(!isPlainTrace(trace) || traceSchema.safeParse(trace).success).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test("the quick look knows the trace of a plain run", () => {
  const trace = {
    schemaVersion: TRACE_VERSION,
    id: "a",
    taskId: "t",
    task: { q: "refund" },
    agent: "support",
    agentVersion: "1",
    source: "live",
    status: "ok",
    steps: [
      { index: 0, kind: "input", content: { q: "refund" } },
      { index: 1, kind: "tool", name: "pay", args: {}, result: { ok: true, data: null } },
      {
        index: 2,
        at: 5,
        kind: "tool",
        name: "pay",
        args: {},
        result: { ok: false, error: { name: "E", message: "closed" } },
      },
      { index: 3, kind: "output", content: "done" },
    ],
    output: "done",
  };
  expect(isPlainTrace(trace)).toBe(true);
  expect(isPlainTrace({ ...trace, odd: 1 })).toBe(false);
});
