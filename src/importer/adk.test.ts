import { expect, test } from "vitest";
import { outcomes, toolsOf, traceFrom, tracesIn } from "../testing/trace-files.ts";
import {
  fixture,
  fixtureTrace,
  NO_SHARED,
  SHARED,
  WHY_NO_SHARED,
} from "../testing/trace-fixtures.ts";
import { readTraces } from "./importer.ts";

test("calls without ids are joined with their results in order, and pieces of a stream are told once", () => {
  const trace = fixtureTrace("adk/session.json");
  expect(trace).toMatchObject({
    source: "adk",
    agent: "dice",
    task: "Roll two dice.",
    output: "You rolled 4 and 7.",
    status: "ok",
  });
  expect(trace.steps.map(({ kind }) => kind)).toEqual([
    "input",
    "tool",
    "tool",
    "reasoning",
    "model",
    "output",
  ]);
  expect(toolsOf(trace)).toMatchObject([
    { name: "roll", args: { sides: 6 }, batch: 1, result: { ok: true, data: { result: 4 } } },
    { name: "roll", args: { sides: 8 }, batch: 1, result: { ok: true, data: { result: 7 } } },
  ]);
  expect(trace.steps[0]).toMatchObject({ at: 1772359200500 });
});

test("a session whose last event is an error ended with it", () => {
  const trace = traceFrom({
    app_name: "dice",
    events: [
      { author: "user", invocation_id: "i", content: { role: "user", parts: [{ text: "Roll." }] } },
      {
        author: "dice",
        invocation_id: "i",
        error_code: "RESOURCE_EXHAUSTED",
        error_message: "quota is used up",
      },
    ],
  });
  expect(trace.status).toBe("error");
  expect(trace.steps.at(-1)).toMatchObject({
    error: { name: "RESOURCE_EXHAUSTED", message: "quota is used up" },
  });
});

test("each question of an evaluation set is a trace of wanted values, whose unanswered calls are no sign of failure", () => {
  const items = fixture("adk/dice.evalset.json");
  expect(items.map(({ key }) => key)).toEqual([0, 1]);
  const [hello, roll] = tracesIn(items);
  expect(hello).toMatchObject({
    task: "Hello?",
    output: "Hello, I roll dice.",
    status: "ok",
    meta: { expected: true, case: "case-1" },
  });
  expect(roll).toMatchObject({
    task: "Roll.",
    output: "It is a 4.",
    status: "ok",
    truncated: "expected_values",
  });
  expect(
    roll === undefined ? [] : toolsOf(roll).map(({ name, args, result }) => [name, args, result]),
  ).toEqual([["roll", { sides: 6 }, undefined]]);
});

test("the older list of questions is read the same way", () => {
  const traces = tracesIn(fixture("adk/old.test.json"));
  expect(traces.map(({ task, output }) => [task, output])).toEqual([
    ["Roll.", "It is a 4."],
    ["Hello?", "Hello."],
  ]);
});

test("every public question of adk is read", ({ skip }) => {
  skip(NO_SHARED, WHY_NO_SHARED);
  const items = [...readTraces([`${SHARED}/adk`])];
  expect(outcomes(items)).toEqual(Array.from({ length: 9 }, () => "trace"));
  expect(items.map(({ key }) => key)).toEqual([0, 1, 2, 3, 0, 1, 2, 0, 1]);
});
