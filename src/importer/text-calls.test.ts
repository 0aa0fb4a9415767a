import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { outcomes, toolsOf, traceFrom, tracesIn } from "../testing/trace-files.ts";
import { readTraces } from "./importer.ts";

const user = (content: string) => ({ role: "user", content });
const agent = (content: string) => ({ role: "assistant", content });

test("calls that are written into the text are calls, and their answers in the user's name results", () => {
  const [trace] = tracesIn(readTraces(["fixtures/traces/openai/xml.json"]));
  expect(trace).toMatchObject({
    task: "Fix the lamp.",
    output: "The lamp is fixed.",
    status: "ok",
  });
  expect(trace === undefined ? [] : toolsOf(trace)).toMatchObject([
    {
      name: "bash",
      args: { command: "cat lamp.py" },
      result: { ok: true, data: "print('</parameter>')" },
    },
    {
      name: "edit",
      args: { path: "lamp.py", text: "a </parameter> b" },
      result: { ok: false, error: { code: 3, message: "NameError: lamp" } },
    },
    { name: "submit", args: {} },
  ]);
});

test("a call as JSON in a tag is a call, and each tag of the answer a result", () => {
  const trace = traceFrom([
    user("Add and look."),
    agent(
      '<tool_call>{"name":"add","arguments":{"a":1}}</tool_call>\n<tool_call>{"name":"look","arguments":{}}</tool_call>',
    ),
    user("<tool_response>3</tool_response>\n<tool_response>nothing</tool_response>"),
    agent("It is 3."),
  ]);
  expect(toolsOf(trace)).toMatchObject([
    { name: "add", args: { a: 1 }, batch: 1, result: { ok: true, data: 3 } },
    { name: "look", batch: 1, result: { ok: true, data: "nothing" } },
  ]);
  expect([trace.output, trace.status]).toEqual(["It is 3.", "ok"]);
});

test("a text that only begins like a call, and what the user says after it, stay as they are", () => {
  const trace = traceFrom([
    user("How?"),
    agent("Write <function=name> and then …"),
    user("Thanks."),
    agent("Bye."),
  ]);
  expect(trace.steps.map(({ kind }) => kind)).toEqual([
    "input",
    "model",
    "input",
    "model",
    "output",
  ]);
});

test("a run that ends with a finishing call has its argument as the output", () => {
  const trace = traceFrom([
    user("What is it?"),
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "f", function: { name: "finish", arguments: '{"answer":"A lamp."}' } }],
    },
  ]);
  expect([trace.output, trace.status]).toEqual(["A lamp.", "ok"]);
});

test("a finishing call that failed ends no run", () => {
  const trace = traceFrom([
    user("Do it."),
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "f", function: { name: "submit", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "f", content: "Error: nothing to submit" },
  ]);
  expect([trace.output, trace.status]).toEqual([undefined, "incomplete"]);
});

const DATA = "../shared/data/openai-chat";
test.skipIf(!existsSync(DATA))(
  "every public run with calls in its text is read with calls, and none is left open",
  () => {
    const items = [...readTraces([DATA])];
    expect(outcomes(items)).toEqual(["trace", "trace", "trace"]);
    for (const trace of tracesIn(items)) {
      const open = toolsOf(trace).filter(({ result }) => result === undefined);
      expect([trace.status, open.map(({ name }) => name)]).toEqual(["ok", ["submit"]]);
      expect(toolsOf(trace).length).toBeGreaterThan(15);
    }
  },
);

test("a command in the last fence is a call only when its answer follows under a head", () => {
  const reply = agent("I list.\n```bash\nls -a\n```");
  const read = traceFrom([
    user("What is there?"),
    reply,
    user("OBSERVATION:\nlamp"),
    agent("A lamp."),
  ]);
  expect(toolsOf(read)).toMatchObject([
    { name: "bash", args: { command: "ls -a" }, result: { ok: true, data: "lamp" } },
  ]);
  expect(toolsOf(traceFrom([user("How?"), reply, user("Thanks."), agent("Bye.")]))).toEqual([]);
});
