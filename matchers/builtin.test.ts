import { expect, expectTypeOf, test } from "vitest";
import { call, failed, traceOf, unanswered } from "../src/testing/traces.ts";
import { replay, type ReplayResult } from "../src/runtime.ts";
import * as builtin from "./builtin.ts";
import type { Budget } from "./to-stay-within-budget.ts";
import type { TwiceshyMatchers } from "./typed.ts";

expect.extend(builtin);

interface Own<R> extends TwiceshyMatchers<R> {}
type Own_ = Own<void>;
declare global {
  namespace Chai {
    interface Assertion extends Own_ {}
  }
}

const ORDER = { tool: "getOrder", args: { id: "A-1" }, data: { total: 40 } } as const;
const DECLINED = {
  tool: "refund",
  args: { id: "A-1" },
  error: { code: "DECLINED", message: "card closed" },
} as const;
type Context = { readonly call: (tool: string, args?: object) => Promise<unknown> };

async function good(_: unknown, { call: ask }: Context): Promise<unknown> {
  await ask("getOrder", { id: "A-1" });
  return ask("refund", { id: "A-1" }).catch((error: Error) => ({
    status: "blocked",
    message: `The refund was declined: ${error.message}`,
  }));
}

async function bad(_: unknown, { call: ask }: Context): Promise<string> {
  await ask("refund", { id: "A-1" }).catch(() => undefined);
  return "Your refund was completed successfully.";
}

async function lost(_: unknown, { call: ask }: Context): Promise<string> {
  return String(await ask("getOrder", { id: "A-2" }).catch(() => "The order could not be found."));
}

async function run(
  agent: (task: never, context: never) => unknown,
  checks: { type: string; [field: string]: string }[] = [],
): Promise<ReplayResult> {
  return replay(agent, { task: "Refund A-1.", cassette: [ORDER, DECLINED], checks });
}

function messageOf(fail: () => void): string {
  try {
    fail();
  } catch (thrown) {
    return (thrown as Error).message;
  }
  throw new Error("the matcher passed");
}

test("an honest report of a refused refund is no repeated failure", async () => {
  expect(await run(good)).toNotRepeatFailure();
});

test("a claimed refund that never happened fails toNotRepeatFailure with its evidence", async () => {
  const result = await run(bad);
  expect(messageOf(() => expect(result).toNotRepeatFailure())).toMatchInlineSnapshot(`
    "expect(received).toNotRepeatFailure()

    Expected: no failure, and every call answered
    Received: fails_differently: unsupported_claim:refund is new: The answer does not say that refund failed: card closed (DECLINED); tool_error:refund is new: card closed (DECLINED)

      - unsupported_claim:refund at step 2: The answer does not say that refund failed: card closed (DECLINED)
      - tool_error:refund at step 1: card closed (DECLINED)"
  `);
});

test("a call without a recorded answer fails toNotRepeatFailure and names the first differing path", async () => {
  const result = await run(lost);
  expect(messageOf(() => expect(result).toNotRepeatFailure())).toMatchInlineSnapshot(`
    "expect(received).toNotRepeatFailure()

    Expected: no failure, and every call answered
    Received: unreplayable: Failed to answer getOrder({"id":"A-2"}) from the cassette: no such call was recorded; the nearest is getOrder({"id":"A-1"}), where /id is "A-1", not "A-2". Record a run that makes this call, or list the member in \`volatile\` when it never means anything.

      - no recorded answer for getOrder({"id":"A-2"}) at step 1
      - nearest recorded call: /id is "A-1" in the recording, "A-2" now"
  `);
});

test("toNotRepeatFailure refuses .not with a sentence", async () => {
  const result = await run(good);
  expect(messageOf(() => expect(result).not.toNotRepeatFailure())).toMatchInlineSnapshot(
    `"Failed to use .not.toNotRepeatFailure(): a test that passes only while the agent fails hides the failure that it names. Use toHaveFailure(kind) to state that a failure is there, or accept the verdict in the baseline with -u."`,
  );
});

