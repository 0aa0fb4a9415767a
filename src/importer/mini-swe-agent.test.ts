import { expect, test } from "vitest";
import { outcomes, toolsOf, tracesIn } from "../testing/trace-files.ts";
import { fixtureTrace, NO_SHARED, SHARED, WHY_NO_SHARED } from "../testing/trace-fixtures.ts";
import { readTraces } from "./importer.ts";

test("a run has its calls with their answers by id, also when they come in another order", () => {
  const trace = fixtureTrace("mini-swe-agent/calls.traj.json");
  expect(trace).toMatchObject({
    source: "mini-swe-agent",
    agent: "mini-swe-agent",
    agentVersion: "2.2.7",
    status: "ok",
    output: "diff --git a/total.py b/total.py\n+return sum(prices)",
    score: { name: "resolved", value: true, passed: true },
    meta: { instance: "shop__shop-7", model: "some/model", cost: 0.02 },
  });
  const [ls, grep, python, ...rest] = toolsOf(trace);
  expect(rest).toEqual([]);
  expect(ls).toMatchObject({
    id: "call_1",
    batch: 2,
    settled: 1,
    result: { data: { output: "total.py\n", exit_code: 0 } },
  });
  expect(grep).toMatchObject({
    id: "call_2",
    batch: 2,
    settled: 0,
    result: { ok: true, data: { exit_code: 1 } },
  });
  expect(python?.result).toEqual({
    ok: false,
    error: {
      name: "NonZeroExit",
      code: 2,
      message: "total.py: error: the file is missing",
      source: "flag",
    },
    data: { output: "usage: total.py FILE\ntotal.py: error: the file is missing\n", exit_code: 2 },
  });
});

test("what the harness says of a bad reply is no input of the user", () => {
  const { steps, task } = fixtureTrace("mini-swe-agent/calls.traj.json");
  expect(steps.filter(({ kind }) => kind === "input")).toHaveLength(1);
  expect(steps.filter(({ kind }) => kind === "other")).toHaveLength(1);
  expect(task).toContain("The total is wrong.");
});

test("a reply has its model, its tokens and its time", () => {
  const said = fixtureTrace("mini-swe-agent/calls.traj.json").steps.find(
    ({ kind }) => kind === "model",
  );
  expect(said).toMatchObject({
    name: "some-model",
    content: "I look at both.",
    usage: { inputTokens: 10, outputTokens: 2 },
    at: 1775803317500,
  });
});

test("a bare list of older releases has its commands in fences and its answers in the user's name", () => {
  const trace = fixtureTrace("mini-swe-agent/list.traj.json");
  expect(trace).toMatchObject({
    source: "mini-swe-agent",
    task: "Say hello.",
    status: "ok",
    output: "That was it.",
  });
  expect(toolsOf(trace).map(({ args, result }) => [args, result?.ok])).toEqual([
    [{ command: "hello" }, false],
    [{ command: "echo hello" }, true],
  ]);
});

test("a run whose limits were reached is a timeout without an output", () => {
  const trace = fixtureTrace("mini-swe-agent/limit.traj.json");
  expect([trace.status, trace.output]).toEqual(["timeout", undefined]);
});

test("every public run of mini-swe-agent is read, those with a report with their score", ({
  skip,
}) => {
  skip(NO_SHARED, WHY_NO_SHARED);
  const items = [...readTraces([`${SHARED}/mini-swe-agent`])];
  const asides = outcomes(items).filter((outcome) => outcome !== "trace");
  expect(asides).toEqual(Array.from({ length: 6 }, () => "skipped E_RECORD_ASIDE"));
  const traces = tracesIn(items);
  expect(traces).toHaveLength(8);
  expect(traces.map(({ score }) => score?.value).filter((value) => value === true)).toHaveLength(3);
  expect(traces.map(({ score }) => score?.value).filter((value) => value === false)).toHaveLength(
    3,
  );
  expect(traces.filter(({ status }) => status !== "ok")).toEqual([]);
});
