import { expect, test } from "vitest";
import { itemFrom, outcomes, readRecords, toolsOf, traceFrom } from "../testing/trace-files.ts";

const call = (name: string, args: unknown, id?: string) => ({
  ...(id === undefined ? {} : { id }),
  type: "function",
  function: { name, arguments: args },
});
const asks = (...calls: unknown[]) => ({ role: "assistant", content: null, tool_calls: calls });
const user = (content: unknown) => ({ role: "user", content });
const says = (content: unknown) => ({ role: "assistant", content });

/** One call of `get` that is answered with this content. */
const answered = (content: unknown, more = {}) => ({
  messages: [
    user("What is it?"),
    asks(call("get", "{}", "c1")),
    { role: "tool", tool_call_id: "c1", content, ...more },
    says("It is so."),
  ],
});
const resultOf = (record: unknown) => toolsOf(traceFrom(record))[0]?.result;

test("a conversation is read with its task, calls, results and output", () => {
  const trace = traceFrom({
    id: "r1",
    tools: [
      { type: "function", function: { name: "get_order" } },
      { type: "function", function: { name: "cancel" } },
    ],
    messages: [
      { role: "system", content: "Be kind." },
      user("Where is order 7?"),
      { ...asks(call("get_order", '{"id":7}', "c1")), content: "I look." },
      { role: "tool", tool_call_id: "c1", content: '{"state":"sent"}' },
      { ...says("It was sent."), usage: { prompt_tokens: 9, completion_tokens: 3 }, model: "m1" },
    ],
  });
  expect(trace).toMatchObject({
    task: "Where is order 7?",
    output: "It was sent.",
    status: "ok",
    agent: "agent",
    source: "openai",
    tools: ["cancel", "get_order"],
    meta: { system: "Be kind.", id: "r1" },
  });
  expect(trace.steps).toEqual([
    { index: 0, kind: "input", content: "Where is order 7?" },
    { index: 1, kind: "model", content: "I look." },
    {
      index: 2,
      kind: "tool",
      id: "c1",
      name: "get_order",
      args: { id: 7 },
      result: { ok: true, data: { state: "sent" } },
      settled: 0,
    },
    {
      index: 3,
      kind: "model",
      name: "m1",
      content: "It was sent.",
      usage: { inputTokens: 9, outputTokens: 3 },
    },
    { index: 4, kind: "output", content: "It was sent." },
  ]);
});

test("parallel results without ids go to the calls of their turn in order", () => {
  const trace = traceFrom([
    user("Compare."),
    asks(call("price", { sku: "a" }), call("price", { sku: "b" }), call("stock", { sku: "a" })),
    { role: "tool", content: "1" },
    { role: "tool", content: "2" },
    { role: "tool", content: "3" },
    says("b costs more."),
  ]);
  expect(
    toolsOf(trace).map(({ args, result, batch, settled }) => ({ args, result, batch, settled })),
  ).toEqual([
    { args: { sku: "a" }, result: { ok: true, data: 1 }, batch: 1, settled: 0 },
    { args: { sku: "b" }, result: { ok: true, data: 2 }, batch: 1, settled: 1 },
    { args: { sku: "a" }, result: { ok: true, data: 3 }, batch: 1, settled: 2 },
  ]);
});

test("a result without an id but with a name goes to the call of that name", () => {
  const trace = traceFrom([
    user("Compare."),
    asks(call("price", {}), call("stock", {})),
    { role: "tool", name: "stock", content: "none" },
    { role: "tool", name: "price", content: "high" },
    says("Too dear, and gone."),
  ]);
  expect(toolsOf(trace).map(({ name, result, settled }) => [name, result, settled])).toEqual([
    ["price", { ok: true, data: "high" }, 1],
    ["stock", { ok: true, data: "none" }, 0],
  ]);
});

