import { expect, test } from "vitest";
import { clean, failing, Lines, numbered, verdictOn } from "../testing/judged.ts";
const item = (payload: object) => ({
  timestamp: "2026-02-03T04:05:02Z",
  type: "response_item",
  payload,
});
const event = (payload: object) => ({
  timestamp: "2026-02-03T04:05:02Z",
  type: "event_msg",
  payload,
});
function codex(...lines: readonly object[]): Lines {
  return new Lines(
    {
      timestamp: "2026-02-03T04:05:01Z",
      type: "session_meta",
      payload: { id: "c-1", cli_version: "0.9.0" },
    },
    ...lines,
  );
}
const runs = (id: string, command: string) =>
  item({
    type: "function_call",
    name: "shell",
    call_id: id,
    arguments: JSON.stringify({ command: ["bash", "-lc", command] }),
  });
const printed = (id: string, code: number, output: string) =>
  item({
    type: "function_call_output",
    call_id: id,
    output: JSON.stringify({ output, metadata: { exit_code: code, duration_seconds: 0.1 } }),
  });
const codexSays = (text: string) =>
  item({ type: "message", role: "assistant", content: [{ type: "output_text", text }] });

const CODEX = [
  clean(
    "rg finds nothing and that is the answer",
    codex(
      event({ type: "user_message", message: "Who calls parse()?" }),
      runs("a", "rg 'parse\\(' src"),
      printed("a", 1, ""),
      codexSays("Nobody calls parse()."),
    ),
  ),
  clean(
    "a wrong path, then the right one",
    codex(
      event({ type: "user_message", message: "Show the config." }),
      runs("a", "cat conf.toml"),
      printed("a", 1, "cat: conf.toml: No such file or directory"),
      runs("b", "cat config.toml"),
      printed("b", 0, "port = 80"),
      codexSays("The port is 80."),
    ),
  ),
  failing(
    "the build breaks and is called done",
    ["tool_error", "unsupported_claim"],
    codex(
      event({ type: "user_message", message: "Make it compile." }),
      runs("a", "make"),
      printed("a", 2, "error: expected ';'"),
      codexSays("It compiles now; everything is done."),
    ),
  ),
  failing(
    "the turn fails on the command line",
    "exception",
    new Lines(
      { type: "thread.started", thread_id: "t" },
      { type: "turn.started" },
      { type: "item.completed", item: { id: "i0", type: "agent_message", text: "I look." } },
      { type: "turn.failed", error: { message: "stream disconnected before completion" } },
    ),
  ),
  clean(
    "the connection comes back",
    new Lines(
      { type: "thread.started", thread_id: "t" },
      { type: "turn.started" },
      { type: "error", message: "Reconnecting... 1/5" },
      {
        type: "item.completed",
        item: { id: "i0", type: "agent_message", text: "Two files match." },
      },
      { type: "turn.completed", usage: { input_tokens: 1, output_tokens: 1 } },
    ),
  ),
];

const gemini = (...messages: readonly object[]) => ({
  sessionId: "g",
  projectHash: "h",
  startTime: "2026-04-05T06:07:00Z",
  lastUpdated: "2026-04-05T06:08:00Z",
  messages: numbered(messages, (at) => ({ id: `x${at}`, timestamp: "2026-04-05T06:07:01Z" })),
});
const geminiCall = (id: string, name: string, output: object) => ({
  id,
  name,
  args: { path: id },
  status: "error" in output ? "error" : "success",
  result: [{ functionResponse: { id, name, response: output } }],
});
const OTHERS = [
  clean(
    "Gemini reads the wrong file, then the right one",
    gemini(
      { type: "user", content: "What does the note say?" },
      {
        type: "gemini",
        content: "",
        toolCalls: [geminiCall("nota.txt", "read_file", { error: "File not found." })],
      },
      {
        type: "gemini",
        content: "",
        toolCalls: [geminiCall("note.txt", "read_file", { output: "Buy milk." })],
      },
      { type: "gemini", content: "It says: buy milk." },
    ),
  ),
  failing(
    "Gemini says that a file is written that is not",
    ["unsupported_claim", "tool_error"],
    gemini(
      { type: "user", content: "Write hello to a.txt." },
      {
        type: "gemini",
        content: "",
        toolCalls: [geminiCall("a.txt", "write_file", { error: "EACCES: permission denied" })],
      },
      { type: "gemini", content: "I wrote hello to a.txt." },
    ),
  ),
  clean("Copilot makes a file as its last deed", {
    requesterUsername: "u",
    responderUsername: "GitHub Copilot",
    requests: [
      {
        requestId: "q",
        timestamp: 1760000000000,
        message: { text: "Make a page." },
        response: [
          { value: "I make the page." },
          {
            kind: "toolInvocationSerialized",
            isConfirmed: true,
            isComplete: true,
            toolCallId: "t",
            toolId: "copilot_createFile",
            pastTenseMessage: { value: "Created page.html" },
          },
        ],
      },
    ],
  }),
  failing("Copilot loses its connection", "exception", {
    requesterUsername: "u",
    responderUsername: "GitHub Copilot",
    requests: [
      {
        requestId: "q",
        timestamp: 1760000000000,
        message: { text: "Make a page." },
        response: [{ value: "I make" }],
        result: { errorDetails: { message: "Sorry, your request failed." }, metadata: {} },
      },
    ],
  }),
  clean("a terminal agent confirms the end twice", {
    schema_version: "ATIF-v1.6",
    session_id: "a",
    agent: { name: "t", version: "1" },
    steps: [
      { step_id: 1, source: "user", message: "Make a folder b." },
      {
        step_id: 2,
        source: "agent",
        message: "",
        tool_calls: [
          {
            tool_call_id: "1",
            function_name: "bash_command",
            arguments: { keystrokes: "mkdir b\n" },
          },
        ],
        observation: { results: [{ source_call_id: "1", content: "" }] },
      },
      ...["2", "3"].map((id) => ({
        step_id: Number(id) + 1,
        source: "agent",
        message: "The folder is made.",
        tool_calls: [{ tool_call_id: id, function_name: "mark_task_complete", arguments: {} }],
        observation: { results: [{ source_call_id: id, content: "Are you sure?" }] },
      })),
    ],
  }),
  failing("a terminal agent asks the same file four times and stops", ["loop", "abandoned"], {
    schema_version: "ATIF-v1.6",
    session_id: "a",
    agent: { name: "t", version: "1" },
    steps: [
      { step_id: 1, source: "user", message: "What is in b?" },
      ...["1", "2", "3", "4"].map((id) => ({
        step_id: Number(id) + 1,
        source: "agent",
        message: "",
        tool_calls: [{ tool_call_id: id, function_name: "read_file", arguments: { path: "b" } }],
        observation: { results: [{ source_call_id: id, content: "(busy)" }] },
      })),
    ],
  }),
];

test.each([...CODEX, ...OTHERS])("$title", (judged) => {
  expect(verdictOn(judged)).toBeUndefined();
});
