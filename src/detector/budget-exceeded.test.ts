import { expect, test } from "vitest";
import { call, traceOf, type About } from "../testing/traces.ts";
import { detect } from "./detector.ts";

function found(about: About, calls = 1): string[] {
  const steps = Array.from({ length: calls }, (_, n) => call("find_trains", { n }, ["9:00"]));
  return detect(traceOf(steps, { task: "Plan my trip.", ...about }))
    .filter(({ kind }) => kind === "budget_exceeded")
    .map(({ severity, step, message }) => `${severity} ${step}: ${message}`);
}

test.each([
  "Agent stopped due to iteration limit or time limit.",
  "Agent stopped due to max iterations.",
  "Sorry, need more steps to process this request.",
  "Maximum number of turns reached.",
  "Max steps (30) exceeded",
  "Reached the maximum number of iterations.",
])("the framework's word that no step is left is no answer: %s", (output) => {
  expect(found({ output })).toHaveLength(1);
});

test("an answer that speaks of limits is an answer", () => {
  const outputs = [
    "The 9:00 train stops in Bergen; the maximum speed is 120.",
    `Maximum number of iterations reached means that the solver did not settle. ${"Raise max_iter. ".repeat(20)}`,
    "I stopped at the limit that you set: three trains.",
    "The number of steps to the platform is 40.",
  ];
  for (const output of outputs) expect(found({ output })).toEqual([]);
});

test("more calls than the run allowed are shown at the first one too many", () => {
  expect(found({ output: "Take the 9:00.", limits: { toolCalls: 2 } }, 4)).toEqual([
    "medium 2: 4 tools were called; the budget is 2.",
  ]);
  expect(found({ output: "Take the 9:00.", limits: { toolCalls: 4 } }, 4)).toEqual([]);
});

test("a run that was stopped is a timeout, or an exception, and no more", () => {
  const output = "Maximum number of turns reached.";
  for (const status of ["timeout", "error"] as const) expect(found({ output, status })).toEqual([]);
});
