import { expect, test } from "vitest";
import { detect, real } from "../detector/detector.ts";
import { itemFrom, outcomes, toolsOf, traceFrom, tracesIn } from "../testing/trace-files.ts";
import {
  fixture,
  fixtureTrace,
  NO_SHARED,
  SHARED,
  WHY_NO_SHARED,
} from "../testing/trace-fixtures.ts";
import { readTraces } from "./importer.ts";

test("a run is the last of its growing prefixes, with the query as its task and the final answer as its output", () => {
  const trace = fixtureTrace("toolbench/found.json");
  expect(trace).toMatchObject({
    source: "toolbench",
    status: "ok",
    task: "How warm is it in Oslo and Bergen?",
    output: "Oslo has 7 degrees; Bergen is not known.",
    tools: ["Finish", "weather_for_sky"],
    meta: { win: true, finish_type: "give_answer" },
  });
  expect(trace.steps.map(({ kind }) => kind)).toEqual([
    "input",
    "tool",
    "other",
    "model",
    "tool",
    "tool",
    "tool",
    "output",
  ]);
});

test("an error is found in the wrapper, in the answer within it, and in broken JSON, and none is made of a good reply", () => {
  const results = toolsOf(fixtureTrace("toolbench/found.json")).map(({ result }) => result);
  expect(results).toMatchObject([
    { ok: false, error: { message: "Rate limit per minute error...", source: "wrapper" } },
    { ok: true, data: { degrees: 7, windy: true, warning: null } },
    { ok: false, error: { message: "No such city", source: "wrapper" } },
    { ok: false },
  ]);
});

test("winning is no score", () => {
  expect(fixtureTrace("toolbench/found.json").score).toBeUndefined();
});

test("a search without messages is read along the way that it went last", () => {
  const trace = fixtureTrace("toolbench/tree.json");
  expect(trace).toMatchObject({ status: "incomplete", meta: { gave_up: true } });
  expect(trace.output).toBeUndefined();
  expect(trace.steps.map(({ kind }) => kind)).toEqual(["input", "reasoning", "tool", "tool"]);
  expect(toolsOf(trace)[0]).toMatchObject({
    name: "weather_for_sky",
    args: { city: "Oslo" },
    result: { ok: false, error: { code: 5, message: "Timeout error..." } },
  });
  expect(real(detect(trace)).map(({ kind }) => kind)).toContain("abandoned");
});

test("evaluated answers keep the names of their records, and what was cut is kept as cut", () => {
  const items = fixture("toolbench/evaluated.json");
  expect(items.map(({ key }) => key)).toEqual(["17", "18"]);
  const [warm, rome] = tracesIn(items);
  expect(warm).toMatchObject({
    task: "How warm is it in Oslo?",
    output: "7 degrees.",
    status: "ok",
    truncated: "cut_texts",
  });
  expect(warm === undefined ? [] : toolsOf(warm).map(({ args, result }) => [args, result])).toEqual(
    [
      [{ city: "Oslo" }, { ok: true, data: { degrees: 7 } }],
      [{ city: "Bergen" }, { ok: true, data: { $t: "truncated", v: "'{\"err" } }],
    ],
  );
  expect(rome?.status).toBe("incomplete");
  expect(rome === undefined ? [] : toolsOf(rome)[0]?.name).toBe(
    "a_tool_with_a_name_so_long_that_nothing_of_its_arguments_is_left",
  );
});

test("a record with its messages on top is read like one of a search", () => {
  const trace = traceFrom({
    query_id: 5,
    answer_generation: {
      query: "Weather in Paris?",
      final_answer: '{"return_type":"give_answer","final_answer":"Rain."}',
      train_messages: [
        { role: "user", content: "Weather in Paris?" },
        {
          role: "assistant",
          content: null,
          function_call: { name: "w", arguments: '{"city":"Paris"}' },
        },
        { role: "function", name: "w", content: '{"error":"Rate limit exceeded","response":""}' },
      ],
      valid_data: true,
    },
  });
  expect(trace).toMatchObject({
    task: "Weather in Paris?",
    output: "Rain.",
    meta: { query_id: 5 },
  });
  expect(toolsOf(trace)[0]?.result).toMatchObject({ error: { message: "Rate limit exceeded" } });
});

test("a wrapper that was cut off is no error, and one that says an error in broken JSON is", () => {
  const answer = (content: string) => [
    { role: "assistant", content: null, function_call: { name: "w", arguments: "{}" } },
    { role: "function", content },
  ];
  const trace = traceFrom({
    answer_generation: {
      query: "q",
      final_answer: '{"return_type": "give_answer", "final_answer": "two\nlines"}',
      train_messages: [
        [
          ...answer('{"error": "", "response": "[{\\"id\\": 1}, {\\"i...'),
          ...answer('{"error": "Message error...", "response": "{\'a\': 1, \'b...'),
          ...answer('{error:"must have "return_type""}'),
          ...answer('{"error": "Timeout error...", "response": "'),
        ],
      ],
    },
  });
  expect(
    toolsOf(trace).map(({ result }) => [result?.ok, result?.ok === true ? result.data : ""]),
  ).toEqual([
    [true, '[{"id": 1}, {"i...'],
    [true, "{'a': 1, 'b..."],
    [false, ""],
    [false, ""],
  ]);
  expect([trace.truncated, trace.output]).toEqual(["cut_texts", "two\nlines"]);
});

test("a long answer that ends in dots was cut off by the writer", () => {
  const content = JSON.stringify({ error: "", response: `{'a': '${"x".repeat(600)}...` });
  const { trace, warnings } = itemFrom({
    answer_generation: {
      query: "q",
      final_answer: "a",
      train_messages: [
        [
          { role: "assistant", content: null, function_call: { name: "w", arguments: "{}" } },
          { role: "function", content },
        ],
      ],
    },
  });
  expect(trace.truncated).toBe("cut_texts");
  expect(warnings).toEqual(["1 texts were cut off by the program that wrote them"]);
});

test("every public record of ToolBench is read", ({ skip }) => {
  skip(NO_SHARED, WHY_NO_SHARED);
  const items = [...readTraces([`${SHARED}/toolbench`])];
  expect(outcomes(items)).toEqual(Array.from({ length: 107 }, () => "trace"));
  const traces = tracesIn(items);
  expect(traces.filter(({ output }) => output === undefined)).toHaveLength(34);
  expect(traces.filter(({ task }) => typeof task !== "string")).toEqual([]);
});