test("toPassChecks passes when all hold, and says which do not", async () => {
  expect(await run(good, [{ type: "tool_called", name: "refund" }])).toPassChecks();
  const result = await run(good, [{ type: "tool_not_called", name: "refund" }]);
  expect(result).not.toPassChecks();
  expect(messageOf(() => expect(result).toPassChecks())).toMatchInlineSnapshot(`
    "expect(received).toPassChecks()

    Expected: every check to hold
    Received: 0 of 1 hold

      - check tool_not_called {"name":"refund"} does not hold: 2 calls: getOrder, refund"
  `);
});

test("toPassChecks fails on a replay that missed, whatever the checks say", async () => {
  const result = await run(lost, [{ type: "tool_called", name: "getOrder" }]);
  expect(result).not.toPassChecks();
});

test("toPassChecks without any check is an error, because it would assert nothing", async () => {
  const result = await run(good);
  expect(messageOf(() => expect(result).toPassChecks())).toMatchInlineSnapshot(
    `"Failed to use toPassChecks(): the repro has no checks, so nothing would be asserted. Add some to its "checks" in the repros file, or use toNotRepeatFailure()."`,
  );
});

test("toHaveCalledTool finds a call by name and by some of its arguments", async () => {
  const result = await run(good);
  expect(result).toHaveCalledTool("refund");
  expect(result).toHaveCalledTool("refund", { id: "A-1" });
  expect(result).toHaveCalledTool("refund", { id: expect.stringContaining("A-") });
  expect(result).not.toHaveCalledTool("refund", { id: "A-2" });
  expect(messageOf(() => expect(result).toHaveCalledTool("refund", { id: "A-2" })))
    .toMatchInlineSnapshot(`
    "expect(received).toHaveCalledTool("refund", ...)

    Expected: a call of refund with {"id":"A-2"}
    Received: 2 tool calls, 1 of refund, 0 of them as described

      - step 1: getOrder({"id":"A-1"})
      - step 2: refund({"id":"A-1"})"
  `);
});

test(".not.toHaveCalledTool counts attempts that were never answered, and the positive form does not", async () => {
  const missed = await run(lost);
  expect(messageOf(() => expect(missed).not.toHaveCalledTool("getOrder"))).toContain(
    "not answered",
  );
  expect(messageOf(() => expect(missed).toHaveCalledTool("getOrder"))).toContain("not answered");
  const trace = traceOf([unanswered("refund")], { output: "x" });
  expect(messageOf(() => expect(trace).not.toHaveCalledTool("refund"))).toContain(
    "no call of refund",
  );
  expect(messageOf(() => expect(trace).toHaveCalledTool("refund"))).toContain("a call of refund");
});

test("a tool named like a member of Object is found as any other", () => {
  const trace = traceOf([call("constructor", { x: 1 }, null)], { output: "ok" });
  expect(trace).toHaveCalledTool("constructor");
  expect(trace).not.toHaveCalledTool("toString");
  expect(trace).not.toHaveCalledTool("constructor", { hasOwnProperty: 1 });
});

test("toStayWithinBudget includes its bounds", () => {
  const trace = traceOf(
    [
      call("a"),
      call("b"),
      { kind: "model", content: "x", usage: { inputTokens: 5, outputTokens: 2 } },
    ],
    { output: "ok", durationMs: 12 },
  );
  expect(trace).toStayWithinBudget({ toolCalls: 2, tokens: 7, ms: 12 });
  expect(trace).not.toStayWithinBudget({ toolCalls: 1 });
  expect(messageOf(() => expect(trace).toStayWithinBudget({ toolCalls: 1, tokens: 3 })))
    .toMatchInlineSnapshot(`
    "expect(received).toStayWithinBudget({"toolCalls":1,"tokens":3})

    Expected: at most 1 toolCalls, 3 tokens
    Received: 2 toolCalls, 7 tokens"
  `);
});

