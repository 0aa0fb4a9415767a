import { expect, test } from "vitest";
import { itemFrom, readRecords, toolsOf, traceFrom, tracesIn } from "../testing/trace-files.ts";
import { readTraces } from "./importer.ts";

const FOLDER = "fixtures/traces/openai-responses";
const user = { role: "user", content: "Go." };
const call = { type: "function_call", call_id: "c", name: "go", arguments: '{"far":true}' };
const output = { type: "function_call_output", call_id: "c", output: "gone" };
const said = {
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text: "Gone." }],
};

test("a list of items has its calls joined by call_id, those without a word between them as a batch", () => {
  const [trace] = tracesIn(readTraces([`${FOLDER}/items.jsonl`]));
  expect(trace).toMatchObject({
    source: "openai-responses",
    task: "Book a table and a taxi.",
    status: "ok",
  });
  expect(trace === undefined ? [] : toolsOf(trace)).toMatchObject([
    { name: "table", args: { for: 2 }, batch: 1, settled: 1, result: { ok: true, data: "booked" } },
    {
      name: "taxi",
      batch: 1,
      settled: 0,
      result: { ok: false, error: { message: "no taxi", source: "wrapper" } },
    },
  ]);
});

test("a response with its input is a run, with the calls that the provider made", () => {
  const [trace] = tracesIn(readTraces([`${FOLDER}/response.json`]));
  expect(trace).toMatchObject({
    task: "What is the weather in Rome?",
    output: "Sunny, I think.",
    tools: ["noop", "web_search"],
    usage: { inputTokens: 9, outputTokens: 4, totalTokens: 13 },
    meta: { conversation: "resp_1", model: "gpt-x", system: "Be brief." },
  });
  expect(trace === undefined ? [] : toolsOf(trace)).toMatchObject([
    { name: "web_search", args: { query: "weather Rome" }, result: { ok: true } },
    {
      name: "forecast",
      args: { city: "Rome" },
      result: { ok: false, error: { message: "no such city", source: "flag" } },
    },
  ]);
});

test("items one a line are one run", () => {
  const items = readRecords(call, output, said);
  expect(tracesIn(items)).toMatchObject([{ output: "Gone.", status: "ok" }]);
});

test("a list of chat messages alone stays one of chat messages", () => {
  expect(itemFrom([user, { role: "assistant", content: "Gone." }]).format).toBe("openai");
});

test("a response that failed or was cut off says so", () => {
  const response = { object: "response", input: [user], output: [call] };
  expect(
    traceFrom({ ...response, status: "failed", error: { code: "server_error", message: "boom" } }),
  ).toMatchObject({
    status: "error",
    steps: [{}, {}, { kind: "error", error: { code: "server_error", message: "boom" } }],
  });
  const cut = {
    ...response,
    output: [call, output, said],
    incomplete_details: { reason: "max_output_tokens" },
  };
  expect(traceFrom(cut).status).toBe("incomplete");
});

test("an item of an unknown type among others is kept", () => {
  const items = [user, call, output, { type: "mcp_approval_request", id: "m", name: "x" }, said];
  expect(traceFrom({ items }).steps.map(({ kind }) => kind)).toEqual([
    "input",
    "tool",
    "other",
    "model",
    "output",
  ]);
});
