import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { outcomes, toolsOf, tracesIn } from "../testing/trace-files.ts";
import { readTraces } from "./importer.ts";

const CHAT = "fixtures/traces/copilot-chat/chat.json";
const REPLAY = "fixtures/traces/copilot-chat/replay.json";

test("each request of a chat is a run under its place in the list", () => {
  const items = [...readTraces([CHAT])];
  expect(items.map((item) => item.key)).toEqual([0, 1, 2]);
  expect(tracesIn(items).map(({ status }) => status)).toEqual(["error", "ok", "incomplete"]);
});

test("a request that broke has its error, and another try has the task of the first", () => {
  const [broken, again] = tracesIn(readTraces([CHAT]));
  expect(broken).toMatchObject({
    durationMs: 50,
    steps: [{}, {}, { kind: "error", error: { code: "net" } }],
  });
  expect(broken).not.toHaveProperty("output");
  expect(again).toMatchObject({ task: "Add a lamp.", output: "The lamp is there." });
  expect(again?.taskId).toBe(broken?.taskId);
});

test("results are read out of the trees in which the editor renders them", () => {
  const again = tracesIn(readTraces([CHAT]))[1];
  expect(again === undefined ? [] : toolsOf(again)).toMatchObject([
    {
      name: "create_file",
      args: { filePath: "lamp.ts" },
      batch: 2,
      result: { ok: true, data: "File created: \nlamp.ts" },
    },
    { name: "read_file", batch: 2, result: { ok: false, error: { source: "text" } } },
  ]);
});

test("a chat without rounds is read from what the person saw", () => {
  const seen = tracesIn(readTraces([CHAT]))[2];
  expect(seen?.steps).toMatchObject([
    { kind: "input", content: "And a chair." },
    { kind: "model", content: "See chair.ts" },
    { kind: "tool", name: "copilot_createFile", args: { invocation: "Creating chair.ts" } },
    { kind: "other", name: "interrupted" },
  ]);
});

test("a replay has its calls and the last words, without the requests for titles", () => {
  const [trace] = tracesIn(readTraces([REPLAY]));
  expect(trace).toMatchObject({ task: "Rename it.", output: "It is renamed.", status: "ok" });
  expect(trace?.steps.map(({ kind }) => kind)).toEqual(["input", "tool", "model", "output"]);
});

const CHATS = "../shared/data/copilot-chat";
test.skipIf(!existsSync(CHATS))(
  "every request of the public chats is read, and the one that broke failed",
  () => {
    const items = [...readTraces([CHATS])];
    expect(outcomes(items)).toEqual(Array.from({ length: 13 }, () => "trace"));
    expect(tracesIn(items).filter(({ status }) => status === "error").length).toBe(1);
  },
);