test("parallel calls are joined to their results by id in any order", () => {
  const trace = traceFrom([
    user("Compare."),
    asks(call("price", { sku: "a" }, "x"), call("price", { sku: "b" }, "y")),
    { role: "tool", tool_call_id: "y", content: "2" },
    { role: "tool", tool_call_id: "x", content: "1" },
    says("Done."),
  ]);
  expect(toolsOf(trace).map(({ id, result, settled }) => [id, result, settled])).toEqual([
    ["x", { ok: true, data: 1 }, 1],
    ["y", { ok: true, data: 2 }, 0],
  ]);
});

test("later user turns are kept as input steps, and the output comes after the last tool result", () => {
  const trace = traceFrom([
    user("Book a table."),
    says("For when?"),
    user("Tonight at eight."),
    asks(call("book", '{"at":20}', "c")),
    { role: "tool", tool_call_id: "c", content: "ok" },
    says("Booked for eight."),
  ]);
  expect(trace.task).toBe("Book a table.");
  expect(trace.steps.filter((step) => step.kind === "input").map((step) => step.content)).toEqual([
    "Book a table.",
    "Tonight at eight.",
  ]);
  expect(trace.output).toBe("Booked for eight.");
});

test("a run that ends in a tool call or a tool result has no output and is incomplete", () => {
  const started = [user("Book a table."), says("I try."), asks(call("book", "{}", "c"))];
  const ended = [...started, { role: "tool", tool_call_id: "c", content: "ok" }];
  for (const messages of [started, ended]) {
    const trace = traceFrom({ messages });
    expect(trace.output).toBeUndefined();
    expect(trace.status).toBe("incomplete");
  }
});

test("a content part whose text is null is empty", () => {
  const trace = traceFrom([
    user([
      { type: "text", text: null },
      { type: "text", text: "Hi" },
    ]),
    says([
      { type: "text", text: null },
      { type: "text", text: "Hello" },
    ]),
  ]);
  expect([trace.task, trace.output]).toEqual(["Hi", "Hello"]);
});

test("content parts that are no text stay as they are", () => {
  const parts = [
    { type: "text", text: "What is this?" },
    { type: "image_url", image_url: { url: "data:," } },
  ];
  expect(traceFrom([user(parts), says("A dot.")]).task).toEqual(parts);
});

test("the older function_call and role function are read", () => {
  const trace = traceFrom([
    user("Weather?"),
    {
      role: "assistant",
      content: null,
      function_call: { name: "weather", arguments: '{"city":"Bonn"}' },
    },
    { role: "function", name: "weather", content: '{"c":18}' },
    says("18 degrees."),
  ]);
  expect(toolsOf(trace)).toMatchObject([
    { name: "weather", args: { city: "Bonn" }, result: { ok: true, data: { c: 18 } } },
  ]);
});

test.each([
  ['{"a":1}', { a: 1 }],
  [{ a: 1 }, { a: 1 }],
  ["[1,2]", { _0: 1, _1: 2 }],
  ["not json", { input: "not json" }],
  ["5", { input: 5 }],
  ["", {}],
  [null, {}],
])("the arguments %j are read as %j", (given, args) => {
  const trace = traceFrom([
    user("x"),
    asks(call("t", given, "c")),
    { role: "tool", tool_call_id: "c", content: "y" },
    says("z"),
  ]);
  expect(toolsOf(trace)[0]?.args).toEqual(args);
});

test("an error object in a result is a failed call, with its code and message", () => {
  expect(resultOf(answered('{"error":{"code":429,"message":"slow down"}}'))).toEqual({
    ok: false,
    error: { code: 429, message: "slow down", source: "wrapper" },
    data: { error: { code: 429, message: "slow down" } },
  });
});

test.each([
  '{"error":true,"success":false}',
  '{"isError":true,"content":"no"}',
  '{"success":false}',
  '{"error":"declined"}',
])("the result %s is a failed call told by its wrapper", (content) => {
  expect(resultOf(answered(content))).toMatchObject({ ok: false, error: { source: "wrapper" } });
});

test("a flag of the message itself weighs more than its text", () => {
  expect(resultOf(answered("no such order", { is_error: true }))).toEqual({
    ok: false,
    error: { message: "no such order", source: "flag" },
    data: "no such order",
  });
});

