import { expect, test } from "vitest";
import { outcomes, readRecords, tracesIn } from "../testing/trace-files.ts";
import { fixture, NO_SHARED, SHARED, WHY_NO_SHARED } from "../testing/trace-fixtures.ts";
import { readTraces } from "./importer.ts";

test("each conversation is a trace, and what the grader says of its answer is its score", () => {
  const items = fixture("autogen/session.json");
  expect(items.map(({ key }) => key)).toEqual([0, 3, 4]);
  expect(tracesIn(items).map(({ output, score }) => [output, score?.passed])).toEqual([
    ["Six.", false],
    ["Count.", undefined],
    ["Eight.", true],
  ]);
  expect(tracesIn(items)[0]).toMatchObject({
    source: "autogen",
    task: "How many legs has a spider?",
    status: "ok",
    score: { name: "grader", value: 0, best: 1 },
    meta: { system: "You are helpful.", correct_answer: "8" },
    usage: { inputTokens: 10, outputTokens: 2 },
  });
});

test("calls and results of a conversation are joined by their ids", () => {
  const call = { id: "c", name: "count", arguments: '{"of":"legs"}' };
  const items = readRecords([
    {
      mode: "create",
      messages: [
        { type: "UserMessage", source: "User", content: "How many?" },
        { type: "AssistantMessage", source: "Bot", content: [call] },
        {
          type: "FunctionExecutionResultMessage",
          content: [{ call_id: "c", content: "8", is_error: false }],
        },
      ],
      response: { content: "Eight.", finish_reason: "stop" },
      stream: [],
    },
  ]);
  expect(tracesIn(items)[0]?.steps).toMatchObject([
    { kind: "input" },
    { kind: "tool", id: "c", name: "count", args: { of: "legs" }, result: { ok: true, data: 8 } },
    { kind: "model", content: "Eight." },
    { kind: "output" },
  ]);
});

test("every public session of autogen is read, and only graded calls have a score", ({ skip }) => {
  skip(NO_SHARED, WHY_NO_SHARED);
  const items = [...readTraces([`${SHARED}/autogen-session`])];
  expect(new Set(outcomes(items))).toEqual(new Set(["trace"]));
  const graded = items.flatMap((item) =>
    "trace" in item && item.trace.score !== undefined ? [[item.key, item.trace.score.value]] : [],
  );
  expect(graded).toEqual([
    [0, 0],
    [9, 1],
    [1, 0],
    [13, 1],
  ]);
});

test("recorded HTTP requests are no traces, and are named as such", ({ skip }) => {
  skip(NO_SHARED, WHY_NO_SHARED);
  const items = [...readTraces([`${SHARED}/http-recording`])];
  expect(outcomes(items)).toEqual(Array.from({ length: 3 }, () => "skipped E_FILE_FORMAT"));
});
