import { expect, test } from "vitest";
import { folderOf, outcomes, toolsOf, traceFrom, tracesIn } from "../testing/trace-files.ts";
import {
  fixture,
  fixtureTrace,
  NO_SHARED,
  SHARED,
  WHY_NO_SHARED,
} from "../testing/trace-fixtures.ts";
import { readTraces } from "./importer.ts";

const [taken, broken] = tracesIn(fixture("tau2-bench/results.json"));

test("each simulation of a results file is a run with its place, its task and its reward", () => {
  const items = fixture("tau2-bench/results.json");
  expect(items.map(({ record, key }) => [record, key])).toEqual([
    [0, 0],
    [0, 1],
  ]);
  expect(taken).toMatchObject({
    source: "tau2-bench",
    agent: "llm_agent",
    status: "ok",
    task: "A seat, please.",
    output: "That seat is taken.",
    durationMs: 60_000,
    usage: { inputTokens: 5, outputTokens: 2 },
    score: { name: "reward", value: 1, best: 1, passed: true },
    meta: {
      task_id: "[a]b:c|d",
      trial: 0,
      system: "Be kind.",
      model: "some-model",
      instruction: { reason_for_call: "You want a seat." },
    },
  });
  expect(taken?.taskId).toBe(broken?.taskId);
});

test("parallel calls are joined by id, with the flag of the environment", () => {
  expect(taken === undefined ? [] : toolsOf(taken)).toMatchObject([
    {
      id: "c1",
      batch: 2,
      settled: 1,
      result: { ok: false, error: { message: "the seat is taken", source: "flag" } },
    },
    { id: "c2", batch: 2, settled: 0, result: { ok: true, data: [1, 2] } },
  ]);
});

test("what the user's own tools did is kept, and is no call of the agent", () => {
  const others = taken?.steps.flatMap((step) =>
    step.kind === "other" ? [[step.name, step.content]] : [],
  );
  expect(others).toEqual([
    ["user_call", { name: "toggle_roaming", args: {} }],
    ["user_result", { name: "toggle_roaming", content: "Roaming is on", error: false }],
  ]);
});

test("signs for the harness are neither said nor asked", () => {
  expect(JSON.stringify(taken)).not.toContain("###");
  const sign = { role: "assistant", content: "###STOP###" };
  const call = {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "a", name: "fix", arguments: {} }],
  };
  const done = { role: "tool", id: "a", content: "ok", error: false };
  const solo = traceFrom({
    task_id: "1",
    termination_reason: "agent_stop",
    messages: [call, done, sign],
  });
  expect([solo.status, solo.output]).toEqual(["incomplete", undefined]);
});

test("a run that was broken off has a status for it and no output", () => {
  expect(broken).toMatchObject({ status: "timeout" });
  expect(broken?.output).toBeUndefined();
  expect(broken?.steps.at(-1)).toMatchObject({
    kind: "error",
    error: { message: "max_steps", source: "flag" },
  });
});

test.each([
  ["user_stop", "ok"],
  ["agent_stop", "ok"],
  ["max_steps", "timeout"],
  ["timeout", "timeout"],
  ["too_many_errors", "error"],
  ["agent_error", "error"],
  ["user_error", "error"],
  ["infrastructure_error", "error"],
  ["context_window_exceeded", "error"],
  ["unexpected_error", "error"],
])("the end %s is the status %s", (termination_reason, status) => {
  const messages = [
    { role: "user", content: "Hi" },
    { role: "assistant", content: "Bye" },
  ];
  expect(traceFrom({ task_id: "1", termination_reason, messages }).status).toBe(status);
});

test("a spoken conversation is what each side said until the other spoke or a tool was called", () => {
  const trace = fixtureTrace("tau2-bench/spoken.json");
  expect(
    trace.steps.map((step) => ("content" in step ? [step.kind, step.content] : [step.kind])),
  ).toEqual([
    ["model", "Hello."],
    ["input", "A seat."],
    ["tool"],
    ["model", "Seat 1."],
    ["output", "Seat 1."],
  ]);
  expect(toolsOf(trace)[0]?.result).toEqual({ ok: true, data: [1] });
});

test("ticks without a text are named, as nothing of the run can be read", () => {
  const ticks = [{ tick_id: 0, agent_chunk: { role: "assistant", contains_speech: true } }];
  const path = folderOf({
    "a.json": JSON.stringify({ task_id: "1", termination_reason: "user_stop", ticks }),
  });
  expect(outcomes(readTraces([path]))).toEqual(["E_RECORD_EMPTY"]);
});

test("a simulation in a folder of its own finds its task in the results file above", () => {
  const path = folderOf({
    "results.json": JSON.stringify({
      info: { environment_info: { domain_name: "air" } },
      tasks: [{ id: "1", ticket: "The phone is dead." }],
      simulations: [],
    }),
    "simulations/1.json": JSON.stringify({
      task_id: "1",
      termination_reason: "agent_stop",
      reward_info: { reward: 0 },
      messages: [{ role: "assistant", content: "It works." }],
    }),
  });
  const items = [...readTraces([path])];
  expect(outcomes(items)).toEqual(["skipped E_RECORD_ASIDE", "trace"]);
  expect(tracesIn(items)[0]).toMatchObject({
    task: "The phone is dead.",
    output: "It works.",
    score: { passed: false },
  });
});

test("every public simulation is read, but for the one whose recording holds no text", ({
  skip,
}) => {
  skip(NO_SHARED, WHY_NO_SHARED);
  const items = [...readTraces([`${SHARED}/tau2-bench`])];
  expect(outcomes(items).filter((outcome) => outcome !== "trace")).toEqual(["E_RECORD_EMPTY"]);
  const traces = tracesIn(items);
  expect(traces).toHaveLength(22);
  expect(traces.filter(({ score }) => score === undefined)).toEqual([]);
  expect(
    traces.flatMap((trace) => toolsOf(trace)).filter(({ result }) => result === undefined),
  ).toEqual([]);
});
