import { expect, test } from "vitest";
import { traceOf } from "../testing/traces.ts";
import { detect } from "./detector.ts";

test("a score that says not passed is a wrong answer", () => {
  const score = { name: "benchmark_success", value: false, passed: false };
  const trace = traceOf([], { output: "x", score });
  expect(detect(trace).map(({ kind, severity, message }) => [kind, severity, message])).toEqual([
    ["wrong_answer", "high", "The score benchmark_success is false: not passed."],
  ]);
  expect(
    detect(traceOf([], { output: "x", score: { ...score, value: true, passed: true } })),
  ).toEqual([]);
});

test("an output that is not the expected one is a wrong answer", () => {
  const kinds = (output: string): string[] =>
    detect(traceOf([], { output, expected: { contains: "A-1001" } })).map(
      (failure) => failure.kind,
    );
  expect(kinds("Order A-1002")).toEqual(["wrong_answer"]);
  expect(kinds("Order a-1001")).toEqual([]);
});
