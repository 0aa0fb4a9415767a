import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import * as fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { instrument } from "../boundary/instrument.ts";
import { toolError } from "../boundary/tool-error.ts";
import { sleep } from "../shared/clock.ts";
import { ROOT } from "../testing/imports.ts";
import { assemble } from "../trace/assemble.ts";
import { traceSchema, type ToolStep, type Trace } from "../trace/trace.ts";
import { capture } from "./capture.ts";
import { record } from "./record.ts";

const add = (a: number, b: number): number => a + b;

function toolSteps(trace: Trace): ToolStep[] {
  return trace.steps.filter((step) => step.kind === "tool");
}

function kinds(trace: Trace): string[] {
  return trace.steps.map((step) => step.kind);
}

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), "twiceshy-record-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

test("a run of reasoning, a call and an answer is a trace of those steps in that order", async () => {
  const agent = (_task: string, { tools, recorder }: any): number => {
    recorder.reasoning("add them");
    return tools.add(1, 2);
  };
  const trace = await record(agent, "What is 1 + 2?", { tools: { add } });
  expect(traceSchema.parse(trace)).toEqual(trace);
  expect(trace).toMatchObject({ status: "ok", output: 3, tools: ["add"], agent: "agent" });
  expect(kinds(trace)).toEqual(["input", "reasoning", "tool", "output"]);
  expect(toolSteps(trace)).toMatchObject([
    {
      name: "add",
      args: { a: 1, b: 2 },
      params: ["a", "b"],
      result: { ok: true, data: 3 },
      sync: true,
    },
  ]);
});

test("a tool's error that the agent does not catch ends the trace with status error", async () => {
  const tools = {
    parse: (id: number) => {
      throw new RangeError(`bad ${id}`);
    },
  };
  const trace = await record((_: unknown, { tools }: any) => tools.parse(5), "x", { tools });
  expect(trace.status).toBe("error");
  expect(trace.steps[1]).toMatchObject({
    result: { ok: false, error: { name: "RangeError", message: "bad 5" } },
  });
  expect(trace.steps.at(-1)).toMatchObject({
    kind: "error",
    error: { name: "RangeError", message: "bad 5" },
  });
  expect(trace).not.toHaveProperty("output");
});

test("an endless loop with a budget of 4 calls is a timeout with exactly 4 tool steps", async () => {
  const agent = async (_: unknown, { tools }: any): Promise<void> => {
    for (;;) await tools.search({ q: "x" });
  };
  const trace = await record(agent, "find x", {
    tools: { search: async () => [] },
    maxToolCalls: 4,
  });
  expect(trace.status).toBe("timeout");
  expect(toolSteps(trace)).toHaveLength(4);
  expect(trace.steps.at(-1)).toMatchObject({
    kind: "error",
    error: { name: "CallBudgetExceeded", code: "E_CALL_BUDGET" },
  });
  expect(kinds(trace).filter((kind) => kind === "error")).toHaveLength(1);
  expect(trace.limits).toEqual({ toolCalls: 4, ms: 300_000 });
});

test("an agent that catches every refusal and tries for ever still ends", async () => {
  const agent = async (_: unknown, { tools }: any): Promise<void> => {
    for (;;) {
      try {
        await tools.search({});
      } catch {
        // It tries again.
      }
    }
  };
  const trace = await record(agent, "x", {
    tools: { search: async () => [] },
    maxToolCalls: 2,
    timeoutMs: 300,
  });
  expect(trace.status).toBe("timeout");
  expect(toolSteps(trace)).toHaveLength(2);
});

test("a loop that never yields to timers ends at its deadline", async () => {
  const agent = async (_: unknown, { tools }: any): Promise<void> => {
    for (;;) await tools.search({});
  };
  const trace = await record(agent, "x", {
    tools: { search: async () => 1 },
    maxToolCalls: 1e9,
    timeoutMs: 30,
  });
  expect(trace.status).toBe("timeout");
  expect(trace.steps.at(-1)).toMatchObject({ error: { name: "Timeout" } });
});

