import { mkdtempSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { assemble } from "./assemble.ts";
import { Recorder } from "./recorder.ts";
import { traceLines, type Sink } from "./sink.ts";
import { traceSchema, type Trace } from "./trace.ts";

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), "twiceshy-sink-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

function lines(file: string): any[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

function warned(sink: Sink): { trace: Trace; warnings: string[] } {
  const warnings: string[] = [];
  const recorder = new Recorder({
    task: "x",
    sink,
    onWarning: (message) => warnings.push(message),
  });
  recorder.output(1);
  return { trace: recorder.finish(), warnings };
}

test("each step is in the file as soon as it is recorded, and a call before it is answered", () => {
  const sink = path.join(folder(), "traces.jsonl");
  const recorder = new Recorder({ task: "x", sink, meta: { run: 1 } });
  const traceId = expect.stringMatching(/^tr_/);
  const schemaVersion = "twiceshy.trace/1";
  expect(lines(sink)).toMatchObject([
    { schemaVersion, traceId, open: { task: "x", agent: "agent", meta: { run: 1 } } },
    { traceId, step: { index: 0, kind: "input" } },
  ]);
  let during: unknown;
  void recorder.layer()({ id: "call_1", tool: "t", args: { a: 1 } }, () => {
    during = lines(sink).at(-1);
    return { ok: true, data: 2 };
  });
  expect(during).toMatchObject({ step: { index: 1, name: "t", args: { a: 1 } } });
  expect(lines(sink).at(-1)).toMatchObject({
    more: { index: 1, result: { ok: true, data: 2 }, settled: 0, sync: true },
  });
  const trace = recorder.finish();
  expect(lines(sink).at(-1)).toMatchObject({ close: { status: "incomplete" } });
  expect(assemble(lines(sink))).toEqual([trace]);
});

test("files are for their owner only, and so are the folders made for them", () => {
  const file = path.join(folder(), "deep", "er", "traces.jsonl");
  warned(file);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
  expect(statSync(path.dirname(path.dirname(file))).mode & 0o777).toBe(0o700);
});

test("a torn last line is closed before anything is appended", () => {
  const file = path.join(folder(), "traces.jsonl");
  writeFileSync(file, '{"traceId":"tr_1","ope');
  const { trace } = warned(file);
  const [torn, ...rest] = readFileSync(file, "utf8").trimEnd().split("\n");
  expect(torn).toBe('{"traceId":"tr_1","ope');
  expect(assemble(rest.map((line) => JSON.parse(line)))).toEqual([trace]);
});

test("a sink of whole traces appends one line each", () => {
  const file = path.join(folder(), "below", "traces.jsonl");
  const traces = [warned(traceLines(file)).trace, warned(traceLines(file)).trace];
  expect(lines(file).map((line) => traceSchema.parse(line))).toEqual(traces);
});

test("traces written at the same time to one file stay whole", () => {
  const sink = path.join(folder(), "traces.jsonl");
  const recorders = [1, 2, 3].map((task) => new Recorder({ task, sink }));
  for (let i = 0; i < 5; i++) for (const recorder of recorders) recorder.reasoning(`${i}\u2028`);
  const traces = recorders.map((recorder) => recorder.finish("ok"));
  expect(assemble(lines(sink))).toEqual(traces);
});

test("a folder, a device or anything odd as a sink warns once and marks the trace", () => {
  const dir = folder();
  mkdirSync(path.join(dir, "sub"));
  for (const sink of [path.join(dir, "sub"), "/dev/full", "", { add: 5 }, null, 7] as never[]) {
    const { trace, warnings } = warned(sink);
    expect(trace).toMatchObject({ output: 1, truncated: "sink_failed" });
    expect(warnings).toHaveLength(1);
  }
});

test("the warning names the file and what follows", () => {
  const { warnings } = warned("/dev/full");
  expect(warnings[0]).toMatchInlineSnapshot(
    `"Failed to write a trace to the file /dev/full: Failed to write traces to /dev/full: it is no regular file. Give the path of a JSONL file, as .twiceshy/traces/agent.jsonl. The agent goes on; the trace is marked as truncated."`,
  );
});

test("an object with add and a function get the finished trace", async () => {
  const taken: Trace[] = [];
  const store = {
    kept: taken,
    add(trace: Trace): void {
      this.kept.push(trace);
    },
  };
  const first = warned(store).trace;
  const second = warned(async (trace) => void taken.push(trace)).trace;
  expect(taken).toEqual([first, second]);
});

test("a sink that rejects later marks the trace when it is waited for", async () => {
  const recorder = new Recorder({
    task: "x",
    sink: () => Promise.reject(Object.assign(new Error("full"), { code: "ENOSPC" })),
  });
  const trace = recorder.finish("ok");
  expect(trace).not.toHaveProperty("truncated");
  await recorder.written();
  expect(trace.truncated).toBe("disk_full");
});
