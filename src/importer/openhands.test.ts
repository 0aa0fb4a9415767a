import { expect, test } from "vitest";
import { folderOf, outcomes, readText, toolsOf, tracesIn } from "../testing/trace-files.ts";
import {
  FIXTURES,
  fixture,
  fixtureTrace,
  NO_SHARED,
  SHARED,
  WHY_NO_SHARED,
} from "../testing/trace-fixtures.ts";
import { readTraces } from "./importer.ts";

test("a list of events has its calls as the model wrote them, with their answers by cause", () => {
  const trace = fixtureTrace("openhands/events.json");
  expect(trace).toMatchObject({
    source: "openhands",
    agent: "CodeActAgent",
    agentVersion: "0.48.0",
    status: "ok",
    task: "Count the files.",
    output: "There are 3 files.",
    tools: ["execute_bash", "finish"],
    meta: { system: "You are an agent." },
  });
  const [count, cat, serve, edit] = toolsOf(trace);
  expect(count).toMatchObject({
    id: "t1",
    name: "execute_bash",
    args: { command: "ls | wc -l" },
    settled: 1,
  });
  expect(count?.batch).toBe(2);
  expect(cat).toMatchObject({
    batch: 2,
    settled: 0,
    result: { ok: false, error: { code: 1, source: "flag" } },
  });
  expect(serve?.result).toEqual({ ok: true, data: { output: "Serving", exit_code: -1 } });
  expect(edit?.result).toMatchObject({
    ok: false,
    error: { message: "No replacement was performed, the text is not in /a.", source: "text" },
  });
});

test("times without a zone are UTC", () => {
  expect(fixtureTrace("openhands/events.json").steps[0]?.at).toBe(1737404942500);
});

test("a record of an evaluation has its score, and what the harness says to go on is no input", () => {
  const [trace] = tracesIn(fixture("openhands/output.jsonl"));
  expect(trace).toMatchObject({
    agent: "CodeActAgent",
    task: "Is it true?",
    output: "It is true.",
    status: "ok",
    score: { name: "test_result.result", value: false, passed: false },
    meta: { instance: "q1", dataset: "quiz", model: "some-model" },
  });
  expect(trace?.steps.map(({ kind }) => kind)).toEqual([
    "input",
    "model",
    "tool",
    "model",
    "output",
  ]);
});

test("a run that reached its most turns is a timeout with its patch, and its last call is unanswered", () => {
  const [, item] = fixture("openhands/output.jsonl");
  if (item === undefined || !("trace" in item)) throw new Error("no trace");
  expect(item.trace).toMatchObject({
    status: "timeout",
    output: "diff --git a/x b/x",
    meta: { cost: 0.5 },
  });
  expect(toolsOf(item.trace)[0]?.result).toBeUndefined();
  expect(item.warnings).toEqual(["the call of run at step 1 was never answered"]);
});

test("flat events of the resolver are joined in order, and its own opinion is no score", () => {
  const [, , trace] = tracesIn(fixture("openhands/output.jsonl"));
  expect(trace).toMatchObject({
    task: "Wrong total\n\nIt is too low.",
    output: "I could not write the file.",
    meta: { success: false, result_explanation: "Nothing was written." },
  });
  expect(trace?.score).toBeUndefined();
  expect(
    trace === undefined
      ? []
      : toolsOf(trace).map(({ name, args, result }) => [name, args, result?.ok]),
  ).toEqual([
    ["run", { command: "ls" }, true],
    ["write", { path: "total.py", content: "x" }, false],
  ]);
});

test("events that are written one a line are one run", () => {
  const event = (more: object) =>
    `${JSON.stringify({ timestamp: "2025-01-20T20:29:00", source: "user", ...more })}\n`;
  const items = readText(
    event({ id: 0, action: "message", args: { content: "Hi." } }) +
      event({ id: 1, source: "agent", action: "message", args: { content: "Hello." } }),
  );
  expect(tracesIn(items).map(({ task, output }) => [task, output])).toEqual([["Hi.", "Hello."]]);
  expect(items).toHaveLength(1);
});

