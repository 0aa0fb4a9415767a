import { expect, test } from "vitest";
import { outcomes, toolsOf, tracesIn } from "../testing/trace-files.ts";
import { fixtureTrace, NO_SHARED, SHARED, WHY_NO_SHARED } from "../testing/trace-fixtures.ts";
import { readTraces } from "./importer.ts";

test("a state that ended has its calls, its answer and its usage", () => {
  const trace = fixtureTrace("openai-agents/final.json");
  expect(trace).toMatchObject({
    source: "openai-agents",
    agent: "Clerk",
    task: "Refund order 7.",
    output: "Order 7 is paid; I refund it.",
    status: "ok",
    usage: { inputTokens: 30, outputTokens: 9, totalTokens: 39 },
  });
  expect(toolsOf(trace)).toMatchObject([
    { id: "c1", name: "get_order", args: { id: 7 }, result: { ok: true, data: "paid" } },
  ]);
});

test("a state that waits for a person is incomplete, says for what, and keeps the agent inside", () => {
  const trace = fixtureTrace("openai-agents/waiting.json");
  expect(trace).toMatchObject({
    status: "incomplete",
    truncated: "waiting_for_approval",
    meta: { waiting_for: ["pay"] },
  });
  expect(trace.steps.at(-1)).toMatchObject({
    name: "subagent",
    content: [{ call: "cashier:c2", agent: "Cashier" }],
  });
});

test("every public run state is read", ({ skip }) => {
  skip(NO_SHARED, WHY_NO_SHARED);
  const items = [...readTraces([`${SHARED}/openai-agents-runstate`])];
  expect(outcomes(items)).toEqual(["trace", "trace", "trace"]);
  expect(tracesIn(items).map(({ task, truncated }) => [task, truncated])).toEqual([
    ["hello", "unfinished"],
    ["hello", "unfinished"],
    ["start", "waiting_for_approval"],
  ]);
});
