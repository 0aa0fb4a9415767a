import { expect, test } from "vitest";
import { itemFrom, toolsOf, traceFrom } from "../testing/trace-files.ts";

const task = {
  user_id: "u1",
  instruction: "You want a refund.",
  actions: [{ name: "refund", kwargs: { id: 1 } }],
  outputs: ["5"],
};
const run = (traj: unknown[], more = {}) => ({
  task_id: 3,
  trial: 0,
  reward: 1,
  info: { task, reward_info: { reward: 1 } },
  traj,
  ...more,
});
const call = (name: string, args: string) => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id: "c", type: "function", function: { name, arguments: args } }],
});

test("a run has the first user message as its task, the reward as its score, and what is expected in its meta", () => {
  const trace = traceFrom(
    run([
      { role: "system", content: "Policy." },
      { role: "user", content: "Refund please." },
      { role: "assistant", content: "Done." },
      { role: "user", content: "###STOP###" },
    ]),
  );
  expect(trace).toMatchObject({
    source: "tau-bench",
    task: "Refund please.",
    output: "Done.",
    status: "ok",
    score: { name: "reward", value: 1, best: 1, passed: true },
    meta: {
      system: "Policy.",
      task_id: 3,
      trial: 0,
      instruction: "You want a refund.",
      expected_actions: task.actions,
      expected_outputs: ["5"],
    },
  });
});

test("trials of one task have one task id, whatever the simulated user says first", () => {
  const ids = ["Refund!", "I would like a refund."].map(
    (content, trial) =>
      traceFrom(
        run(
          [
            { role: "user", content },
            { role: "assistant", content: "Done." },
          ],
          { trial },
        ),
      ).taskId,
  );
  expect(new Set(ids).size).toBe(1);
});

test("a crashed run without messages is an error with the class of its traceback", () => {
  const { trace, warnings } = itemFrom([
    {
      task_id: 0,
      reward: 0,
      info: {
        error: "EOF when reading a line",
        traceback:
          "Traceback (most recent call last):\n  File x\nEOFError: EOF when reading a line\n",
      },
      traj: [],
      trial: 0,
    },
  ]);
  expect(trace).toMatchObject({
    status: "error",
    task: { task_id: 0 },
    score: { value: 0, passed: false },
  });
  expect(trace.steps).toEqual([
    { index: 0, kind: "error", error: { name: "EOFError", message: "EOF when reading a line" } },
  ]);
  expect(trace).not.toHaveProperty("output");
  expect(warnings).toEqual([]);
});

test("a run that crashed midway keeps its steps and has no output", () => {
  const trace = traceFrom(
    run(
      [
        { role: "user", content: "Hi" },
        { role: "assistant", content: "Hello" },
      ],
      { info: { error: "boom", traceback: "Traceback\nValueError: boom" } },
    ),
  );
  expect(trace.steps.map((step) => step.kind)).toEqual(["input", "model", "error"]);
  expect([trace.status, trace.output]).toEqual(["error", undefined]);
});

test("a run that ends by handing the user over is whole, with the summary as its output", () => {
  const trace = traceFrom(
    run([
      { role: "user", content: "Help" },
      call("transfer_to_human_agents", '{"summary":"Wants help."}'),
      {
        role: "tool",
        tool_call_id: "c",
        name: "transfer_to_human_agents",
        content: "Transfer successful",
      },
    ]),
  );
  expect([trace.status, trace.output]).toEqual(["ok", "Wants help."]);
});

test("a run that ends by any other call is incomplete, and an Error text is a failed call", () => {
  const trace = traceFrom(
    run([
      { role: "user", content: "Help" },
      call("get", "{}"),
      { role: "tool", tool_call_id: "c", name: "get", content: "Error: user not found" },
    ]),
  );
  expect([trace.status, trace.output]).toEqual(["incomplete", undefined]);
  expect(toolsOf(trace)[0]?.result).toEqual({
    ok: false,
    error: { message: "user not found", source: "text" },
    data: "Error: user not found",
  });
});

test("the sign that ends a conversation is nothing that the user said, and words beside it are", () => {
  const says = (content: string) => ({ role: "user", content });
  const trace = traceFrom(
    run([
      says("Refund please."),
      { role: "assistant", content: "Done." },
      says("Thanks. ###STOP###"),
      { role: "assistant", content: "Bye." },
      says("###STOP###"),
    ]),
  );
  expect(trace.steps.map(({ kind }) => kind)).toEqual([
    "input",
    "model",
    "input",
    "model",
    "output",
  ]);
});
