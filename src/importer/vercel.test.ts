import { expect, test } from "vitest";
import { itemFrom, toolsOf, traceFrom } from "../testing/trace-files.ts";
import { fixtureTrace } from "../testing/trace-fixtures.ts";

test("a result has the calls of each step with their results, and the question of its request", () => {
  const trace = fixtureTrace("vercel-ai-sdk/generate-text.json");
  expect(trace).toMatchObject({
    source: "vercel-ai-sdk",
    task: "How warm are Oslo and Rome?",
    output: "Oslo is cold, Rome is warm.",
    status: "ok",
    usage: { inputTokens: 50, outputTokens: 20, totalTokens: 70 },
    meta: { system: "Be brief.", model: "tiny-1", finish_reason: "stop" },
  });
  expect(toolsOf(trace)).toMatchObject([
    {
      id: "v1",
      args: { city: "Oslo" },
      batch: 2,
      settled: 1,
      result: { ok: false, error: { message: "station is down", source: "flag" } },
    },
    {
      id: "v2",
      args: { city: "Rome" },
      batch: 2,
      settled: 0,
      result: { ok: true, data: { c: 21 } },
    },
  ]);
});

test("a result without its request is read, and says that the question is missing", () => {
  const { trace, warnings } = itemFrom({
    text: "Ho.",
    finishReason: "stop",
    steps: [{ text: "Ho.", finishReason: "stop", toolCalls: [], toolResults: [] }],
  });
  expect(trace).toMatchObject({ task: null, output: "Ho." });
  expect(warnings).toContain(
    "the result does not hold what was asked: it was written without its request",
  );
});

test("the parts of newer steps are read, with a call that failed", () => {
  const trace = traceFrom({
    prompt: "Look.",
    steps: [
      {
        finishReason: "tool-calls",
        content: [
          { type: "text", text: "I look." },
          { type: "tool-call", toolCallId: "x", toolName: "look", input: { at: 1 } },
          {
            type: "tool-error",
            toolCallId: "x",
            toolName: "look",
            input: { at: 1 },
            error: "it is dark",
          },
        ],
      },
      { finishReason: "stop", content: [{ type: "text", text: "It is dark." }] },
    ],
  });
  expect(trace).toMatchObject({ task: "Look.", output: "It is dark.", status: "ok" });
  expect(toolsOf(trace)).toMatchObject([
    { id: "x", args: { at: 1 }, result: { ok: false, error: { message: "it is dark" } } },
  ]);
});

test("the messages of a chat have the calls of one step together, each with its result", () => {
  const trace = fixtureTrace("vercel-ai-sdk/chat.json");
  expect(trace).toMatchObject({ task: "Book a table.", output: "Table 4 is taken.", status: "ok" });
  expect(toolsOf(trace)).toMatchObject([
    { id: "p1", name: "findTable", batch: 2, result: { ok: true, data: { table: 4 } } },
    {
      id: "p2",
      name: "hold",
      batch: 2,
      result: { ok: false, error: { message: "table is taken", source: "flag" } },
    },
  ]);
});
