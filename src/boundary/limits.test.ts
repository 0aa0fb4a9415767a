import { expect, test } from "vitest";
import { boundary, type Layer, type ToolCall } from "./boundary.ts";
import { isRefusal, limits } from "./limits.ts";

const call: ToolCall = { id: "call_1", tool: "search", args: {} };

function calling(layer: Layer): () => unknown {
  const { call: pass } = boundary([layer], () => ({ ok: true, data: 1 }));
  return () => pass(call);
}

test("calls within the budget are let through and the next is refused by name", () => {
  const refused: Error[] = [];
  const ask = calling(limits({ toolCalls: 2, onRefused: (error) => refused.push(error) }));
  expect([ask(), ask()]).toEqual([
    { ok: true, data: 1 },
    { ok: true, data: 1 },
  ]);
  expect(ask).toThrowErrorMatchingInlineSnapshot(
    `[CallBudgetExceeded: Failed to call search: the budget of 2 tool calls is used up. Raise the budget if the agent needs more, else look for a loop.]`,
  );
  expect(refused).toMatchObject([{ name: "CallBudgetExceeded", code: "E_CALL_BUDGET" }]);
  expect(refused.every(isRefusal)).toBe(true);
});

test("after an abort, or past the time, no call is let through", () => {
  const over = new AbortController();
  const ask = calling(limits({ signal: over.signal }));
  expect(ask()).toEqual({ ok: true, data: 1 });
  over.abort();
  expect(ask).toThrow(expect.objectContaining({ name: "LateToolCall", code: "E_CALL_LATE" }));
  expect(calling(limits({ until: 0 }))).toThrow(
    expect.objectContaining({ name: "TimeBudgetExceeded" }),
  );
});

test("a caller that never stops is left waiting after a hundred refusals", () => {
  const ask = calling(limits({ toolCalls: 0 }));
  for (let i = 0; i < 100; i++) expect(ask).toThrow("budget of 0");
  expect(ask()).toBeInstanceOf(Promise);
});

test("other errors are no refusals", () => {
  expect(
    [new Error("x"), { code: "DECLINED" }, null, "E_CALL_BUDGET"].map((value) => isRefusal(value)),
  ).toEqual([false, false, false, false]);
});
