import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { outcomes, readRecords, toolsOf, tracesIn } from "../testing/trace-files.ts";
import type { Trace } from "../trace/trace.ts";
import { readTraces } from "./importer.ts";

function first(path: string): Trace {
  const [trace] = tracesIn(readTraces([`fixtures/traces/${path}`]));
  if (trace === undefined) throw new Error("no trace");
  return trace;
}

test("a log of managed agents has the user's words once, and a denied call is a person's decision", () => {
  const trace = first("anthropic-managed-agents/log.jsonl");
  expect(trace).toMatchObject({
    task: "Mail Ann.",
    output: "I did not send it.",
    agent: "Clerk",
    agentVersion: "2",
    status: "ok",
    tools: ["weather"],
    usage: { inputTokens: 3, outputTokens: 4 },
  });
  expect(trace.steps.filter(({ kind }) => kind === "input").length).toBe(1);
  expect(toolsOf(trace)).toMatchObject([
    { name: "mail", batch: 1, result: { ok: false, error: { name: "PermissionDenied" } } },
    { name: "weather", batch: 1, result: { ok: true, data: "sunny" } },
  ]);
});

test("a log of managed agents that ends with a question to a person is incomplete", () => {
  const log = [
    [
      "client.beta.sessions.events.send",
      ["s", { events: [{ type: "user.message", content: [{ type: "text", text: "Go." }] }] }],
    ],
    [
      "client.beta.sessions.events.stream",
      { type: "agent.message", content: [{ type: "text", text: "May I?" }] },
    ],
    [
      "client.beta.sessions.events.stream",
      { type: "session.status_idle", stop_reason: { type: "requires_action" } },
    ],
  ];
  expect(tracesIn(readRecords(...log))).toMatchObject([{ task: "Go.", status: "incomplete" }]);
});

const DATA = "../shared/data/anthropic-managed-agents";
test.skipIf(!existsSync(DATA))("every public log of managed agents is read and ended well", () => {
  const items = [...readTraces([DATA])];
  expect(outcomes(items)).toEqual(["trace", "trace"]);
  expect(tracesIn(items).map(({ status }) => status)).toEqual(["ok", "ok"]);
});
