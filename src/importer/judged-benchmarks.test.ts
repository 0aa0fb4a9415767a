import { expect, test } from "vitest";
import { clean, failing, Lines, verdictOn } from "../testing/judged.ts";

const system = { role: "system", content: "You help." };
const user = (content: string) => ({ role: "user", content });
const says = (content: string) => ({ role: "assistant", content });
const calls = (id: string, name: string, args: object) => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(args) } }],
});
const gives = (id: string, name: string, content: unknown) => ({
  role: "tool",
  tool_call_id: id,
  name,
  content: typeof content === "string" ? content : JSON.stringify(content),
});

/** tau-bench: a list of runs with their reward. */
const tau = (reward: number, ...traj: readonly object[]) => [
  {
    task_id: 3,
    reward,
    info: { task: { instruction: "i", actions: [] } },
    traj: [system, ...traj],
    trial: 0,
  },
];
/** tau2-bench: one simulation. */
const tau2 = (reward: number, reason: string, ...messages: readonly object[]) => ({
  id: "s",
  task_id: "1",
  start_time: "2025-08-01T16:20:44",
  end_time: "2025-08-01T16:21:44",
  duration: 60,
  termination_reason: reason,
  reward_info: { reward },
  trial: 0,
  messages,
});
const tau2Call = (id: string, name: string, args: object) => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id, name, arguments: args, requestor: "assistant" }],
});
const tau2Tool = (id: string, content: string, error = false) => ({
  role: "tool",
  id,
  content,
  requestor: "assistant",
  error,
});

const AIRLINE = [
  clean(
    "a hand-over to a person ends the run, and was right",
    tau(
      1,
      user("I want to sue you."),
      calls("a", "transfer_to_human_agents", { summary: "wants to sue" }),
    ),
  ),
  clean(
    "a wrong payment is put right",
    tau(
      1,
      user("Book flight X1 with my card."),
      calls("a", "book_reservation", { flight: "X1", pay: "card_2" }),
      gives("a", "book_reservation", "Error: payment method not found"),
      calls("b", "book_reservation", { flight: "X1", pay: "card_1" }),
      gives("b", "book_reservation", { reservation_id: "R7" }),
      says("Flight X1 is booked as R7."),
      user("###STOP###"),
    ),
  ),
  failing(
    "a kind answer and a reward of 0",
    "wrong_answer",
    tau(0, user("Cancel R7."), says("It is too late to cancel R7."), user("###STOP###")),
  ),
  failing(
    "no step is left",
    "timeout",
    tau2(0, "max_steps", user("Hi."), { role: "assistant", content: "Hello.", tool_calls: null }),
  ),
  clean(
    "a refusal by the rules earns its reward",
    tau2(
      1,
      "user_stop",
      { role: "assistant", content: "How can I help?", tool_calls: null },
      user("Refund my ticket."),
      tau2Call("1", "get_ticket", { id: 4 }),
      tau2Tool("1", '{"id":4,"refundable":false}'),
      {
        role: "assistant",
        content: "I cannot refund it: the policy does not allow that.",
        tool_calls: null,
      },
      user("###STOP###"),
    ),
  ),
  clean(
    "a look-up by the wrong id, then by the right one",
    tau2(
      1,
      "user_stop",
      user("What is my seat? I am ann_1."),
      tau2Call("1", "get_user", { id: "ann" }),
      tau2Tool("1", "Error: user not found", true),
      tau2Call("2", "get_user", { id: "ann_1" }),
      tau2Tool("2", '{"seat":"4A"}'),
      { role: "assistant", content: "Your seat is 4A.", tool_calls: null },
      user("Thanks. ###STOP###"),
    ),
  ),
];

const agentbench = (status: string, result: unknown) => ({
  index: 4,
  error: null,
  info: null,
  output: {
    index: 4,
    status,
    result,
    history: [
      user("How many files are in /etc?"),
      { role: "agent", content: "Think: count.\n\nAct: bash\n\n```bash\nls /etc | wc -l\n```" },
      user("The output of the OS:\n\n220"),
      { role: "agent", content: "Act: answer(220)" },
    ],
  },
  time: { timestamp: 1690000000000, str: "2023-07-22" },
});
const webarena = (success: boolean, actions: readonly unknown[]) => [
  { task_id: 1, intent: "What does the lamp cost?", actions, success },
];
const scrolls = Array.from({ length: 4 }, () => ({
  action: "scroll [down]",
  observation: "Lamps",
}));

const OTHERS = [
  clean("an operating system's question is answered", new Lines(agentbench("completed", true))),
  failing("the answer is not right", "wrong_answer", new Lines(agentbench("completed", false))),
  failing(
    "the task's limit is reached",
    "timeout",
    new Lines(agentbench("task limit reached", null)),
  ),
  failing(
    "what the agent writes is no action",
    ["malformed_output", "exception", "timeout", "abandoned", "wrong_answer"],
    new Lines(agentbench("agent validation failed", null)),
  ),
  clean(
    "a page is scrolled until the price shows",
    webarena(true, [...scrolls, { action: "stop [$49.99]" }]),
  ),
  failing("the wrong price", "wrong_answer", webarena(false, [{ action: "stop [$39.99]" }])),
  clean("a sample is right though the log was cancelled", {
    version: 2,
    status: "cancelled",
    eval: { task: "keys", model: "m", dataset: {} },
    samples: [
      {
        id: 1,
        epoch: 1,
        input: "Where is the key?",
        target: "drawer 3",
        messages: [user("Where is the key?"), says("In drawer 3.")],
        output: { model: "m", choices: [{ message: says("In drawer 3."), stop_reason: "stop" }] },
        scores: { includes: { value: "C", answer: "drawer 3" } },
      },
    ],
  }),
  failing("a sample breaks though the log is a success", "exception", {
    version: 2,
    status: "success",
    eval: { task: "keys", model: "m", dataset: {} },
    samples: [
      {
        id: 1,
        epoch: 1,
        input: "Where is the key?",
        target: "drawer 3",
        messages: [user("Where is the key?")],
        output: { model: "m", choices: [] },
        scores: {},
        error: { message: "RuntimeError: no sandbox", traceback: "..." },
      },
    ],
  }),
  failing("two of five tools of a search tree, and it gives up", "abandoned", {
    win: false,
    tree: {
      size: 1,
      max_length: 1,
      tree: { node_type: "Action Input", description: "", children: [] },
    },
    answer_generation: {
      query: "Which films are like Up?",
      valid_data: true,
      finish_type: "give_up",
      final_answer: '{"return_type":"give_up_and_restart"}',
      function: [],
      chain: [],
      train_messages: [],
    },
  }),
];

test.each([...AIRLINE, ...OTHERS])("$title", (judged) => {
  expect(verdictOn(judged)).toBeUndefined();
});
