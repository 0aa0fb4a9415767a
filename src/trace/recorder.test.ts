import { expect, test } from "vitest";
import { withGrowing } from "./growing.ts";
import { Recorder } from "./recorder.ts";
import { traceSchema, type ToolResult, type ToolStep } from "./trace.ts";

const answer = (data: number): ToolResult => ({ ok: true, data });

/** A call that is answered when it is told to be. */
function asking(recorder: Recorder, tool: string): { settle: () => Promise<void> } {
  let settle: (result: ToolResult) => void = () => undefined;
  const waiting = new Promise<ToolResult>((resolve) => (settle = resolve));
  const answered = recorder.layer()({ id: tool, tool, args: {} }, () => waiting);
  return {
    async settle() {
      settle(answer(1));
      await answered;
    },
  };
}

function batches(recorder: Recorder): unknown[] {
  const steps = recorder.finish().steps.filter((step): step is ToolStep => step.kind === "tool");
  return steps.map(({ name, batch, settled }) => [name, batch, settled]);
}

test("a group ends with its first answer: what is called then begins another", async () => {
  const recorder = new Recorder({ task: "x" });
  const [a, b] = [asking(recorder, "a"), asking(recorder, "b")];
  await b.settle();
  const [c, d] = [asking(recorder, "c"), asking(recorder, "d")];
  await a.settle();
  await d.settle();
  await c.settle();
  const e = asking(recorder, "e");
  await e.settle();
  expect(batches(recorder)).toEqual([
    ["a", 1, 1],
    ["b", 1, 0],
    ["c", 3, 3],
    ["d", 3, 2],
    ["e", undefined, 4],
  ]);
});

test("calls that are never answered keep their group and have no result", () => {
  const recorder = new Recorder({ task: "x" });
  asking(recorder, "a");
  asking(recorder, "b");
  expect(batches(recorder)).toEqual([
    ["a", 1, undefined],
    ["b", 1, undefined],
  ]);
});

test("finishing twice gives the same trace, and nothing changes it any more", async () => {
  const recorder = new Recorder({ task: "x" });
  const a = asking(recorder, "a");
  const trace = recorder.finish("ok");
  const before = JSON.stringify(trace);
  recorder.output(1);
  recorder.reasoning("late");
  recorder.model("late", { usage: { inputTokens: 1 } });
  recorder.error(new Error("late"));
  await a.settle();
  asking(recorder, "b");
  expect(recorder.finish("error")).toBe(trace);
  expect(JSON.stringify(trace)).toBe(before);
});

test("without a status a trace is an error after an error, ok after an output, else incomplete", () => {
  const status = (use: (recorder: Recorder) => void): string => {
    const recorder = new Recorder({ task: "x" });
    use(recorder);
    return recorder.finish().status;
  };
  expect(status(() => undefined)).toBe("incomplete");
  expect(status((recorder) => recorder.output(null))).toBe("ok");
  expect(status((recorder) => recorder.error("no"))).toBe("error");
});

test("an answer that grows is whole at its end, or as far as it came", () => {
  const recorder = new Recorder({ task: "x" });
  let end: ((whole: ToolResult) => void) | undefined;
  const growing = withGrowing(
    { ok: true, data: { $t: "stream", v: [] } },
    {
      onEnd: (listener) => (end = listener),
      soFar: () => ({ ok: true, data: { $t: "stream", v: [1] } }),
    },
  );
  const layer = recorder.layer();
  void layer({ id: "1", tool: "a", args: {} }, () => growing);
  end?.({ ok: true, data: { $t: "stream", v: [1, 2] } });
  void layer({ id: "2", tool: "b", args: {} }, () => growing);
  const results = recorder
    .finish()
    .steps.flatMap((step) => (step.kind === "tool" ? [step.result] : []));
  expect(results).toEqual([
    { ok: true, data: { $t: "stream", v: [1, 2] } },
    { ok: true, data: { $t: "stream", v: [1] } },
  ]);
});

test("an error that a layer throws is the call's error and goes on", async () => {
  const recorder = new Recorder({ task: "x" });
  const call = { id: "1", tool: "a", args: {} };
  expect(() =>
    recorder.layer()(call, () => {
      throw new TypeError("broken");
    }),
  ).toThrow("broken");
  await expect(
    recorder.layer()(call, () => Promise.reject(new TypeError("later"))),
  ).rejects.toThrow("later");
  const trace = recorder.finish();
  expect(trace.steps.slice(1)).toMatchObject([
    { result: { error: { message: "broken" } } },
    { result: { error: { message: "later" } } },
  ]);
  expect(traceSchema.parse(trace)).toEqual(trace);
});

test("names that are no texts, odd budgets and odd meta do not make an invalid trace", () => {
  const odd = { agent: 5, agentVersion: null, taskId: {}, source: undefined } as never;
  const recorder = new Recorder({
    task: undefined,
    ...(odd as object),
    limits: { toolCalls: Infinity, ms: Number.NaN },
    meta: [1] as never,
    tools: ["b", "a"],
  });
  const trace = recorder.finish();
  expect(traceSchema.parse(trace)).toMatchObject({
    agent: "5",
    agentVersion: "0",
    taskId: "{}",
    limits: {},
    meta: { value: [1] },
    tools: ["a", "b"],
  });
});

test("redaction can be turned off or told more", () => {
  const output = (redact: object | boolean): unknown => {
    const recorder = new Recorder({ task: "x", redact });
    recorder.output({ password: "hunter2hunter2", ticket: "TCK-1234" });
    return recorder.finish().output;
  };
  expect(output(false)).toEqual({ password: "hunter2hunter2", ticket: "TCK-1234" });
  expect(JSON.stringify(output(true))).not.toContain("hunter2");
  expect(output({ patterns: [{ name: "ticket", pattern: "TCK-\\d+" }] })).toMatchObject({
    ticket: "[redacted:ticket#1]",
  });
});

test("what is told about a response may be anything", () => {
  const recorder = new Recorder({ task: "x" });
  const bomb = {
    get usage(): never {
      throw new Error("usage");
    },
  };
  for (const about of [null, 5, bomb, { usage: null, model: 7 }])
    recorder.model("said", about as never);
  const trace = recorder.finish();
  expect(traceSchema.parse(trace)).toMatchObject({ truncated: "step_lost" });
  expect(trace.steps.map((step) => step.kind)).toEqual(["input", "model", "model", "model"]);
});
