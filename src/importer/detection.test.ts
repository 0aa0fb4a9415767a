import { expect, test } from "vitest";
import { detect, real } from "../detector/detector.ts";
import { traceFrom } from "../testing/trace-files.ts";

/** A run with one tool call that is answered so, and then says this. */
function run(content: string, output: string, question = "Please do it.") {
  return traceFrom({
    messages: [
      { role: "user", content: question },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c", function: { name: "get_info", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "c", content },
      { role: "assistant", content: output },
    ],
  });
}

const kinds = (...run: ReturnType<typeof traceFrom>[]) =>
  run.flatMap((trace) => real(detect(trace)).map(({ kind }) => kind));

test("a tool text with the word exception in its prose is no tool error", () => {
  expect(
    kinds(
      run(
        "Open daily with the exception of Monday",
        "It is open daily, but not on Mondays.",
        "When is it open?",
      ),
    ),
  ).toEqual([]);
});

test.each(['{"error":{"message":"boom"}}', '{"error":true,"success":false}', "Failed: HTTP 500"])(
  "an OpenAI tool message that says %s is a tool error",
  (content) => {
    expect(kinds(run(content, "It is all set."))).toContain("tool_error");
  },
);

test("an error block of Anthropic messages does not look clean", () => {
  const trace = traceFrom([
    { role: "user", content: "Refund order 7." },
    {
      role: "assistant",
      content: [{ type: "tool_use", id: "t", name: "refund", input: { order: 7 } }],
    },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "t", is_error: true, content: "card declined" },
      ],
    },
    { role: "assistant", content: "The refund is done." },
  ]);
  expect(kinds(trace)).toContain("tool_error");
});

test("a run that ends in a tool call does not look finished", () => {
  const trace = traceFrom([
    { role: "user", content: "Book it." },
    { role: "assistant", content: "I book it." },
    { role: "user", content: "For two." },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", function: { name: "book", arguments: "{}" } }],
    },
  ]);
  expect(kinds(trace)).toContain("abandoned");
});

test("positional arguments of create and delete calls break no detector", () => {
  const step = (idx: number, name: string) => ({
    idx,
    kind: "tool",
    name,
    args: ["a.txt"],
    content: true,
  });
  const trace = traceFrom({
    input: "Make a file.",
    schema_version: "1",
    status: "ok",
    output: "It is there.",
    steps: [step(0, "create_file"), step(1, "delete_file")],
  });
  expect(detect(trace).map(({ kind }) => kind)).not.toContain("detector_crash");
});