test("an agent that answers after its budget is used up keeps its output and the status timeout", async () => {
  const agent = async (_: unknown, { tools }: any): Promise<string> => {
    try {
      for (;;) await tools.search({});
    } catch {
      return "I stopped.";
    }
  };
  const trace = await record(agent, "x", { tools: { search: async () => 1 }, maxToolCalls: 2 });
  expect(trace).toMatchObject({ status: "timeout", output: "I stopped." });
  expect(kinds(trace)).toEqual(["input", "tool", "tool", "output", "error"]);
});

test("an agent that sleeps past its time is a timeout that says so", async () => {
  const started = performance.now();
  const trace = await record(() => sleep(2000), "x", { timeoutMs: 50 });
  expect(performance.now() - started).toBeLessThan(1500);
  expect(trace.status).toBe("timeout");
  expect(trace.steps.at(-1)).toMatchObject({
    kind: "error",
    error: {
      name: "Timeout",
      code: "E_AGENT_TIMEOUT",
      message: "Timeout: the agent was still running after 50 ms",
    },
  });
});

test("the signal is aborted when the call budget or the time ends", async () => {
  const seen: boolean[] = [];
  const overrun = async (_: unknown, { signal, tools }: any): Promise<void> => {
    await tools.t().catch(() => undefined);
    seen.push(signal.aborted);
  };
  await record(overrun, "x", { tools: { t: async () => 1 }, maxToolCalls: 0 });
  const slow = async (_: unknown, { signal, clock }: any): Promise<void> => {
    seen.push(signal.aborted);
    await clock.sleep(60_000);
    seen.push(signal.aborted);
  };
  await record(slow, "x", { timeoutMs: 5 });
  await sleep(5);
  expect(seen).toEqual([true, false, true]);
});

test("two runs of equal tasks have equal task ids, and other tasks have others", async () => {
  const run = (task: unknown): Promise<Trace> => record(() => 1, task);
  const [a, b, c] = await Promise.all([
    run({ q: 1, r: 2 }),
    run({ r: 2, q: 1 }),
    run({ q: 2, r: 2 }),
  ]);
  expect(a?.taskId).toBe(b?.taskId);
  expect(a?.taskId).not.toBe(c?.taskId);
  expect(a?.taskId).toMatch(/^task_[0-9a-f]{12}$/);
  expect(a?.id).not.toBe(b?.id);
  expect(JSON.parse(JSON.stringify(a))).toEqual(a);
});

test("an agent that changes a result after the call changes nothing in the trace", async () => {
  const agent = async (_: unknown, { tools }: any): Promise<number> => {
    const list = await tools.list();
    const args = { filter: ["a"] };
    await tools.find(args);
    args.filter.push("b");
    list.pop();
    return list.length;
  };
  const tools = { list: async () => [1, 2], find: async (args: { filter: string[] }) => args };
  const trace = await record(agent, "x", { tools });
  expect(toolSteps(trace).map((step) => step.result)).toEqual([
    { ok: true, data: [1, 2] },
    { ok: true, data: { filter: ["a"] } },
  ]);
  expect(toolSteps(trace)[1]?.args).toEqual({ filter: ["a"] });
});

test("a tool that changes its arguments while it works does not change the recorded ones", async () => {
  const tools = {
    complete: async (form: { name?: string }) => {
      form.name = "changed";
      await sleep(1);
      return form;
    },
  };
  const trace = await record((_: unknown, { tools }: any) => tools.complete({ name: "Ada" }), "x", {
    tools,
  });
  expect(toolSteps(trace)[0]?.args).toEqual({ name: "Ada" });
  expect(toolSteps(trace)[0]?.result).toEqual({ ok: true, data: { name: "changed" } });
});

test("an async agent that rejects is a failed trace, not an ok one", async () => {
  const trace = await record(async () => Promise.reject(new TypeError("no order")), "x");
  expect(trace.status).toBe("error");
  expect(trace.steps.at(-1)).toMatchObject({
    kind: "error",
    error: { name: "TypeError", message: "no order" },
  });
  expect(trace).not.toHaveProperty("output");
});