test.each([
  ["Error: user not found", { message: "user not found", source: "text" }],
  ["KeyError: 'amount'", { name: "KeyError", message: "'amount'", source: "text" }],
])("a text that names itself an error at its start is one: %s", (content, error) => {
  expect(resultOf(answered(content))).toMatchObject({ ok: false, error });
});

test.each([
  "Open daily with the exception of Monday",
  "There was an error in 2019, since then all is well.",
  '{"error":null,"items":[]}',
  '{"error":"","response":"ok"}',
  '{"success":true,"error":"none"}',
  "Error: 0",
])("prose about errors and empty error members stay good results: %s", (content) => {
  expect(resultOf(answered(content))).toMatchObject({ ok: true });
});

test.each([
  ["007", "007"],
  ["1200.0", "1200.0"],
  ["12", 12],
  ["null", null],
  ["{broken", "{broken"],
  ["12345678901234567890", "12345678901234567890"],
  ['{"id":9007199254740993}', { id: { $t: "bigint", v: "9007199254740993" } }],
])("the result text %s is read without losing a digit", (content, data) => {
  expect(resultOf(answered(content))).toEqual({ ok: true, data });
});

test("a call without a result and a result without a call make the run incomplete, with a warning each", () => {
  const item = itemFrom([
    user("x"),
    asks(call("lost", "{}", "c1"), call("found", "{}", "c2")),
    { role: "tool", tool_call_id: "c2", content: "y" },
    { role: "tool", tool_call_id: "c9", content: "z" },
    says("Done."),
  ]);
  expect(item.trace.status).toBe("incomplete");
  expect(item.trace.steps.map((step) => step.kind)).toEqual([
    "input",
    "tool",
    "tool",
    "other",
    "model",
    "output",
  ]);
  expect(toolsOf(item.trace)[0]).not.toHaveProperty("result");
  expect(item.warnings).toEqual([
    "a tool result belongs to no call: c9",
    "the call of lost at step 1 was never answered",
  ]);
});

test("demonstrations and what a harness puts in are not the task", () => {
  const trace = traceFrom([
    { ...user("How to demo"), is_demo: true },
    { ...says("demo"), is_demo: true },
    user("<system-reminder>be brief</system-reminder>"),
    user([
      { type: "text", text: "<environment_context>cwd</environment_context>" },
      { type: "text", text: "Fix it." },
    ]),
    says("Fixed."),
  ]);
  expect(trace.task).toBe("Fix it.");
  expect(trace.steps).toHaveLength(3);
});

test("a greeting of the agent before the first user message is no task", () => {
  const trace = traceFrom([says("How can I help?"), user("Cancel it."), says("Cancelled.")]);
  expect([trace.task, trace.output]).toEqual(["Cancel it.", "Cancelled."]);
});

test("a reward, score or success beside the messages is kept with its scale", () => {
  const messages = [user("x"), says("y")];
  expect(traceFrom({ messages, reward: 0.5 }).score).toEqual({
    name: "reward",
    value: 0.5,
    best: 1,
    passed: false,
  });
  expect(traceFrom({ messages, success: true }).score).toEqual({
    name: "success",
    value: true,
    passed: true,
  });
  expect(traceFrom({ messages }).score).toBeUndefined();
});

test("messages are told from the keys of a record: messages, conversation, trajectory or the bare list", () => {
  const messages = [user("x"), says("y")];
  const items = readRecords(
    { messages },
    { id: 1, conversation: messages },
    { trajectory: messages, task_id: 4 },
    messages,
  );
  expect(items.map(({ format }) => format)).toEqual(["openai", "openai", "openai", "openai"]);
});

test("formats that hold messages and mean something else are not read as OpenAI messages", () => {
  const messages = [user("x"), says("y")];
  const items = readRecords(
    { messages },
    { messages, trajectory_format: "mini-swe-agent-1" },
    { messages, mode: "create", response: {} },
  );
  expect(items.map(({ format }) => format)).toEqual(["openai", "mini-swe-agent", undefined]);
});

test("a record without any message is an error with its reason", () => {
  expect(outcomes(readRecords({ messages: [] }))).toEqual(["E_RECORD_EMPTY"]);
});
