import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { outcomes, readRecords, toolsOf, tracesIn } from "../testing/trace-files.ts";
import type { Trace } from "../trace/trace.ts";
import { readTraces } from "./importer.ts";

const FOLDER = "fixtures/traces/claude-code";
const DATA = "../shared/data/claude-code";

/** A line of a session with one content block or text. */
function line(type: "user" | "assistant", content: unknown, more: object = {}) {
  return { type, sessionId: "s", message: { role: type, content }, ...more };
}

const use = (id: string, name: string, input: object = {}) => [
  { type: "tool_use", id, name, input },
];
const answer = (id: string, content: unknown, is_error?: boolean) => [
  { type: "tool_result", tool_use_id: id, content, is_error },
];

function only(...records: readonly object[]): Trace {
  const [trace, ...rest] = tracesIn(readRecords(...records));
  if (trace === undefined || rest.length > 0) throw new Error("no single trace");
  return trace;
}

function shop(): Trace {
  const [trace] = tracesIn(readTraces([`${FOLDER}/shop-session.jsonl`]));
  if (trace === undefined) throw new Error("no trace");
  return trace;
}

test("the task is what the user typed, without the reminders and lines that the program put in", () => {
  expect(shop()).toMatchObject({
    task: "Make the cart tests pass.",
    agent: "claude-code",
    agentVersion: "2.0.1",
    status: "ok",
    output: "The cart test still fails: the file could not be edited.",
  });
});

test("blocks of one reply that stand in several lines are one batch, and results are joined by id", () => {
  const [read, bash] = toolsOf(shop());
  expect(read).toMatchObject({ name: "Read", batch: 2, settled: 1, result: { ok: true } });
  expect(bash).toMatchObject({
    batch: 2,
    settled: 0,
    result: { ok: false, error: { code: 1, message: "cart: 1 failed", source: "flag" } },
  });
});

test("an edited question and a model error that was got over leave no failure behind", () => {
  const { steps } = shop();
  const asked = steps.flatMap((step) => (step.kind === "input" ? [step.content] : []));
  expect(asked).toEqual(["Make the cart tests pass.", "Ask a colleague instead."]);
  expect(steps.filter(({ kind }) => kind === "error")).toEqual([]);
  expect(steps.flatMap((step) => (step.kind === "other" ? [step.name] : []))).toEqual([
    "error",
    "compact_boundary",
    "compaction",
  ]);
});

test("a call that the user did not allow is named so", () => {
  expect(toolsOf(shop())[2]?.result).toMatchObject({
    ok: false,
    error: { name: "PermissionDenied", source: "flag" },
  });
});

test("a sub-agent in the same file is attached to its call and is no run", () => {
  const { meta, steps } = shop();
  expect(meta?.["subagents"]).toMatchObject([
    { id: "c0ffee", call: "t4", task: "Fix the cart.", output: "I could not edit it." },
  ]);
  expect(JSON.stringify(steps)).not.toContain("s-t");
});

test("a sub-agent in a file of its own is attached, and skipped as a run when its session is read too", () => {
  const items = [...readTraces([FOLDER])];
  expect(outcomes(items)).toEqual(["trace", "skipped E_RECORD_ASIDE", "trace"]);
  const trip = tracesIn(items)[1];
  expect(trip?.meta?.["subagents"]).toMatchObject([
    { id: "beef01", call: "k1", task: "Find trains." },
  ]);
});

test("a sub-agent's file alone is a run that says whose it is", () => {
  const [trace] = tracesIn(readTraces([`${FOLDER}/trip-session/subagents/agent-beef01.jsonl`]));
  expect(trace).toMatchObject({ task: "Find trains.", meta: { subagentOf: "trip-session" } });
});

test("a session that ends with an error of the service failed", () => {
  const trace = only(
    line("user", "Hey."),
    line("assistant", [{ type: "text", text: "Error: no key" }], { isApiErrorMessage: true }),
  );
  expect(trace).toMatchObject({ status: "error", steps: [{ kind: "input" }, { kind: "error" }] });
  expect(trace).not.toHaveProperty("output");
});

test("a session that the user interrupted is incomplete", () => {
  const trace = only(
    line("user", "Go."),
    line("assistant", [{ type: "text", text: "I go." }]),
    line("user", [{ type: "text", text: "[Request interrupted by user]" }]),
  );
  expect([trace.status, trace.steps.filter(({ kind }) => kind === "input").length]).toEqual([
    "incomplete",
    1,
  ]);
});

test("a call that is streamed twice is one call, and its answer that is told twice one answer", () => {
  const trace = only(
    line("user", "Go."),
    line("assistant", use("a", "run")),
    line("assistant", use("a", "run", { x: 1 })),
    line("user", answer("a", "done")),
    line("user", answer("a", "done")),
    line("assistant", "Done."),
  );
  expect(toolsOf(trace)).toMatchObject([{ args: { x: 1 }, result: { ok: true, data: "done" } }]);
  expect(trace.steps.map(({ kind }) => kind)).toEqual(["input", "tool", "model", "output"]);
});

test("grep that finds nothing is no error, and an error wrapper without a flag is one", () => {
  const trace = only(
    line("user", "Go."),
    line("assistant", use("a", "Bash", { command: "grep x y" })),
    line("user", answer("a", "Exit code 1", true)),
    line("assistant", use("b", "Edit")),
    line("user", answer("b", "<tool_use_error>not read yet</tool_use_error>")),
  );
  expect(toolsOf(trace).map(({ result }) => result?.ok)).toEqual([true, false]);
});

test("a slash command is the task only where nobody asked in words", () => {
  const command = "<command-name>/review</command-name>\n<command-args>the cart</command-args>";
  const reply = line("assistant", [{ type: "text", text: "It is fine." }]);
  expect(only(line("user", command), reply).task).toBe("/review the cart");
  expect(only(line("user", command), line("user", "Be quick."), reply).task).toBe("Be quick.");
});

test("an older export with all lines in one document is one session", () => {
  const loglines = [line("user", "Go."), line("assistant", [{ type: "text", text: "Gone." }])];
  expect(only({ loglines })).toMatchObject({ source: "claude-code", output: "Gone." });
});

test("lines that only count tokens are no run", () => {
  const counted = { sessionId: "s", message: { role: "assistant", usage: { input_tokens: 1 } } };
  expect(outcomes(readRecords(counted, counted))).toEqual(["skipped E_RECORD_ASIDE"]);
});

test("a line of an unknown type is kept, and one that is cut off is named", () => {
  const items = readRecords(
    line("user", "Go."),
    { type: "news", uuid: "n" },
    line("assistant", "Gone."),
  );
  expect(outcomes(items)).toEqual(["trace"]);
  expect(tracesIn(items)[0]?.steps[1]).toMatchObject({ kind: "other", name: "news" });
});

test.skipIf(!existsSync(DATA))("every public session is read, its sub-agents beside it", () => {
  const items = [...readTraces([DATA])];
  const found = outcomes(items);
  expect(found.filter((outcome) => outcome === "trace").length).toBe(10);
  expect(found.filter((outcome) => outcome !== "trace")).toEqual(
    Array.from({ length: 5 }, () => "skipped E_RECORD_ASIDE"),
  );
  const parallel = tracesIn(items).find((trace) => trace.meta?.["subagents"] !== undefined);
  expect(parallel?.meta?.["subagents"]).toHaveLength(4);
});
