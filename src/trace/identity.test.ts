import * as fc from "fast-check";
import { expect, test } from "vitest";
import { anyJson, anyTrace } from "../testing/traces.ts";
import { newTraceId, taskIdOf, traceIdOf } from "./identity.ts";

test("equal tasks have equal ids whatever the order of their keys", () => {
  expect(taskIdOf({ a: 1, b: [2] })).toBe(taskIdOf({ b: [2], a: 1 }));
  expect(taskIdOf("caf\u00e9")).toBe(taskIdOf("cafe\u0301"));
  expect(taskIdOf("1")).not.toBe(taskIdOf(1));
  fc.assert(fc.property(anyJson(), (task) => /^task_[0-9a-f]{12}$/.test(taskIdOf(task))));
});

test("the id of an imported trace is a hash of its content", () => {
  fc.assert(
    fc.property(anyTrace(), (trace) => {
      expect(traceIdOf(trace)).toBe(traceIdOf(structuredClone(trace)));
      expect(traceIdOf({ ...trace, agent: `${trace.agent}2` })).not.toBe(traceIdOf(trace));
    }),
    { numRuns: 50 },
  );
});

test("live ids are distinct and sort by time", async () => {
  const ids = Array.from({ length: 500 }, newTraceId);
  expect(new Set(ids).size).toBe(500);
  for (const id of ids) expect(id).toMatch(/^tr_[0-9a-f]{22}$/);
  await new Promise((resolve) => setTimeout(resolve, 3));
  expect(newTraceId() > (ids[0] ?? "")).toBe(true);
});
