import { expect, test } from "vitest";
import { detect, real } from "../detector/detector.ts";
import { folderOf, outcomes, toolsOf, tracesIn } from "../testing/trace-files.ts";
import {
  fixture,
  fixtureTrace,
  NO_SHARED,
  SHARED,
  WHY_NO_SHARED,
} from "../testing/trace-fixtures.ts";
import { readTraces } from "./importer.ts";

test("a run of the first layout has the task behind the demonstration, its commands and its patch", () => {
  const trace = fixtureTrace("swe-agent/first.traj");
  expect(trace).toMatchObject({
    source: "swe-agent",
    agent: "swe-agent",
    status: "ok",
    task: "The total of an order is wrong.\n\n(Open file: n/a)",
    output: "diff --git a/total.py b/total.py\n+return sum(prices)",
    usage: { inputTokens: 120, outputTokens: 30 },
    meta: { instance: "first", exit_status: "submitted", cost: 0.1 },
  });
  expect(trace.steps.map(({ kind }) => kind)).toEqual([
    "input",
    "reasoning",
    "tool",
    "reasoning",
    "tool",
    "tool",
    "reasoning",
    "tool",
    "output",
  ]);
  expect(toolsOf(trace).map(({ name }) => name)).toEqual(["find_file", "edit", "bash", "submit"]);
});

test("a command that SWE-agent refuses is an error told by text, and colours and leftovers are no output", () => {
  const [, edit, run] = toolsOf(fixtureTrace("swe-agent/first.traj"));
  expect(edit?.result).toMatchObject({
    ok: false,
    error: { message: "No file open. Use the `open` command first.", source: "text" },
  });
  expect(run).toMatchObject({
    args: { command: "python total.py" },
    result: { ok: true, data: "6\n" },
  });
});

test("function calls keep their names, ids and arguments, and their seconds", () => {
  const trace = fixtureTrace("swe-agent/calls.traj");
  const [view, cat] = toolsOf(trace);
  expect(view).toMatchObject({
    id: "c1",
    name: "str_replace_editor",
    args: { command: "view", path: "/shop/total.py" },
    durationMs: 250,
    result: { ok: true, data: "1 return max(prices)" },
  });
  expect(cat?.result).toMatchObject({ ok: false, error: { source: "text" } });
  expect(trace).toMatchObject({
    agentVersion: "1.0.1",
    meta: { model: "some-model", environment: "shop-1" },
  });
});

test("the settings of a run, which may hold keys, are left out", () => {
  expect(JSON.stringify(fixtureTrace("swe-agent/calls.traj"))).not.toContain("not-a-key");
});

test("work that was handed in because the money ran out is a timeout with its patch", () => {
  const { status, output, steps } = fixtureTrace("swe-agent/calls.traj");
  expect([status, output, steps.at(-1)?.kind]).toEqual([
    "timeout",
    "diff --git a/total.py b/total.py",
    "error",
  ]);
});

test("the report beside a run gives its score, and is no run of its own", () => {
  const items = fixture("swe-agent/calls.traj", "swe-agent/calls.report.json");
  expect(outcomes(items)).toEqual(["trace", "skipped E_RECORD_ASIDE"]);
  expect(tracesIn(items)[0]?.score).toEqual({ name: "resolved", value: false, passed: false });
});

test("a file of results beside a run gives its score by the instance", () => {
  const trace = fixtureTrace("swe-agent/named.traj");
  expect(trace.score).toEqual({ name: "resolved", value: false, passed: false });
  expect(fixtureTrace("swe-agent/first.traj").score).toBeUndefined();
});

test("a record with an instance and a problem on top is read with both", () => {
  const trace = fixtureTrace("swe-agent/named.traj");
  expect(trace).toMatchObject({ task: "Rounding is off by a cent.", status: "timeout" });
  expect(toolsOf(trace).map(({ name, result }) => [name, result?.ok])).toEqual([
    ["find_file", true],
    ["bash", false],
  ]);
});

test("a history alone is read with its calls and what was handed in", () => {
  const trace = fixtureTrace("swe-agent/history.traj");
  expect(trace).toMatchObject({
    task: "The total of an order is wrong.",
    status: "ok",
    output: "diff --git a/total.py b/total.py",
  });
  expect(toolsOf(trace).map(({ name }) => name)).toEqual(["str_replace_editor", "bash", "submit"]);
});

test("submitted without any work is not finished", () => {
  const path = `${folderOf({
    "a.traj": JSON.stringify({
      trajectory: [{ action: "submit", observation: "", thought: "Done.", response: "Done." }],
      history: [{ role: "user", content: "Fix it." }],
      info: { exit_status: "submitted", submission: null },
    }),
  })}/a.traj`;
  const [trace] = tracesIn(readTraces([path]));
  expect(trace?.status).toBe("incomplete");
  expect(trace === undefined ? [] : real(detect(trace)).map(({ kind }) => kind)).toEqual([
    "abandoned",
  ]);
});

test.each([
  ["exit_context", "error"],
  ["exit_total_execution_time", "timeout"],
  ["submitted (exit_command_timeout)", "timeout"],
  ["early_exit", "error"],
])("the end %s is the status %s", (exit_status, status) => {
  const path = `${folderOf({
    "a.traj": JSON.stringify({ trajectory: [], history: [], info: { exit_status } }),
  })}/a.traj`;
  expect(tracesIn(readTraces([path]))[0]?.status).toBe(status);
});

test("every public run of SWE-agent is read, the one with a report with its score", ({ skip }) => {
  skip(NO_SHARED, WHY_NO_SHARED);
  const items = [...readTraces([`${SHARED}/swe-agent`])];
  expect(outcomes(items).filter((outcome) => outcome !== "trace")).toEqual([
    "skipped E_RECORD_ASIDE",
  ]);
  const traces = tracesIn(items);
  expect(traces).toHaveLength(13);
  expect(traces.filter(({ score }) => score?.passed === false)).toHaveLength(1);
  expect(traces.filter(({ output }) => output === undefined)).toHaveLength(1);
  expect(
    traces.flatMap((trace) => toolsOf(trace)).filter(({ result }) => result === undefined),
  ).toEqual([]);
});
