import { expect, test } from "vitest";
import { clean, failing, Lines, verdictOn } from "../testing/judged.ts";

/** InterCode: parallel lists. */
const intercode = (
  query: string,
  turns: readonly (readonly [action: string, seen: string, reward: number])[],
  environment = "ic_bash",
) => ({
  "7": {
    environment,
    dataset: "d",
    task_id: 7,
    query,
    turn_history: {
      actions: turns.map(([action]) => action),
      observations: turns.map(([, seen]) => seen),
      rewards: turns.map(([, , reward]) => reward),
    },
    summary: {
      max_reward: Math.max(...turns.map(([, , reward]) => reward)),
      turns_taken: turns.length,
      turns_max: 10,
    },
  },
});
const sweAgent = (steps: readonly (readonly [action: string, seen: string])[], info: object) => ({
  environment: "swe_main",
  trajectory: steps.map(([action, observation]) => ({
    action,
    observation,
    response: `I do it.\n\`\`\`\n${action}\n\`\`\``,
    thought: "I do it.",
    state: "{}",
  })),
  history: [
    { role: "system", content: "s", agent: "primary" },
    { role: "user", content: "The cart loses items.", agent: "primary" },
  ],
  info,
});
const mini = (
  turns: readonly (readonly [command: string, code: number, output: string])[],
  info: object,
) => ({
  trajectory_format: "mini-swe-agent-1",
  instance_id: "shop__cart-1",
  info,
  messages: [
    { role: "system", content: "You can use bash." },
    { role: "user", content: "Fix the cart." },
    ...turns.flatMap(([command, code, output]) => [
      { role: "assistant", content: `I look.\n\`\`\`bash\n${command}\n\`\`\`` },
      { role: "user", content: `<returncode>${code}</returncode>\n<output>\n${output}\n</output>` },
    ]),
  ],
});

const CODING = [
  clean(
    "an empty answer is right",
    intercode("Make a folder a.", [
      ["mkdir a", "", 1],
      ["submit", "", 1],
    ]),
  ),
  clean(
    "three wrong queries and then the right one",
    intercode(
      "How many cats?",
      [
        ["SELECT count FROM cat", "Error executing query: Unknown column 'count'", 0],
        ["SELECT COUNT(*) FROM cat", "[(4,)]", 1],
        ["submit", "", 1],
      ],
      "ic_sql",
    ),
  ),
  failing(
    "the same code to the last turn",
    ["wrong_answer", "loop"],
    intercode(
      "Add two numbers.",
      Array.from({ length: 10 }, () => ["def add(a, b): return a", "", 0] as const),
      "ic_python",
    ),
  ),
  clean(
    "the same check before and after an edit",
    sweAgent(
      [
        ["python repro.py", "AssertionError: 1 != 2"],
        ["edit 3:3\nreturn 2\nend_of_edit", "[File: cart.py (9 lines total)]\n3:return 2"],
        ["python repro.py", "ok"],
        ["submit", "diff --git a/cart.py b/cart.py"],
      ],
      { exit_status: "submitted", submission: "diff --git a/cart.py b/cart.py" },
    ),
  ),
  failing(
    "the money is gone before anything is handed in",
    "timeout",
    sweAgent([["ls", "cart.py"]], { exit_status: "exit_cost", submission: null }),
  ),
  failing(
    "the context is full",
    ["timeout", "exception", "abandoned"],
    sweAgent([["cat big.txt", "x"]], { exit_status: "exit_context", submission: null }),
  ),
  clean(
    "grep finds nothing on the way to a patch",
    mini(
      [
        ["grep -rn cart_items .", 1, ""],
        ["sed -i 's/a/b/' cart.py", 0, ""],
        [
          "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git diff",
          0,
          "diff --git a/cart.py b/cart.py",
        ],
      ],
      { exit_status: "Submitted", submission: "diff --git a/cart.py b/cart.py" },
    ),
  ),
  failing(
    "the limits are exceeded",
    "timeout",
    mini([["ls", 0, "cart.py"]], { exit_status: "LimitsExceeded", submission: "" }),
  ),
];

const openhands = (history: readonly object[], more: object) =>
  new Lines({
    instance_id: "shop__cart-1",
    instruction: "Fix the cart.",
    metadata: { agent_class: "CodeActAgent" },
    history,
    metrics: {},
    error: null,
    ...more,
  });
const asked = {
  id: 0,
  timestamp: "2025-01-20T20:29:00.500000",
  source: "user",
  message: "Fix the cart.",
  action: "message",
  args: { content: "Fix the cart." },
};
const ran = (id: number, command: string) => ({
  id,
  timestamp: "2025-01-20T20:29:03.500000",
  source: "agent",
  message: "",
  action: "run",
  args: { command, thought: "" },
});
const printed = (cause: number, code: number, content: string) => ({
  id: cause + 1,
  timestamp: "2025-01-20T20:29:04.500000",
  source: "agent",
  message: "",
  cause,
  observation: "run",
  content,
  extras: { command: "c", metadata: { exit_code: code } },
});
const finish = (id: number, text: string) => ({
  id,
  timestamp: "2025-01-20T20:29:05.500000",
  source: "agent",
  message: text,
  action: "finish",
  args: { final_thought: text, outputs: {} },
});

const HANDS = [
  clean(
    "a command still runs, and then is done",
    openhands(
      [
        asked,
        ran(1, "npm run build"),
        printed(1, -1, "building"),
        ran(3, ""),
        printed(3, 0, "built"),
        finish(5, "The cart is fixed and the build works."),
      ],
      { test_result: { git_patch: "diff --git a b" } },
    ),
  ),
  failing(
    "no iteration is left",
    "timeout",
    openhands([asked, ran(1, "ls"), printed(1, 0, "cart.py")], {
      error:
        "RuntimeError: Agent reached maximum iteration in headless mode. Current iteration: 30",
      test_result: {},
    }),
  ),
  failing(
    "the agent is stuck",
    "exception",
    openhands([asked, ran(1, "ls"), printed(1, 0, "cart.py")], {
      error: "AgentStuckInLoopError: Agent got stuck in a loop",
      test_result: {},
    }),
  ),
];

test.each([...CODING, ...HANDS])("$title", (judged) => {
  expect(verdictOn(judged)).toBeUndefined();
});
