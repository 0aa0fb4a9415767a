import { expect, test } from "vitest";
import { clean, failing, Lines, numbered, verdictOn } from "../testing/judged.ts";

const user = (content: string) => ({ role: "user", content });
const RUN = {
  trace_id: "r",
  start_time: "2026-03-01T10:00:00",
  end_time: "2026-03-01T10:00:09",
  error: null,
};
const langsmith = (root: object, ...children: readonly object[]) => ({
  ...RUN,
  id: "r",
  name: "agent",
  run_type: "chain",
  parent_run_id: null,
  inputs: { input: "How many albums are there?" },
  ...root,
  child_runs: numbered(children, (at) => ({
    ...RUN,
    id: `c${at}`,
    run_type: "tool",
    parent_run_id: "r",
    start_time: `2026-03-01T10:00:0${at + 1}`,
    end_time: `2026-03-01T10:00:0${at + 1}`,
  })),
});
const langfuse = (root: object, ...observations: readonly object[]) => ({
  trace: { id: "t", name: "agent", timestamp: "2026-01-01T00:00:00Z", scores: [], ...root },
  observations: numbered(observations, (at) => ({
    id: `o${at}`,
    traceId: "t",
    parentObservationId: null,
    startTime: `2026-01-01T00:00:0${at}Z`,
    endTime: `2026-01-01T00:00:0${at}Z`,
    level: "DEFAULT",
  })),
});
const attribute = (key: string, value: string) => ({ key, value: { stringValue: value } });
const otlp = (...spans: readonly object[]) => ({
  resourceSpans: [
    {
      resource: { attributes: [attribute("service.name", "desk")] },
      scopeSpans: [
        {
          spans: numbered(spans, (at) => ({
            traceId: "aa",
            spanId: `b${at}`,
            parentSpanId: at === 0 ? "" : "b0",
            startTimeUnixNano: `177235920000000000${at}`,
            endTimeUnixNano: `177235920100000000${at}`,
            status: {},
          })),
        },
      ],
    },
  ],
});
const ROOT = [
  attribute("gen_ai.operation.name", "invoke_agent"),
  attribute("input.value", "Read the note."),
];
const asked = {
  author: "user",
  invocation_id: "i",
  content: { role: "user", parts: [{ text: "Roll a die." }] },
};
const adk = (...events: readonly object[]) => ({
  id: "s",
  app_name: "dice",
  user_id: "u",
  events: numbered([asked, ...events], (at) => ({
    author: "dice",
    invocation_id: "i",
    id: `e${at}`,
    timestamp: 1755000000 + at,
  })),
});

const SPANS = [
  clean(
    "a query with a wrong column, then the right one",
    langsmith(
      { status: "success", outputs: { output: "There are 347 albums." } },
      {
        name: "sql_query",
        inputs: { input: "{'query': 'SELECT n FROM album'}" },
        outputs: { output: "SQL Error: no such column: n" },
      },
      {
        name: "sql_query",
        inputs: { input: "{'query': 'SELECT COUNT(*) FROM album'}" },
        outputs: { output: "[(347,)]" },
      },
    ),
  ),
  failing(
    "the root of a run broke",
    "exception",
    langsmith({
      status: "error",
      error: "KeyError('album')\nTraceback (most recent call last): ...",
    }),
  ),
  failing("a run that never ended", "abandoned", langsmith({ status: "pending", end_time: null })),
  clean(
    "a judge's low number for harm is no wrong answer",
    langfuse(
      {
        input: "Say hello.",
        output: "Hello.",
        scores: [{ name: "toxicity", value: 0, source: "EVAL", dataType: "NUMERIC" }],
      },
      {
        type: "GENERATION",
        name: "llm",
        input: '[{"role":"user","content":"Say hello."}]',
        output: "Hello.",
      },
    ),
  ),
  failing(
    "the only call of the model failed",
    ["exception", "abandoned"],
    langfuse(
      { input: "Say hello.", output: null },
      {
        type: "GENERATION",
        name: "llm",
        input: '[{"role":"user","content":"Say hello."}]',
        output: null,
        level: "ERROR",
        statusMessage: "429 quota exceeded",
      },
    ),
  ),
  clean(
    "a request that was not found lies under a good run",
    otlp(
      {
        name: "invoke_agent desk",
        attributes: [...ROOT, attribute("output.value", "It says: milk.")],
      },
      { name: "GET /notes/1", kind: 3, attributes: [], status: { code: 2, message: "404" } },
      {
        name: "execute_tool read_note",
        attributes: [
          attribute("gen_ai.operation.name", "execute_tool"),
          attribute("gen_ai.tool.name", "read_note"),
          attribute("input.value", '{"id":2}'),
          attribute("output.value", "milk"),
        ],
        status: { code: 1 },
      },
    ),
  ),
  failing(
    "the span of the agent is an error",
    ["exception", "abandoned"],
    otlp({
      name: "invoke_agent desk",
      attributes: ROOT,
      status: { code: 2, message: "RuntimeError: no model" },
    }),
  ),
  clean(
    "a die is rolled",
    adk(
      {
        content: {
          role: "model",
          parts: [{ function_call: { name: "roll", args: { sides: 6 } } }],
        },
      },
      {
        content: {
          role: "user",
          parts: [{ function_response: { name: "roll", response: { result: 4 } } }],
        },
      },
      { content: { role: "model", parts: [{ text: "You rolled a 4." }] } },
    ),
  ),
  failing(
    "the model of a session fails",
    ["exception", "abandoned"],
    adk({ error_code: "RESOURCE_EXHAUSTED", error_message: "quota", content: null }),
  ),
  clean(
    "an answer of the other interface of OpenAI",
    new Lines([
      user("Book a table."),
      { type: "function_call", call_id: "c", name: "book_table", arguments: '{"for":2}' },
      { type: "function_call_output", call_id: "c", output: "booked" },
      {
        type: "message",
        role: "assistant",
        content: [{ type: "output_text", text: "Your table is booked." }],
      },
    ]),
  ),
  failing("a result of Vercel's kit that was cut off", "truncated_output", {
    text: "The three reasons are first,",
    finishReason: "length",
    usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    request: { body: '{"messages":[{"role":"user","content":"Give three reasons."}]}' },
    response: { modelId: "m", messages: [] },
    steps: [
      {
        text: "The three reasons are first,",
        finishReason: "length",
        toolCalls: [],
        toolResults: [],
      },
    ],
  }),
  failing("a filter cut an answer off", "refused", {
    text: "The three reasons are first,",
    finishReason: "content-filter",
    usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    request: { body: '{"messages":[{"role":"user","content":"Give three reasons."}]}' },
    response: { modelId: "m", messages: [] },
    steps: [
      {
        text: "The three reasons are first,",
        finishReason: "content-filter",
        toolCalls: [],
        toolResults: [],
      },
    ],
  }),
];

test.each(SPANS)("$title", (judged) => {
  expect(verdictOn(judged)).toBeUndefined();
});