test("a tool argument that is called name reaches the tool by every way", async () => {
  const greet = async ({ name }: { name: string }): Promise<string> => `Hello ${name}`;
  const agent = async (_: unknown, { tools, call }: any): Promise<string[]> => [
    await tools.greet({ name: "Ada" }),
    await call("greet", { name: "Ada" }),
  ];
  const trace = await record(agent, "x", { tools: { greet } });
  expect(trace.output).toEqual(["Hello Ada", "Hello Ada"]);
  expect(toolSteps(trace).map((step) => step.args)).toEqual([{ name: "Ada" }, { name: "Ada" }]);
});

test("NaN, infinities and minus zero are kept as markers, not as null", async () => {
  const trace = await record((_: unknown, { tools }: any) => tools.f({ n: Number.NaN }), "x", {
    tools: { f: () => [Number.POSITIVE_INFINITY, -0] },
  });
  expect(toolSteps(trace)[0]).toMatchObject({
    args: { n: { $t: "nan" } },
    result: { data: [{ $t: "infinity" }, { $t: "-0" }] },
  });
});

test("values that JSON cannot hold are marked and the agent gets the real ones", async () => {
  const circular: { self?: unknown } = {};
  circular.self = circular;
  const odd = {
    big: 1n,
    none: undefined,
    at: new Date(0),
    map: new Map([[1, 2]]),
    bytes: Buffer.from("x"),
    circular,
    e: new Error("x"),
  };
  let seen: unknown;
  const agent = (_: unknown, { tools }: any): void => {
    seen = tools.odd(odd);
  };
  const trace = await record(agent, "x", { tools: { odd: (given: unknown) => given } });
  expect(seen).toBe(odd);
  expect(trace.status).toBe("ok");
  expect(toolSteps(trace)[0]?.args).toMatchObject({
    big: { $t: "bigint", v: "1" },
    at: { $t: "date" },
    circular: { self: { $t: "circular" } },
  });
  expect(traceSchema.parse(JSON.parse(JSON.stringify(trace)))).toEqual(trace);
});

test("throwing getters, hostile proxies and toJSON that throws do not disturb the agent", async () => {
  const bomb = {
    get x(): never {
      throw new Error("getter");
    },
  };
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const json = {
    toJSON() {
      throw new Error("toJSON");
    },
  };
  const agent = async (_: unknown, { tools }: any): Promise<string> => {
    for (const value of [bomb, proxy, json]) tools.take(value);
    return "done";
  };
  const trace = await record(agent, bomb, { tools: { take: () => proxy } });
  expect(trace).toMatchObject({ status: "ok", output: "done" });
  expect(toolSteps(trace)).toHaveLength(3);
  expect(JSON.stringify(trace)).toContain("unserializable");
});

