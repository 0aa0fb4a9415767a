import { expect, test } from "vitest";
import { toolsOf, tracesIn } from "../testing/trace-files.ts";
import { fixture, fixtureTrace } from "../testing/trace-fixtures.ts";

const [lines, cats, cake, called] = tracesIn(fixture("agentbench/runs.jsonl"));

test("the task is the real problem behind the worked example", () => {
  expect(lines?.task).toBe("How many lines has /log?");
  expect(lines === undefined ? [] : toolsOf(lines).map(({ name, args }) => [name, args])).toEqual([
    ["bash", { input: "wc -l /log" }],
    ["bash", { input: "wc -l /log" }],
  ]);
});

test("what the user says after an action is its result", () => {
  const [first, second] = lines === undefined ? [] : toolsOf(lines);
  expect(first?.result).toMatchObject({
    ok: false,
    error: { message: "wc: /log: No such file", source: "text" },
  });
  expect(second?.result).toBeUndefined();
});

test("a limit that was reached is a timeout, with the result as its score", () => {
  expect(lines).toMatchObject({
    source: "agentbench",
    status: "timeout",
    score: { name: "result", value: false, passed: false },
    endedAt: 1_700_000_000_000,
    meta: { index: 0, status: "task limit reached" },
  });
  expect(lines?.output).toBeUndefined();
});

test("a statement in a fence is a call, and the final answer the output", () => {
  expect(cats).toMatchObject({
    task: "How many cats are there?",
    status: "ok",
    output: "3",
    score: { name: "is_correct", passed: true },
  });
  expect(cats === undefined ? [] : toolsOf(cats)).toMatchObject([
    { name: "sql", args: { input: "SELECT COUNT(*) FROM cats;" }, result: { ok: true } },
  ]);
  expect(cats?.steps.map(({ kind }) => kind)).toEqual([
    "input",
    "reasoning",
    "tool",
    "reasoning",
    "output",
  ]);
});

test("an invalid action is an error, whatever was said last", () => {
  expect(cake).toMatchObject({ task: "who made it?", status: "error" });
  expect(cake === undefined ? [] : toolsOf(cake)).toMatchObject([
    { name: "get_relations", args: { input: "cake" }, result: { ok: true, data: "[made_by]" } },
  ]);
});

test("a history of function calls is read as messages", () => {
  expect(called).toMatchObject({
    source: "agentbench",
    task: "Count the lines.",
    output: "4 lines.",
    score: { name: "reward", value: 0.5, best: 1, passed: false },
  });
});

test("a run that the infrastructure lost is an error without a conversation", () => {
  expect(fixtureTrace("agentbench/error.jsonl")).toMatchObject({
    status: "error",
    task: null,
    meta: { index: 7 },
    steps: [{ kind: "error", error: { message: "NETWORK_ERROR", source: "flag" } }],
  });
});
