import { expect, test } from "vitest";
import { detect, real } from "../detector/detector.ts";
import { folderOf, toolsOf, tracesIn } from "../testing/trace-files.ts";
import { readTraces } from "./importer.ts";

const user = (content: string) => ({ role: "user", content });
const agent = (content: string) => ({ role: "agent", content });
const called = (name: string, args: string) => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id: name, type: "function", function: { name, arguments: args } }],
});

/** Small records as people write them by hand: with the names of the formats, and less than the benchmarks write. */
function samples(): string {
  const table = (question: string, tool: string, answer: string) => ({
    messages: [
      user(question),
      called(tool, '{"when":"19:00"}'),
      { role: "tool", tool_call_id: tool, content: '{"ok":true}' },
      { role: "assistant", content: answer },
    ],
  });
  return folderOf({
    "agentbench.jsonl": [
      {
        index: 0,
        output: {
          status: "task limit reached",
          history: [
            user("Free the disk."),
            agent("I look first.\nAction: run\nInput: df"),
            user("command not found"),
          ],
        },
      },
      {
        index: 1,
        output: {
          status: "completed",
          result: "3",
          history: [user("How many files are there?"), agent("Action: count(files)"), user("3")],
        },
      },
    ]
      .map((record) => `${JSON.stringify(record)}\n`)
      .join(""),
    "openai.json": JSON.stringify([
      table("A table for two.", "book_table", "It is booked."),
      table("No table after all.", "cancel_table", "It is cancelled."),
    ]),
    "swe-agent.traj": JSON.stringify({
      instance_id: "shop__shop-1",
      problem_statement: "The cart loses items.",
      trajectory: [
        { thought: "Where is it?", action: "find_file cart.py", observation: "cart.py" },
        { thought: "Run it.", action: "python cart.py", observation: "KeyError: 'items'" },
      ],
      info: { exit_status: "exit_cost" },
    }),
    "toolbench.json": JSON.stringify([
      {
        query_id: 1,
        answer_generation: {
          query: "What's the weather in Paris tomorrow?",
          valid_data: true,
          final_answer: '{"return_type":"give_answer","final_answer":"Sunny."}',
          train_messages: [
            [
              user("What's the weather in Paris tomorrow?"),
              {
                role: "assistant",
                content: null,
                function_call: { name: "forecast", arguments: "{}" },
              },
              {
                role: "function",
                name: "forecast",
                content: '{"error":"Rate limit exceeded","response":""}',
              },
            ],
          ],
        },
      },
    ]),
    "webarena.json": JSON.stringify([
      {
        task_id: 1,
        intent: "What does the lamp cost?",
        actions: [
          { action: "click [3]", observation: "Lamp, $49.99" },
          { action: "stop [$39.99]" },
        ],
        success: false,
      },
      {
        task_id: 2,
        intent: "Open the cart.",
        actions: ["click [4]", "stop [done]"],
        success: true,
      },
    ]),
  });
}

test("a folder of hand-made records of five benchmarks gives eight traces, each under its format", () => {
  const traces = tracesIn(readTraces([samples()]));
  expect(traces.map(({ source }) => source)).toEqual([
    "agentbench",
    "agentbench",
    "openai",
    "openai",
    "swe-agent",
    "toolbench",
    "webarena",
    "webarena",
  ]);
  const [limit, counted, booked, cancelled, cart, weather, lamp, opened] = traces;
  expect(limit?.status).toBe("timeout");
  expect(counted).toMatchObject({ output: "3", status: "ok" });
  expect(
    [booked, cancelled].flatMap((trace) => (trace === undefined ? [] : toolsOf(trace)[0]?.name)),
  ).toEqual(["book_table", "cancel_table"]);
  expect(cart).toMatchObject({ status: "timeout", task: "The cart loses items." });
  expect(cart === undefined ? undefined : toolsOf(cart)[0]?.name).toBe("find_file");
  expect(weather).toMatchObject({ task: "What's the weather in Paris tomorrow?" });
  expect(weather === undefined ? undefined : toolsOf(weather)[0]?.result).toMatchObject({
    error: { message: "Rate limit exceeded" },
  });
  expect(lamp).toMatchObject({
    output: "$39.99",
    score: { name: "benchmark_success", value: false },
  });
  expect(opened).toMatchObject({
    output: "done",
    score: { name: "benchmark_success", value: true },
  });
});

test("at least four of the hand-made records have a failure that can be tested", () => {
  const failing = tracesIn(readTraces([samples()])).filter(
    (trace) => real(detect(trace)).length > 0,
  );
  expect(failing.length).toBeGreaterThanOrEqual(4);
});
