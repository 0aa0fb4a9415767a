import * as fc from "fast-check";
import { expect, test } from "vitest";
import { traceSchema } from "../trace/trace.ts";
import { anyTrace, call, crash, failed, traceOf } from "./traces.ts";

test("every arbitrary trace is one that the schema accepts", () => {
  fc.assert(
    fc.property(anyTrace(), (trace) => {
      expect(traceSchema.safeParse(trace).error).toBeUndefined();
    }),
    { numRuns: 300 },
  );
});

test("a trace of steps is numbered and ends with its output", () => {
  const trace = traceOf([call("a"), failed("b", {}, "no")], { output: "x" });
  expect(traceSchema.safeParse(trace).success).toBe(true);
  expect(trace.steps.map((step) => [step.index, step.kind])).toEqual([
    [0, "tool"],
    [1, "tool"],
    [2, "output"],
  ]);
  expect(trace.status).toBe("ok");
  expect(traceOf([crash("boom")]).status).toBe("error");
  expect(traceOf([]).status).toBe("incomplete");
});