test("a budget for what the trace does not tell is an error, not a pass", () => {
  const trace = traceOf([call("a")], { output: "ok" });
  expect(messageOf(() => expect(trace).toStayWithinBudget({ tokens: 5 }))).toMatchInlineSnapshot(
    `"Failed to compare tokens with a budget: the trace does not tell its tokens. Give usage to recorder.model(response, { usage })."`,
  );
  expect(() => expect(trace).not.toStayWithinBudget({ ms: 5 })).toThrow("Failed to compare ms");
});

test("an empty or misspelt budget is an error", () => {
  const trace = traceOf([call("a")], { output: "ok" });
  expect(() => expect(trace).toStayWithinBudget({})).toThrow("names nothing");
  expect(() => expect(trace).toStayWithinBudget({ calls: 3 } as Budget)).toThrow(
    '"calls" is no budget',
  );
  expect(() => expect(trace).toStayWithinBudget({ toolCalls: Number.NaN })).toThrow("no number");
});

test("toHaveFailure takes a kind or a signature, and counts no low failure", () => {
  const trace = traceOf([failed("refund", {}, "card closed")], { output: "Refunded." });
  expect(trace).toHaveFailure("tool_error");
  expect(trace).toHaveFailure("tool_error:refund");
  expect(trace).not.toHaveFailure("loop");
  const recovered = traceOf([failed("get", {}, "busy"), call("get", {}, { total: 3 })], {
    output: "It is 3.",
  });
  expect(recovered).not.toHaveFailure("tool_error");
  expect(messageOf(() => expect(trace).toHaveFailure("loop"))).toMatchInlineSnapshot(`
    "expect(received).toHaveFailure("loop")

    Expected: a failure loop
    Received: unsupported_claim:refund, tool_error:refund

      - unsupported_claim:refund at step 1: The answer does not say that refund failed: card closed
      - tool_error:refund at step 0: card closed"
  `);
});

test("a promise in place of a result is named as what it is", () => {
  expect(messageOf(() => expect(run(good)).toNotRepeatFailure())).toMatchInlineSnapshot(
    `"Failed to use toNotRepeatFailure(): expect() was given a promise, not a replay result, a trial or a trace. Await it first: expect(await replay(...))."`,
  );
  expect(() => expect({}).toHaveFailure("loop")).toThrow("another object");
  expect(() => expect(traceOf([], { output: "x" })).toPassChecks()).toThrow(
    "not the result of a replay",
  );
});

test("text of a trace adds no line, control character or command to a message", () => {
  const hostile = "x\n::error::y\u001b[2J\u202e\r\n##[error]z";
  const trace = traceOf([failed(`tool${hostile}`, { [hostile]: hostile }, hostile)], {
    output: "Done.",
  });
  for (const fail of [
    () => expect(trace).toNotRepeatFailure(),
    () => expect(trace).toHaveFailure(hostile),
    () => expect(trace).toHaveCalledTool(hostile, { a: hostile }),
    () => expect(trace).toStayWithinBudget({ toolCalls: 0 }),
  ]) {
    const text = messageOf(fail);
    expect(text).not.toMatch(/[^\n\x20-\x7e\u2026]/u);
    expect(text).not.toMatch(/^\s*::|##\[/m);
  }
});

test("the matchers are typed without their received value", () => {
  expectTypeOf<TwiceshyMatchers<void>["toHaveCalledTool"]>().toEqualTypeOf<
    (name: string, args?: unknown) => void
  >();
  expectTypeOf<TwiceshyMatchers<void>["toNotRepeatFailure"]>().toEqualTypeOf<() => void>();
  expectTypeOf<TwiceshyMatchers<Promise<void>>["toHaveFailure"]>().toEqualTypeOf<
    (kind: string) => Promise<void>
  >();
  // @ts-expect-error -- a kind is a text
  expectTypeOf<Parameters<TwiceshyMatchers<void>["toHaveFailure"]>>().toEqualTypeOf<[number]>();
});

test("a kind of failure that does not exist is refused, so that .not is never empty", () => {
  const trace = traceOf([], { output: "ok" });
  expect(() => expect(trace).not.toHaveFailure("lop")).toThrow('Did you mean "loop"');
  expect(trace).not.toHaveFailure("loop:search");
});