test("steps are in the order of invocation and no duration is negative", async () => {
  const tools = { slow: async (n: number) => sleep(20 - n).then(() => n) };
  const agent = async (_: unknown, { tools }: any): Promise<unknown> => {
    await Promise.all([tools.slow(1), tools.slow(10), tools.slow(15)]);
    return tools.slow(19);
  };
  const trace = await record(agent, "x", { tools });
  expect(trace.steps.map((step) => step.index)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(
    toolSteps(trace).map(({ args, batch, settled, id }) => ({ args, batch, settled, id })),
  ).toEqual([
    { args: { n: 1 }, batch: 1, settled: 2, id: "call_1" },
    { args: { n: 10 }, batch: 1, settled: 1, id: "call_2" },
    { args: { n: 15 }, batch: 1, settled: 0, id: "call_3" },
    { args: { n: 19 }, batch: undefined, settled: 3, id: "call_4" },
  ]);
  expect(toolSteps(trace).every((step) => (step.durationMs ?? -1) >= 0)).toBe(true);
});

test("a sink that cannot be written leaves the agent alone, marks the trace and warns once", async () => {
  const warnings: string[] = [];
  const file = path.join(folder(), "file");
  writeFileSync(file, "");
  const trace = await record((_: unknown, { tools }: any) => tools.add(1, 2), "x", {
    tools: { add },
    sink: path.join(file, "below", "a.jsonl"),
    onWarning: (message) => warnings.push(message),
  });
  expect(trace).toMatchObject({ status: "ok", output: 3, truncated: "sink_failed" });
  expect(warnings).toHaveLength(1);
});

test("a sink that refuses marks the trace as not writable", async () => {
  const denied = (code: string) => ({
    add() {
      throw Object.assign(new Error(code), { code });
    },
  });
  const warnings: string[] = [];
  const onWarning = (message: string): void => void warnings.push(message);
  expect(await record(() => 1, "x", { sink: denied("EROFS"), onWarning })).toMatchObject({
    truncated: "not_writable",
    output: 1,
  });
  expect(
    await record(() => 1, "x", { sink: async () => denied("EACCES").add(), onWarning }),
  ).toMatchObject({ truncated: "not_writable" });
  expect(warnings).toHaveLength(2);
});

test("a file system that is read-only leaves the agent alone and marks the trace", async ({
  skip,
}) => {
  const disk = smallDisk() ?? skip("no small disk can be mounted here");
  execFileSync("mount", ["-o", "remount,ro", disk]);
  const warnings: string[] = [];
  const sink = path.join(disk, "traces.jsonl");
  const trace = await record(() => 1, "x", {
    sink,
    onWarning: (message) => warnings.push(message),
  });
  expect(trace).toMatchObject({ status: "ok", output: 1, truncated: "not_writable" });
  expect(warnings).toMatchObject([expect.stringContaining("EROFS")]);
});

test("a full disk leaves the agent alone, warns once and marks the trace", async ({ skip }) => {
  const disk = smallDisk() ?? skip("no small disk can be mounted here");
  const warnings: string[] = [];
  const sink = path.join(disk, "traces.jsonl");
  const agent = async (_: unknown, { tools }: any): Promise<string> => {
    for (let i = 0; i < 20; i++) await tools.page(i);
    return "done";
  };
  const tools = { page: async (i: number) => `${i} `.repeat(500) };
  const trace = await record(agent, "x", {
    tools,
    sink,
    onWarning: (message) => warnings.push(message),
  });
  expect(trace).toMatchObject({ status: "ok", output: "done", truncated: "disk_full" });
  expect(toolSteps(trace)).toHaveLength(20);
  expect(warnings).toHaveLength(1);
  const lines = readFileSync(sink, "utf8").split("\n").slice(0, -1);
  const [kept] = assemble(lines.map((line) => JSON.parse(line)));
  expect(kept?.status).toBe("incomplete");
  kept?.steps.forEach((step, index) => expect(trace.steps[index]).toMatchObject(step));
});

/** A file system of 16 kB; undefined where this user may not mount one. */
function smallDisk(): string | undefined {
  const made = folder();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=16k", "tmpfs", made], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync("umount", ["-l", made]));
  return made;
}

test("a process that the agent ends keeps the steps made until then, and the trace is incomplete", async () => {
  const dir = folder();
  const sink = path.join(dir, "traces.jsonl");
  const script = path.join(dir, "agent.test.mjs");
  writeFileSync(
    script,
    `import { record } from ${JSON.stringify(path.join(ROOT, "src/agent/record.ts"))};
     import { test } from "vitest";
     test("x", async () => {
       const kill = process.env.HOW === "kill" ? () => process.kill(process.pid, "SIGKILL") : () => process.reallyExit(0);
       await record(async (_, { tools }) => { await tools.a({ n: 1 }); await tools.b({ n: 2 }); }, "x",
         { tools: { a: async () => "one", b: async () => kill() }, sink: ${JSON.stringify(sink)} });
     });`,
  );
  const vitest = path.join(ROOT, "node_modules/vitest/vitest.mjs");
  await new Promise<void>((resolve) => {
    execFile(
      process.execPath,
      [vitest, "run", "--root", dir, "--pool", "forks"],
      { env: { ...process.env, HOW: "kill" } },
      () => resolve(),
    );
  });
  const lines = readFileSync(sink, "utf8").trimEnd().split("\n");
  const [trace] = assemble(lines.map((line) => JSON.parse(line)));
  expect(traceSchema.parse(trace)).toMatchObject({
    status: "incomplete",
    steps: [
      { kind: "input" },
      { kind: "tool", name: "a", result: { ok: true, data: "one" } },
      { kind: "tool", name: "b", args: { n: 2 } },
    ],
  });
  expect(trace?.steps[2]).not.toHaveProperty("result");
});

test("tools that are called constructor, __proto__ or toString are ordinary tools", async () => {
  const tools = Object.defineProperty(
    { constructor: () => "c", toString: () => "s" },
    "__proto__",
    {
      value: () => "p",
      enumerable: true,
    },
  );
  const agent = async (_: unknown, { tools, call }: any): Promise<unknown> => [
    tools.constructor(),
    tools["__proto__"](),
    await call("toString"),
    await call("valueOf").catch((error: Error) => error.name),
  ];
  const trace = await record(agent, "x", { tools });
  expect(trace.output).toEqual(["c", "p", "s", "UnknownTool"]);
  expect(toolSteps(trace).map((step) => step.name)).toEqual([
    "constructor",
    "__proto__",
    "toString",
    "valueOf",
  ]);
});

test("an agent that returns undefined has no output and status ok; null is an answer", async () => {
  expect(await record(() => undefined, "x")).toMatchObject({ status: "ok" });
  expect(await record(() => undefined, "x")).not.toHaveProperty("output");
  expect(await record(() => null, "x")).toMatchObject({ status: "ok", output: null });
});

test("a completion is kept whole as the output", async () => {
  const completion = { status: "blocked", message: "the card is closed", output: { refund: null } };
  expect(await record(async () => completion, "x")).toMatchObject({
    status: "ok",
    output: completion,
  });
});

test("the output that the agent records counts before the one that it returns", async () => {
  const agent = (_: unknown, { recorder: { output } }: any): string => {
    output("draft");
    output("final");
    return "done";
  };
  const trace = await record(agent, "x");
  expect(trace.output).toBe("final");
  expect(kinds(trace)).toEqual(["input", "output", "output"]);
});

test("a plain expected value becomes equals, and an expectation is taken as it is", async () => {
  const expected = async (value: unknown): Promise<unknown> =>
    (await record(() => 1, "x", { expected: value })).expected;
  expect(await expected(42)).toEqual({ equals: 42 });
  expect(await expected({ equals: null })).toEqual({ equals: null });
  expect(await expected({ contains: "R-1" })).toEqual({ contains: "R-1" });
  expect(await expected({ matches: "R-\\d" })).toEqual({ matches: "R-\\d" });
  expect(await expected({ contains: "" })).toEqual({ equals: { contains: "" } });
  expect(await expected({ contains: "a", more: 1 })).toEqual({
    equals: { contains: "a", more: 1 },
  });
});

test("calls after the end are refused by name and change nothing", async () => {
  let late: Promise<unknown> | undefined;
  const agent = (_: unknown, { tools, recorder }: any): string => {
    late = sleep(20).then(() => {
      recorder.reasoning("late");
      recorder.output("late");
      return tools.add(1, 2);
    });
    late.catch(() => undefined);
    return "early";
  };
  const trace = await record(agent, "x", { tools: { add } });
  const before = JSON.stringify(trace);
  await expect(late).rejects.toMatchObject({ name: "LateToolCall", code: "E_CALL_LATE" });
  expect(JSON.stringify(trace)).toBe(before);
  expect(toolSteps(trace)).toHaveLength(0);
});

test("a call that is answered after the end has no result", async () => {
  const agent = (_: unknown, { tools }: any): string => {
    tools.slow();
    return "early";
  };
  const trace = await record(agent, "x", { tools: { slow: () => sleep(10).then(() => "late") } });
  await sleep(30);
  expect(toolSteps(trace)).toHaveLength(1);
  expect(toolSteps(trace)[0]).not.toHaveProperty("result");
});

test("a tool error that the agent never awaits does not reach the process", async () => {
  const agent = async (_: unknown, { tools }: any): Promise<string> => {
    void tools.fail();
    await sleep(5);
    return "done";
  };
  const trace = await record(agent, "x", {
    tools: { fail: async () => Promise.reject(toolError("DOWN", "no")) },
  });
  expect(trace).toMatchObject({ status: "ok", output: "done" });
  expect(toolSteps(trace)[0]).toMatchObject({ result: { ok: false, error: { code: "DOWN" } } });
});

test("a tool that is instrumented and handed over is recorded once", async () => {
  const tools = instrument(
    { refund: async (args: { id: string }) => args.id },
    { writes: ["refund"] },
  );
  const agent = async (_: unknown, context: any): Promise<unknown> => [
    await context.tools.refund({ id: "A" }),
    await tools.refund({ id: "B" }),
    await context.call("refund", { id: "C" }),
  ];
  const trace = await record(agent, "x", { tools });
  expect(trace.output).toEqual(["A", "B", "C"]);
  expect(toolSteps(trace).map((step) => [step.args, step.write])).toEqual([
    [{ id: "A" }, true],
    [{ id: "B" }, true],
    [{ id: "C" }, true],
  ]);
});

test("the tools that a tool uses itself are not the agent's calls", async () => {
  const inner = instrument({ lookup: async () => 1 });
  const tools = { outer: async () => (await inner.lookup()) + 1 };
  const trace = await record((_: unknown, { tools }: any) => tools.outer(), "x", { tools });
  expect(trace.output).toBe(2);
  expect(toolSteps(trace).map((step) => step.name)).toEqual(["outer"]);
});

test("sync tools answer without a promise and async ones with one", async () => {
  const answers: unknown[] = [];
  const agent = (_: unknown, { tools }: any): void => {
    answers.push(tools.now(), tools.later());
  };
  await record(agent, "x", { tools: { now: () => 1, later: async () => 2 } });
  expect(answers[0]).toBe(1);
  expect(answers[1]).toBeInstanceOf(Promise);
});

test("parallel recordings never see each other", async () => {
  const { step } = instrument({ step: async (n: { n: number }) => sleep(1).then(() => n) });
  const agent = async (task: number): Promise<number> => {
    for (let i = 0; i < 3; i++) await step({ n: task });
    return task;
  };
  const traces = await Promise.all([1, 2, 3, 4].map((task) => record(agent, task)));
  expect(traces.map((trace) => toolSteps(trace).map((found) => found.args))).toEqual(
    [1, 2, 3, 4].map((n) => [{ n }, { n }, { n }]),
  );
});

test("secrets are redacted everywhere before they are written, with one number each", async () => {
  const secret = `sk-ant-api03-${"Ab3dE5gH1jK7mN9p".repeat(5)}-AAAAAA`;
  const sink = path.join(folder(), "traces.jsonl");
  const agent = async (task: any, { tools, recorder }: any): Promise<string> => {
    recorder.model(`use ${task.key}`, { prompt: `key ${task.key}` });
    recorder.reasoning(task.key);
    await tools.login({ key: task.key });
    throw new Error(`login with ${task.key} failed`);
  };
  const trace = await record(
    agent,
    { key: secret },
    { tools: { login: async (args: unknown) => args }, sink, meta: { secret } },
  );
  expect(JSON.stringify(trace)).not.toContain(secret);
  expect(readFileSync(sink, "utf8")).not.toContain(secret.slice(0, 40));
  expect(new Set(JSON.stringify(trace).match(/\[redacted:[\w-]+#\d+\]/g))).toHaveProperty(
    "size",
    1,
  );
});

test("unusable tools and options become an error of the trace", async () => {
  const odd = await record(() => 1, "x", { tools: { a: 1 } });
  expect(odd).toMatchObject({
    status: "error",
    steps: [{ kind: "input" }, { kind: "error", error: { code: "E_TOOL_SHAPE" } }],
  });
  const sink = await record(() => 1, "x", { sink: 5 as never });
  expect(sink).toMatchObject({ status: "ok", truncated: "sink_failed" });
  const bomb = await record(() => 1, "x", {
    get agent(): string {
      throw new Error("options");
    },
  });
  expect(bomb).toMatchObject({ status: "error" });
});

test("token usage is summed over the model's responses", async () => {
  const agent = (_: unknown, { recorder }: any): void => {
    recorder.model("a", { model: "m-1", usage: { inputTokens: 3, outputTokens: 1 } });
    recorder.model("b", { usage: { inputTokens: 4, totalTokens: Number.NaN } });
  };
  const trace = await record(agent, "x");
  expect(trace.usage).toEqual({ inputTokens: 7, outputTokens: 1 });
  expect(trace.steps[1]).toMatchObject({ kind: "model", name: "m-1", content: "a" });
});

test("an agent that streams its answer has the whole text as its output", async () => {
  const agent = async function* (): AsyncGenerator<string> {
    yield "Hel";
    await sleep(1);
    yield "lo";
  };
  expect(await record(agent, "x")).toMatchObject({ status: "ok", output: "Hello" });
});

/** What a hostile agent may do, as data. */
const deed = fc.oneof(
  fc.record({
    do: fc.constantFrom("call", "callLater", "direct", "fail", "reason", "model", "output"),
    value: fc.anything(),
  }),
  fc.record({ do: fc.constantFrom("parallel", "unknown", "pop", "stream") }),
);
const ending = fc.oneof(
  fc.record({ end: fc.constantFrom("return", "throw", "reject"), value: fc.anything() }),
  fc.record({ end: fc.constantFrom("hang", "exit") }),
);

async function misbehave(
  deeds: readonly any[],
  end: any,
  { tools, call, recorder }: any,
): Promise<unknown> {
  for (const { do: what, value } of deeds) {
    if (what === "call") tools.echo(value);
    else if (what === "callLater") void tools.later(value);
    else if (what === "direct") await call("later", value).catch(() => undefined);
    else if (what === "fail") await tools.fail(value).catch(() => undefined);
    else if (what === "reason") recorder.reasoning(value);
    else if (what === "model") recorder.model(value, { prompt: value, model: value, usage: value });
    else if (what === "output") recorder.output(value);
    else if (what === "parallel") await Promise.all([tools.later(1), tools.later(2)]);
    else if (what === "unknown") await call("nope").catch(() => undefined);
    else if (what === "stream") for await (const _ of tools.stream()) break;
    else tools.echo([1]).pop();
  }
  if (end.end === "hang") return new Promise(() => undefined);
  if (end.end === "throw") throw end.value;
  return end.end === "reject" ? Promise.reject(end.value) : end.value;
}

const hostileTools = {
  echo: (value: unknown) => value,
  later: async (value: unknown) => value,
  fail: async (value: unknown) => {
    throw value;
  },
  async *stream() {
    yield 1;
    yield 2;
  },
};

test("whatever an agent does, record gives a valid trace that JSON holds and its lines give again", async () => {
  const dir = folder();
  await fc.assert(
    fc.asyncProperty(
      fc.array(deed, { maxLength: 6 }),
      ending,
      fc.anything(),
      async (deeds, end, task) => {
        const sink = path.join(dir, `${Math.random()}.jsonl`);
        const agent = (_: unknown, context: unknown): Promise<unknown> =>
          misbehave(deeds, end, context);
        const trace = await record(agent, task, {
          tools: hostileTools,
          sink,
          timeoutMs: 25,
          maxToolCalls: 4,
          meta: { task },
        });
        expect(traceSchema.parse(trace)).toEqual(trace);
        expect(JSON.parse(JSON.stringify(trace))).toEqual(trace);
        const text = readFileSync(sink, "utf8");
        expect(
          assemble(
            text
              .trimEnd()
              .split("\n")
              .map((line) => JSON.parse(line)),
          ),
        ).toEqual([trace]);
        rmSync(sink);
      },
    ),
    { numRuns: 150 },
  );
});

test("the lines of a trace cut at any byte give a prefix of its steps", async () => {
  const sink = path.join(folder(), "traces.jsonl");
  const agent = async (_: unknown, { tools, recorder }: any): Promise<string> => {
    recorder.reasoning("\u{1f600} think");
    await Promise.all([tools.later({ n: 1 }), tools.later({ n: 2 })]);
    for await (const chunk of tools.stream()) recorder.reasoning(String(chunk));
    await tools.fail("x").catch(() => undefined);
    return "done";
  };
  const trace = await record(agent, "x", { tools: hostileTools, sink });
  const bytes = readFileSync(sink);
  for (let cut = 0; cut <= bytes.length; cut++) {
    const lines = bytes.subarray(0, cut).toString("utf8").split("\n").slice(0, -1);
    const [found] = assemble(lines.map((line) => JSON.parse(line)));
    if (found === undefined) continue;
    found.steps.forEach((step, index) => expect(trace.steps[index]).toMatchObject(step));
    expect(found.status).toBe(cut < bytes.length ? "incomplete" : "ok");
  }
});

interface Shop {
  find(args: { id: string }): Promise<string>;
}

test("tools may be typed by an interface or be an instance of a class", async () => {
  class Real implements Shop {
    #name = "order";
    readonly currency = "EUR";
    async find({ id }: { id: string }): Promise<string> {
      return `${this.#name} ${id}`;
    }
  }
  const agent = (task: { id: string }, { tools }: { tools: Shop }): Promise<string> =>
    tools.find(task);
  const byName = (task: unknown, { call }: any): Promise<unknown> => call("find", task);
  const shop: Shop = { find: async ({ id }) => id };
  expect((await record(agent, { id: "A" }, { tools: shop })).output).toBe("A");
  const trace = await record(agent, { id: "A" }, { tools: new Real() });
  expect(trace).toMatchObject({ output: "order A", tools: ["find"] });
  expect((await record(byName, { id: "B" }, { tools: new Real() })).output).toBe("order B");
});

test("what cannot be called is a mistake of the caller, and no trace of a failed agent", async () => {
  class Bot {
    run(): number {
      return 1;
    }
  }
  for (const wrong of [new Bot(), Bot, undefined, "src/agent.ts"]) {
    await expect(record(wrong as never, "x")).rejects.toMatchObject({ code: "E_AGENT_SHAPE" });
  }
  const bot = new Bot();
  expect((await record(() => bot.run(), "x")).output).toBe(1);
});

test("an agent written in place knows its task and tools", async () => {
  const tools = { pay: async ({ city }: { city: string }): Promise<string> => `paid ${city}` };
  const trace = await record(
    async (task: { city: string }, context) => context.tools.pay({ city: task.city }),
    { city: "Rome" },
    { tools },
  );
  expect(trace.output).toBe("paid Rome");
});

test("the value of a secret variable of this process is in no trace that record or capture writes", async () => {
  const secret = "plain-words-of-a-secret-9876";
  vi.stubEnv("MY_API_TOKEN", secret);
  onTestFinished(() => void vi.unstubAllEnvs());
  const kept: unknown[] = [];
  const sink = (trace: unknown): void => void kept.push(trace);
  const tools = { call: async (args: unknown): Promise<unknown> => args };
  const agent = async (_: unknown, context: any): Promise<unknown> =>
    context.tools.call({ note: secret });
  await record(agent, `use ${secret}`, { tools, sink });
  capture({ task: secret, sink }, () => secret);
  expect(kept).toHaveLength(2);
  expect(JSON.stringify(kept)).not.toContain(secret);
});
