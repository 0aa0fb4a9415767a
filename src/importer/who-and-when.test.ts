import { expect, test } from "vitest";
import { toolsOf, traceFrom } from "../testing/trace-files.ts";
import { fixtureTrace } from "../testing/trace-fixtures.ts";

test("code that the terminal ran is a call, with its exit code, and other talk keeps its speaker", () => {
  const trace = fixtureTrace("who-and-when/coded.json");
  expect(trace).toMatchObject({
    source: "who-and-when",
    task: "How many of the numbers 1 to 20 are prime?",
    score: { name: "is_correct", value: false, passed: false },
    meta: { mistake_agent: "Number_Expert", mistake_step: "3", ground_truth: "8" },
  });
  expect(toolsOf(trace)).toMatchObject([
    {
      name: "python",
      args: { code: "print(sum(is_prime(n) for n in range(1, 21)))" },
      result: {
        ok: false,
        error: { code: 1, message: "NameError: name 'is_prime' is not defined" },
      },
    },
    { name: "python", args: { code: "print(9)" }, result: { ok: true, data: { exit_code: 0 } } },
  ]);
  expect(
    trace.steps.flatMap((step) => (step.kind === "model" ? [[step.name, step.content]] : [])),
  ).toContainEqual(["Check_Expert", "There are 9 of them."]);
});

test("what stands behind the mark of a final answer is the output, and a person asks first", () => {
  expect(fixtureTrace("who-and-when/searched.json")).toMatchObject({
    task: "Who keeps the lighthouse of Rab?",
    output: "Ivo",
    status: "ok",
    score: { name: "is_corrected", passed: false },
  });
});

test("a mistake without a verdict fails the run, and a right answer does not", () => {
  const history = [
    { role: "human", content: "2 + 2?" },
    { role: "Assistant", content: "FINAL ANSWER: 4" },
  ];
  const read = (more: object) => traceFrom({ question: "2 + 2?", history, ...more }).score;
  expect(read({ mistake_agent: "Assistant", mistake_step: 1 })).toMatchObject({ passed: false });
  expect(read({ mistake_agent: null, mistake_step: null })).toBeUndefined();
  expect(read({ mistake_step: null, is_correct: "True" })).toMatchObject({ passed: true });
});
