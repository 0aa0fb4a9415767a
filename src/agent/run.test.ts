import { expect, test } from "vitest";
import { boundary, type Answer, type ToolCall } from "../boundary/boundary.ts";
import { instrument } from "../boundary/instrument.ts";
import { sleep } from "../shared/clock.ts";
import { Recorder } from "../trace/recorder.ts";
import type { Trace } from "../trace/trace.ts";
import { execute, type ExecuteOptions } from "./run.ts";

type Given = Partial<ExecuteOptions> & { readonly answer?: Answer };

/** Runs an agent on answers instead of live tools. */
async function ran(
  agent: (task: any, context: any) => unknown,
  given: Given = {},
): Promise<{ trace: Trace; calls: ToolCall[] }> {
  const calls: ToolCall[] = [];
  const { answer = () => ({ ok: true, data: "recorded" }), ...options } = given;
  const recorder = new Recorder({ task: "x" });
  const noting: Answer = (call) => {
    calls.push(call);
    return answer(call);
  };
  await execute(agent, "x", {
    tools: [],
    ...options,
    recorder,
    boundary: boundary([recorder.layer()], noting),
  });
  return { trace: recorder.finish(), calls };
}

test("tools of which only the names are known answer by the boundary, and so does any other name", async () => {
  const agent = (_: unknown, { tools }: any): unknown => [
    Object.keys(tools),
    tools.known({ a: 1 }),
    tools.other(2, 3),
  ];
  const { trace, calls } = await ran(agent, {
    tools: ["known"],
    params: { other: ["x", "y"] },
    writes: ["known"],
  });
  expect(trace.output).toEqual([["known"], "recorded", "recorded"]);
  expect(calls).toMatchObject([
    { tool: "known", args: { a: 1 }, write: true },
    { tool: "other", args: { x: 2, y: 3 }, params: ["x", "y"] },
  ]);
  expect(calls.some((call) => call.live !== undefined)).toBe(false);
});

test("a context whose tools are only names can be awaited, printed and inspected", async () => {
  const agent = async (_: unknown, { tools }: any): Promise<string> => {
    const awaited = await tools;
    return `${JSON.stringify(awaited)} ${Object.prototype.toString.call(tools)} ${"known" in tools} ${tools.then}`;
  };
  const { trace, calls } = await ran(agent, { tools: ["known"] });
  expect(trace.output).toBe("{} [object Object] true undefined");
  expect(calls).toEqual([]);
});

test("an instrumented tool is not asked while an agent runs on answers", async () => {
  let live = 0;
  const { refund } = instrument({ refund: (id: string) => `${id}${++live}` });
  const { trace, calls } = await ran(() => refund("A-1"));
  expect([trace.output, live]).toEqual(["recorded", 0]);
  expect(calls).toMatchObject([{ tool: "refund", args: { id: "A-1" } }]);
});

test("a call that is never answered ends with the time", async () => {
  const { trace } = await ran((_, { tools }) => tools.wait(), {
    tools: ["wait"],
    limits: { ms: 20 },
    answer: () => new Promise(() => undefined),
  });
  expect(trace.status).toBe("timeout");
  expect(trace.steps[1]).not.toHaveProperty("result");
});

test("an execution that is ended from outside is incomplete", async () => {
  const stop = new AbortController();
  const agent = async (_: unknown, { signal, clock }: any): Promise<boolean> => {
    stop.abort();
    await clock.sleep(60_000);
    return signal.aborted;
  };
  const { trace } = await ran(agent, { signal: stop.signal });
  expect(trace).toMatchObject({
    status: "incomplete",
    steps: [{}, { kind: "error", error: { name: "AbortError" } }],
  });
  expect((await ran(agent, { signal: AbortSignal.abort() })).trace.status).toBe("incomplete");
});

test("what the agent does when it is told to stop no longer counts", async () => {
  const { trace, calls } = await ran(
    (_, { signal, tools }) => {
      signal.addEventListener("abort", () => void tools.late().catch(() => undefined));
      return sleep(60_000, signal);
    },
    { tools: ["late"], limits: { ms: 10 } },
  );
  expect(trace.status).toBe("timeout");
  expect(calls).toEqual([]);
});

test("a thrown value that is no error is kept as it was", async () => {
  const { trace } = await ran(() => Promise.reject({ code: "DECLINED", why: ["card"] }));
  expect(trace.steps.at(-1)).toMatchObject({
    kind: "error",
    error: { code: "DECLINED", data: { $t: "thrown", v: { code: "DECLINED", why: ["card"] } } },
  });
});

test("an agent that wraps the budget's error is a timeout with both errors", async () => {
  const agent = async (_: unknown, { tools }: any): Promise<void> => {
    try {
      await tools.a();
    } catch (cause) {
      throw new Error("gave up", { cause });
    }
  };
  const { trace } = await ran(agent, { tools: ["a"], limits: { toolCalls: 0 } });
  expect(trace.status).toBe("timeout");
  expect(
    trace.steps.flatMap((step) => (step.kind === "error" ? [step.error.message] : [])),
  ).toEqual(["gave up", expect.stringContaining("the budget of 0 tool calls is used up")]);
});

test("an agent that is no function is an error of the trace", async () => {
  const { trace } = await ran("run" as never);
  expect(trace).toMatchObject({ status: "error", steps: [{}, { error: { name: "TypeError" } }] });
});

test("an endless stream as an answer ends with the time", async () => {
  const endless = async function* (): AsyncGenerator<number> {
    for (;;) yield 1;
  };
  expect((await ran(endless, { limits: { ms: 20 } })).trace.status).toBe("timeout");
});
