import { expect, test } from "vitest";
import { runWorkflow, type WorkflowRun } from "../workflow/run.ts";
import { BOOKING_DOCUMENT } from "../testing/booking-documents.ts";
import type { AdapterTool } from "./adapter.ts";
import type { AdapterContext } from "./agents.ts";
import type { Document } from "./document.ts";
import { matrixOfDocument, wholeMatrix } from "./matrix.ts";
import { documentOf } from "./read.ts";
import { workflowOf } from "./to-workflow.ts";

type Run = (context: AdapterContext) => unknown;
const DONE = { status: "completed", message: "done" };

function documentWith(parts: Record<string, unknown> = {}): Document {
  const checks = [{ id: "other", label: "Other", type: "unchanged", path: "/otherCustomer" }];
  const clock = { mode: "virtual" };
  const scenarios = [{ id: "cut", title: "Cut", fault: { type: "malformed", tool: "say" } }];
  return documentOf({
    name: "w.json",
    text: JSON.stringify({ ...BOOKING_DOCUMENT, checks, clock, scenarios, ...parts }),
  });
}

function tool(
  execute: (args: never, state: never) => unknown,
  kind: "read" | "write" = "read",
): AdapterTool {
  return { kind, execute };
}

async function run(
  agent: Run,
  tools: Record<string, AdapterTool> = {},
  parts = {},
): Promise<WorkflowRun> {
  const say = tool(() => ({ ok: true, data: { said: "hello" } }));
  const adapter = {
    tools: { say, ...tools },
    createAgent: () => ({ id: "a", version: "1", run: agent }),
  };
  return runWorkflow(await workflowOf(documentWith(parts), adapter));
}

test("a call resolves to an envelope, and under a malformed reply to the text that came", async () => {
  const got: unknown[] = [];
  await run(async ({ call }) => {
    got.push(await call("say"));
    return DONE;
  });
  expect(got.slice(0, 2)).toEqual([
    { ok: true, data: { said: "hello" } },
    expect.stringMatching(/^\{/),
  ]);
});

test("a tool's own text that begins as JSON and is none stays data", async () => {
  const got: unknown[] = [];
  await run(
    async ({ call }) => {
      got.push(await call("file"), await call("say"));
      return DONE;
    },
    { file: tool(() => ({ ok: true, data: "[section]\nkey = 1" })) },
  );
  expect(got[0]).toEqual({ ok: true, data: "[section]\nkey = 1" });
  expect(got[3]).toEqual(expect.any(String));
});

test("a tool's error keeps its code, whatever it looks like, and its other members", async () => {
  const got: unknown[] = [];
  const error = { code: "rate limited", message: "slow down", retryable: true, retryAfterMs: 500 };
  await run(
    async ({ call }) => {
      got.push(await call("limited"));
      return DONE;
    },
    { limited: tool(() => ({ ok: false, error })) },
  );
  expect(got[0]).toEqual({ ok: false, error });
});

test("arguments lose what is undefined, and a call without arguments has none", async () => {
  const seen: unknown[] = [];
  const { control } = await run(
    async ({ call }) => {
      await call("look", { id: 1, note: undefined });
      await call("look");
      return DONE;
    },
    { look: tool((args) => (seen.push(args), { ok: true, data: null })) },
  );
  expect(seen.slice(0, 2)).toEqual([{ id: 1 }, {}]);
  expect(control.verdict).toBe("passed");
});

test("a call beyond the limit rejects, and the trial has failed though the agent completes", async () => {
  const { control } = await run(
    async ({ call }) => {
      await Promise.allSettled(Array.from({ length: 20 }, () => call("say")));
      return DONE;
    },
    {},
    { limits: { maxToolCalls: 3 } },
  );
  expect(control).toMatchObject({ verdict: "failed", issue: { code: "call_limit" } });
});

test("an agent is given its task, a clock, a signal, a call and recordModel, and never the state", async () => {
  let keys: string[] = [];
  const { control } = await run(async (context) => {
    keys = Object.keys(context).sort();
    await context.clock.sleep(40_000);
    context.recordModel({ detail: "x".repeat(5000) });
    return { ...DONE, message: "y".repeat(20_000) };
  });
  expect(keys).toEqual(["call", "clock", "recordModel", "signal", "task"]);
  expect(control.verdict).toBe("passed");
  expect((control.clock?.endMs ?? 0) - (control.clock?.startMs ?? 0)).toBe(40_000);
});

test.for([
  ["nothing", undefined, /the agent returned nothing/],
  ["another status", { status: "done", message: "" }, /its status is neither/],
  ["no message", { status: "blocked" }, /its message is no text/],
  ["a field too many", { ...DONE, note: 1 }, /it has a field "note"/],
] as const)("an agent that returns %s has failed, by the field", async ([, value, sentence]) => {
  const { control } = await run(() => value);
  expect(control).toMatchObject({
    verdict: "failed",
    issue: { side: "agent", code: "agent_error" },
  });
  expect(control.issue?.message).toMatch(sentence);
});

test.for([
  [
    "throws",
    () => {
      throw new Error("no disk");
    },
    { ok: false, error: { message: "no disk" } },
  ],
  [
    "answers with an error after a change",
    (_: never, state: { otherCustomer: { id: string } }) => {
      state.otherCustomer.id = "changed";
      return { ok: false, error: { code: "E", message: "late", retryable: false } };
    },
    { ok: false, error: { code: "E" } },
  ],
] as const)(
  "what a tool that %s has changed is discarded, and the agent is told",
  async ([, execute, told]) => {
    const got: unknown[] = [];
    const { control } = await run(
      async ({ call }) => {
        got.push(await call("odd"));
        return DONE;
      },
      { odd: tool(execute, "write") },
    );
    expect(got[0]).toMatchObject(told);
    expect(control.mutations).toEqual([]);
  },
);

test("a whole matrix has one scenario for each fault at each tool, with ids of their own", () => {
  const tools = {
    "a/b": tool(() => ({ ok: true, data: 1 })),
    "a-b": tool(() => ({ ok: true, data: 1 }), "write"),
  };
  const { scenarios = [] } = wholeMatrix(documentWith(), { tools });
  expect(new Set(scenarios.map(({ id }) => id)).size).toBe(scenarios.length);
  expect(scenarios.some(({ fault }) => fault?.type === "slow_response")).toBe(true);
  const { clock: _, ...real } = documentWith();
  const without = wholeMatrix(real, { tools }).scenarios ?? [];
  expect(without.some(({ fault }) => fault?.type === "slow_response")).toBe(false);
});

test("a matrix does not depend on the order of the tools, changes nothing that it is given, and shares nothing", () => {
  const [look, set] = [
    tool(() => ({ ok: true, data: 1 })),
    tool(() => ({ ok: true, data: 1 }), "write"),
  ];
  const document = documentWith();
  const before = structuredClone(document);
  const one = matrixOfDocument(document, { tools: { look, set } });
  const other = matrixOfDocument(document, { tools: { set, look } });
  expect(other).toEqual(one);
  expect(document).toEqual(before);
  const [first, second] = one.suites.map(({ workflow }) => workflow);
  expect(first?.initialState).toEqual(document.initialState);
  expect(first?.initialState).not.toBe(second?.initialState);
  expect(first?.checks[0]).not.toBe(second?.checks[0]);
});
