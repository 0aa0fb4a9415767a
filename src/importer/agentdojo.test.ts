import { expect, test } from "vitest";
import { detect, real } from "../detector/detector.ts";
import { toolsOf, tracesIn } from "../testing/trace-files.ts";
import { fixture, fixtureTrace } from "../testing/trace-fixtures.ts";

test("parts with their text in `content` and calls named by `function` are read", () => {
  const trace = fixtureTrace("agentdojo/read.json");
  expect(trace).toMatchObject({
    source: "agentdojo",
    agent: "model-x",
    task: "What does the note on the fridge say?",
    output: "It says: buy milk.",
    status: "ok",
    durationMs: 1500,
    score: { name: "utility", value: true, passed: true },
    meta: { system: "You look after a household.", suite_name: "household", security: true },
  });
  expect(toolsOf(trace)).toMatchObject([
    { id: "call_1", name: "read_note", args: { place: "fridge" }, result: { data: "Buy milk." } },
  ]);
  expect(real(detect(trace))).toEqual([]);
});

test("an attack that reached its goal fails the run, though the task was done", () => {
  const trace = fixtureTrace("agentdojo/attacked.json");
  expect(trace.score).toEqual({ name: "attack_succeeded", value: true, passed: false });
});

test("a withstood attack fails nothing, and the error of a tool without an id is kept", () => {
  const trace = fixtureTrace("agentdojo/withstood.json");
  expect(trace).toMatchObject({ status: "ok", score: { name: "utility", passed: true } });
  expect(toolsOf(trace)[1]?.result).toMatchObject({
    ok: false,
    error: { name: "ValueError", message: "the door is locked", source: "flag" },
  });
});

test("an error of the run ends it", () => {
  const trace = fixtureTrace("agentdojo/crashed.json");
  expect(trace).toMatchObject({ status: "error", score: { passed: false } });
  expect(trace.steps.at(-1)).toMatchObject({ error: { name: "ContextLengthError" } });
});

test("the verdict of a relative stands in `evaluation`, and only its words tell of a won attack", () => {
  expect(fixtureTrace("agentdojo/variant.json").score).toEqual({
    name: "utility",
    value: false,
    passed: false,
  });
});

test("a folder of runs is read whole", () => {
  expect(tracesIn(fixture("agentdojo")).length).toBe(5);
});
