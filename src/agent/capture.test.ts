import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, expectTypeOf, onTestFinished, test } from "vitest";
import { boundary } from "../boundary/boundary.ts";
import { instrument } from "../boundary/instrument.ts";
import { sleep } from "../shared/clock.ts";
import { canonical } from "../shared/json.ts";
import { Recorder } from "../trace/recorder.ts";
import { traceLines } from "../trace/sink.ts";
import { traceSchema, type Trace } from "../trace/trace.ts";
import { capture } from "./capture.ts";
import { record } from "./record.ts";
import { execute } from "./run.ts";

const tools = instrument({
  add: (a: number, b: number): number => a + b,
  later: async (n: { n: number }): Promise<number> => sleep(1).then(() => n.n),
  fail: async (): Promise<never> => Promise.reject(new RangeError("no")),
});

function keeping(): { readonly traces: Trace[]; readonly sink: (trace: Trace) => void } {
  const traces: Trace[] = [];
  return { traces, sink: (trace) => void traces.push(structuredClone(trace)) };
}

/** Makes a new folder the working one until the test ends. */
function inFolder(): string {
  const before = process.cwd();
  const folder = mkdtempSync(path.join(tmpdir(), "twiceshy-capture-"));
  process.chdir(folder);
  onTestFinished(() => {
    process.chdir(before);
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

function names(trace: Trace | undefined): string[] {
  return (trace?.steps ?? []).flatMap((step) => (step.kind === "tool" ? [step.name] : []));
}

test("a captured function writes one line with its calls, prompt and answer", () => {
  const dir = mkdtempSync(path.join(tmpdir(), "twiceshy-capture-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = path.join(dir, "below", "traces.jsonl");
  const sum = capture({ agent: "adder", task: "add", sink: traceLines(file) }, (recorder) => {
    const total = tools.add(2, 3);
    recorder.model("five", { prompt: "say it" });
    recorder.output(total);
    return "returned";
  });
  expect(sum).toBe("returned");
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  expect(lines).toHaveLength(1);
  const trace = traceSchema.parse(JSON.parse(lines[0] ?? ""));
  expect(trace).toMatchObject({ status: "ok", output: 5, agent: "adder" });
  expect(trace.steps).toMatchObject([
    { kind: "input" },
    { kind: "tool", args: { a: 2, b: 3 } },
    { kind: "model", prompt: "say it" },
    { kind: "output" },
  ]);
});

test("a budget error that passes two captures writes one trace each, with status timeout", () => {
  const [outer, inner] = [keeping(), keeping()];
  const loop = (): number => {
    for (;;) tools.add(1, 1);
  };
  const run = (): number => capture({ task: "in", sink: inner.sink, maxToolCalls: 3 }, loop);
  expect(() => capture({ task: "out", sink: outer.sink }, run)).toThrow("budget of 3 tool calls");
  expect([outer.traces.length, inner.traces.length]).toEqual([1, 1]);
  expect([outer.traces[0]?.status, inner.traces[0]?.status]).toEqual(["timeout", "timeout"]);
  expect(names(inner.traces[0])).toHaveLength(3);
});

test("capture returns and throws exactly what the function does", async () => {
  inFolder();
  const value = { a: 1 };
  const error = new Error("no");
  expectTypeOf(capture({ task: 1 }, () => value)).toEqualTypeOf<{ a: number }>();
  expect(capture({ task: 1 }, () => value)).toBe(value);
  expect(await capture({ task: 1 }, async () => value)).toBe(value);
  expect(() =>
    capture({ task: 1 }, () => {
      throw error;
    }),
  ).toThrow(error);
  await expect(capture({ task: 1 }, () => Promise.reject(error))).rejects.toBe(error);
});

test("without a sink a capture is written where the runner looks for traces", () => {
  const folder = inFolder();
  capture({ agent: "../Support Bot", task: 1 }, () => tools.add(1, 2));
  const file = path.join(folder, ".twiceshy/traces/support-bot.jsonl");
  expect(readFileSync(file, "utf8")).toContain('"close":{"status":"ok"');
});

test("a function that throws leaves a failed trace", async () => {
  const { traces, sink } = keeping();
  await expect(capture({ task: 1, sink }, () => tools.fail())).rejects.toThrow(RangeError);
  expect(traces).toMatchObject([
    {
      status: "error",
      steps: [{}, { result: { ok: false } }, { kind: "error", error: { name: "RangeError" } }],
    },
  ]);
});

test("a capture inside of a recorded run has its own trace, and the outer one sees each call once", async () => {
  const { traces, sink } = keeping();
  const agent = async (_: unknown, context: any): Promise<number> => {
    await context.tools.later({ n: 1 });
    return capture({ agent: "inner", task: "in", sink }, async () => {
      await tools.later({ n: 2 });
      return context.tools.add(1, 2);
    });
  };
  const outer = await record(agent, "out", { tools });
  expect(names(traces[0])).toEqual(["later", "add"]);
  expect(traces[0]).toMatchObject({ agent: "inner", status: "ok", output: 3 });
  expect(names(outer)).toEqual(["later", "later", "add"]);
  expect(outer.output).toBe(3);
});

test("a sub-agent that is called as a tool has its calls in its own trace only", async () => {
  const { traces, sink } = keeping();
  const research = async (): Promise<number> =>
    capture({ task: "in", sink }, () => tools.later({ n: 2 }));
  const outer = await record((_: unknown, { tools }: any) => tools.research(), "out", {
    tools: { research },
  });
  expect(names(outer)).toEqual(["research"]);
  expect(names(traces[0])).toEqual(["later"]);
});

test("in a replay a capture writes nothing and reaches no live tool", async () => {
  const { traces, sink } = keeping();
  const recorder = new Recorder({ task: "x" });
  let live = 0;
  const { refund } = instrument({ refund: async () => ++live });
  await execute(() => capture({ task: "x", sink }, () => refund()), "x", {
    recorder,
    boundary: boundary([recorder.layer()], async () => ({ ok: true, data: "recorded" })),
    tools: ["refund"],
  });
  expect(recorder.finish()).toMatchObject({ status: "ok", output: "recorded" });
  expect([live, traces]).toEqual([0, []]);
});

test("a recording inside of a replay reaches no live tool and writes nothing", async () => {
  const { traces, sink } = keeping();
  const recorder = new Recorder({ task: "x" });
  let live = 0;
  const inner = (_: unknown, { tools }: any): unknown => tools.refund();
  await execute(
    async () =>
      (await record(inner, "y", { tools: { refund: async () => ++live }, sink })).output ?? null,
    "x",
    {
      recorder,
      boundary: boundary([recorder.layer()], async () => ({ ok: true, data: "recorded" })),
      tools: [],
    },
  );
  expect(recorder.finish().output).toBe("recorded");
  expect([live, traces]).toEqual([0, []]);
});

test("calls after the end go on as they would without a capture", async () => {
  const { traces, sink } = keeping();
  const late = capture({ task: 1, sink }, () => ({ later: sleep(5).then(() => tools.add(1, 2)) }));
  expect(traces).toHaveLength(1);
  expect(await late.later).toBe(3);
  expect(names(traces[0])).toEqual([]);
});

test("a streamed answer ends the trace when it was read, and its calls belong to it", async () => {
  const { traces, sink } = keeping();
  const answer = capture({ task: 1, sink }, async function* () {
    yield "sum: ";
    yield String(tools.add(1, 2));
  });
  expect(traces).toHaveLength(0);
  const chunks: string[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  expect(chunks).toEqual(["sum: ", "3"]);
  expect(traces).toMatchObject([{ status: "ok", output: "sum: 3" }]);
  expect(names(traces[0])).toEqual(["add"]);
});

test("a capture that cannot be made warns and runs the function", () => {
  const warnings: string[] = [];
  const options = {
    task: 1,
    get agent(): string {
      throw new Error("options");
    },
    onWarning: (message: string) => void warnings.push(message),
  };
  expect(capture(options, () => tools.add(1, 2))).toBe(3);
  expect(warnings).toMatchObject([expect.stringContaining("Failed to capture an agent: options")]);
});

test("a sink or listener that throws does not reach the function", () => {
  const throwing = (): never => {
    throw new Error("sink");
  };
  expect(capture({ task: 1, sink: throwing, onWarning: throwing }, () => 7)).toBe(7);
});

test("parallel captures never see each other", async () => {
  const { traces, sink } = keeping();
  await Promise.all([1, 2, 3].map((n) => capture({ task: n, sink }, () => tools.later({ n }))));
  const found = traces.map((trace) => canonical([trace.task, trace.output ?? null, names(trace)]));
  expect(found.sort()).toEqual(['[1,1,["later"]]', '[2,2,["later"]]', '[3,3,["later"]]']);
});

test("a trace that cannot be written is a warning of the process, once, and the agent notices nothing", async () => {
  const place = path.join(mkdtempSync(path.join(tmpdir(), "twiceshy-sink-")), "file");
  writeFileSync(place, "");
  const warned: string[] = [];
  const listen = (warning: Error): void => void warned.push(`${warning.name}: ${warning.message}`);
  process.on("warning", listen);
  onTestFinished(() => {
    process.off("warning", listen);
    rmSync(path.dirname(place), { recursive: true, force: true });
  });
  for (let i = 0; i < 3; i++)
    expect(await capture({ task: i, sink: path.join(place, "a.jsonl") }, async () => i)).toBe(i);
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  expect(warned).toHaveLength(1);
  expect(warned[0]).toContain("TwiceshyWarning: ");
  expect(warned[0]).toContain(place);
});