test("a session of changes of state alone is no run", () => {
  const event = {
    id: 0,
    source: "environment",
    timestamp: "x",
    observation: "agent_state_changed",
    content: "",
    extras: { agent_state: "init" },
  };
  const path = folderOf({ "a.json": JSON.stringify([event, event]) });
  expect(outcomes(readTraces([path]))).toEqual(["skipped E_RECORD_ASIDE"]);
});

test("an agent that stopped with an error is an error with its reason", () => {
  const say = {
    id: 0,
    source: "user",
    timestamp: "x",
    action: "message",
    args: { content: "Hi." },
  };
  const state = {
    id: 1,
    source: "environment",
    timestamp: "x",
    observation: "agent_state_changed",
    content: "",
    extras: { agent_state: "error", reason: "AuthenticationError: no key" },
  };
  const [trace] = tracesIn(readText(JSON.stringify([say, state]), "a.json"));
  expect(trace?.status).toBe("error");
  expect(trace?.steps.at(-1)).toMatchObject({
    kind: "error",
    error: { message: "AuthenticationError: no key" },
  });
});

test("a session is read once, from its description, and its pickle is never opened", () => {
  const items = fixture("openhands-events/session");
  const [trace, ...rest] = tracesIn(items);
  expect(rest).toEqual([]);
  expect(trace).toMatchObject({
    source: "openhands-events",
    task: "Count the files.",
    output: "There are 3 files.",
    usage: { inputTokens: 70, outputTokens: 30 },
    meta: { conversation: "c0ffee", title: "Counting", model: "some/model", cost: 0.03 },
  });
  expect(items.find((item) => "trace" in item)?.file).toMatch(/metadata\.json$/);
  const others = outcomes(items).filter((outcome) => outcome !== "trace");
  expect(others).toHaveLength(15);
  expect(new Set(others)).toEqual(new Set(["skipped E_RECORD_ASIDE", "skipped E_FILE_PICKLE"]));
});

test("without its description a session comes from the first event that is read", () => {
  const events = fixture("openhands-events/session/events");
  expect(
    events.filter((item) => "trace" in item).map(({ file }) => file.replace(FIXTURES, "")),
  ).toEqual(["/openhands-events/session/events/0.json"]);
  const [one] = tracesIn(fixture("openhands-events/session/events/8.json"));
  const [all] = tracesIn(events);
  expect(one).toEqual(all);
});

test("a pickle is skipped by its name in a folder and refused when it is named, and never opened", () => {
  const folder = folderOf({ "a.pkl": "x", "b.PKL.gz": "x", "c.pickle": "x" });
  expect(outcomes(readTraces([folder]))).toEqual(
    Array.from({ length: 3 }, () => "skipped E_FILE_PICKLE"),
  );
  expect(outcomes(readTraces([`${folder}/a.pkl`]))).toEqual(["skipped E_FILE_PICKLE"]);
});

test("every public run of OpenHands is read", ({ skip }) => {
  skip(NO_SHARED, WHY_NO_SHARED);
  const items = [...readTraces([`${SHARED}/openhands`])];
  expect(outcomes(items)).toEqual(Array.from({ length: 9 }, () => "trace"));
  expect(tracesIn(items).filter(({ status }) => status !== "ok")).toEqual([]);
  expect(tracesIn(items).flatMap(({ score }) => score?.value ?? [])).toEqual([
    false,
    true,
    true,
    true,
    true,
    true,
  ]);
});

test("the public session of OpenHands is one run, and every other file of it is named", ({
  skip,
}) => {
  skip(NO_SHARED, WHY_NO_SHARED);
  const items = [...readTraces([`${SHARED}/openhands-events`])];
  expect(items).toHaveLength(16);
  expect(
    items.filter((item) => "trace" in item).map(({ file }) => file.replace(SHARED, "")),
  ).toEqual(["/openhands-events/63b43159.metadata.json"]);
  expect(outcomes(items).filter((outcome) => outcome.startsWith("E_"))).toEqual([]);
});
