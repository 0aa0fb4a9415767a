import { expect, test } from "vitest";
import { itemFrom, toolsOf } from "../testing/trace-files.ts";

test("tool_use and tool_result blocks are calls with results, and is_error is a failed call", () => {
  const item = itemFrom({
    system: [{ type: "text", text: "Be kind." }],
    tools: [{ name: "refund", input_schema: {} }],
    messages: [
      { role: "user", content: "Refund order 7." },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "I should refund." },
          { type: "text", text: "One moment." },
          { type: "tool_use", id: "t1", name: "refund", input: { order: 7 } },
          { type: "tool_use", id: "t2", name: "log", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "t1",
            is_error: true,
            content: [{ type: "text", text: "card declined" }],
          },
          { type: "tool_result", tool_use_id: "t2", content: "ok" },
          { type: "text", text: "Any news?" },
        ],
      },
      { role: "assistant", content: [{ type: "text", text: "The card was declined." }] },
    ],
  });
  expect(item.format).toBe("anthropic");
  expect(item.trace).toMatchObject({
    task: "Refund order 7.",
    output: "The card was declined.",
    status: "ok",
    tools: ["refund"],
    meta: { system: "Be kind." },
  });
  expect(item.trace.steps.map((step) => step.kind)).toEqual([
    "input",
    "reasoning",
    "model",
    "tool",
    "tool",
    "input",
    "model",
    "output",
  ]);
  expect(toolsOf(item.trace)).toMatchObject([
    {
      name: "refund",
      args: { order: 7 },
      batch: 3,
      result: { ok: false, error: { message: "card declined", source: "flag" } },
    },
    { name: "log", batch: 3, result: { ok: true, data: "ok" } },
  ]);
});

test("a run that ends with a tool_use block is incomplete", () => {
  const { trace } = itemFrom([
    { role: "user", content: "Go." },
    {
      role: "assistant",
      content: [
        { type: "text", text: "I go." },
        { type: "tool_use", id: "a", name: "go", input: {} },
      ],
    },
  ]);
  expect([trace.status, trace.output]).toEqual(["incomplete", undefined]);
});

test("calls that the provider ran have their results out of the same message, errors flagged", () => {
  const { trace, format } = itemFrom([
    { role: "user", content: "What is new?" },
    {
      role: "assistant",
      content: [
        { type: "text", text: "I search." },
        { type: "server_tool_use", id: "w1", name: "web_search", input: { query: "news" } },
        {
          type: "web_search_tool_result",
          tool_use_id: "w1",
          content: [{ type: "web_search_result", url: "u" }],
        },
        { type: "server_tool_use", id: "w2", name: "web_search", input: { query: "more" } },
        {
          type: "web_search_tool_result",
          tool_use_id: "w2",
          content: { type: "web_search_tool_result_error", error_code: "max_uses_exceeded" },
        },
        { type: "text", text: "There is news." },
      ],
    },
  ]);
  expect(format).toBe("anthropic");
  expect([trace.status, trace.output]).toEqual(["ok", "There is news."]);
  expect(toolsOf(trace)).toMatchObject([
    { name: "web_search", args: { query: "news" }, result: { ok: true } },
    {
      name: "web_search",
      args: { query: "more" },
      result: { ok: false, error: { source: "flag" } },
    },
  ]);
});
