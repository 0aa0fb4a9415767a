import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Json } from "../shared/json.ts";
import type { Step } from "../trace/trace.ts";
import { anyTurns } from "./any-turns.ts";
import { readConversation, type Turn } from "./conversation.ts";
import { spanTrace } from "./span-trace.ts";
import type { Span } from "./span.ts";

/** One round of a conversation: a question, or a call with its answer. */
const rounds = fc.array(
  fc.record({
    asked: fc.boolean(),
    text: fc.constantFrom("a", "b", "c"),
    calls: fc.integer({ min: 0, max: 3 }),
  }),
  { minLength: 1, maxLength: 6 },
);
type Round = typeof rounds extends fc.Arbitrary<infer R> ? R : never;

/** The messages of a conversation, and a model span for each answer, which is given everything before it. */
function told(all: Round): { messages: Json[]; spans: Span[] } {
  const messages: Json[] = [{ role: "user", content: "Start." }];
  const spans: Span[] = [{ id: "root", kind: "agent", name: "agent", start: 0, end: 1000 }];
  for (const [place, { asked, text, calls }] of all.entries()) {
    if (asked && place > 0) messages.push({ role: "user", content: text });
    const ids = Array.from({ length: calls }, (_, i) => `c${place}-${i}`);
    const said: Json = {
      role: "assistant",
      content: text,
      ...(calls === 0
        ? {}
        : {
            tool_calls: ids.map((id) => ({ id, function: { name: `t${calls}`, arguments: "{}" } })),
          }),
    };
    spans.push({
      id: `m${place}`,
      parent: "root",
      kind: "model",
      name: "chat",
      start: place,
      end: place,
      input: [...messages],
      output: said,
    });
    messages.push(
      said,
      ...ids.map((id) => ({ role: "tool", tool_call_id: id, content: `${text} ${id}` })),
    );
  }
  messages.push({ role: "assistant", content: "End." });
  spans.push({
    id: "last",
    parent: "root",
    kind: "model",
    name: "chat",
    start: 99,
    end: 99,
    input: messages.slice(0, -1),
    output: "End.",
  });
  return { messages, spans };
}

const plain = (steps: readonly Step[]): unknown[] =>
  steps.map((step) => {
    if (step.kind === "tool") return ["tool", step.id, step.name, step.result, step.batch];
    return [step.kind, "content" in step ? step.content : undefined];
  });

test("model calls that each tell the conversation so far give it once", () => {
  fc.assert(
    fc.property(rounds, (all) => {
      const { messages, spans } = told(all);
      const turns = anyTurns(messages, "user").filter(
        (turn): turn is Turn => turn.kind !== "system",
      );
      const { draft } = spanTrace({ format: "any", spans, agent: "a" });
      expect(plain(draft.steps)).toEqual(plain(readConversation(turns).steps));
    }),
    { numRuns: 300 },
  );
});

test("the order in which spans are written changes nothing", () => {
  fc.assert(
    fc.property(
      rounds.chain((all) => {
        const { spans } = told(all);
        return fc.tuple(
          fc.constant(spans),
          fc.shuffledSubarray(spans, { minLength: spans.length }),
        );
      }),
      ([spans, shuffled]) => {
        const read = (list: readonly Span[]): unknown =>
          plain(spanTrace({ format: "any", spans: list, agent: "a" }).draft.steps);
        expect(read(shuffled)).toEqual(read(spans));
      },
    ),
    { numRuns: 100 },
  );
});

const root: Span = {
  id: "r",
  kind: "agent",
  name: "agent",
  input: "Go.",
  output: "Done.",
  start: 0,
  end: 9,
};

test("a tool span inside one of the same tool is the same call, and its result is taken over", () => {
  const { draft } = spanTrace({
    format: "any",
    agent: "a",
    spans: [
      root,
      { id: "a", parent: "r", kind: "tool", name: "look", start: 1, end: 4, input: { at: 1 } },
      { id: "b", parent: "a", kind: "tool", name: "look", start: 2, end: 3, output: "seen" },
    ],
  });
  expect(plain(draft.steps)).toEqual([
    ["input", "Go."],
    ["tool", undefined, "look", { ok: true, data: "seen" }, undefined],
    ["output", "Done."],
  ]);
});

test("what a model thinks inside a tool is told as a sub-agent, and its calls are not the agent's", () => {
  const { draft } = spanTrace({
    format: "any",
    agent: "a",
    spans: [
      root,
      { id: "a", parent: "r", kind: "tool", name: "ask", start: 1, end: 6, output: "yes" },
      { id: "b", parent: "a", kind: "model", name: "chat", start: 2, end: 3, output: "Thinking." },
      { id: "c", parent: "b", kind: "tool", name: "look", start: 4, end: 5, output: "seen" },
    ],
  });
  expect(draft.steps.map(({ kind }) => kind)).toEqual(["input", "tool", "other", "output"]);
  expect(draft.steps[2]).toMatchObject({
    name: "subagent",
    content: [{ name: "chat" }, { name: "look", output: "seen" }],
  });
});

test("a prompt that an agent makes for itself is no question of the user", () => {
  const { draft } = spanTrace({
    format: "any",
    agent: "a",
    spans: [
      root,
      {
        id: "a",
        parent: "r",
        kind: "model",
        name: "chat",
        start: 1,
        end: 2,
        input: "You are a planner. Task: Go.",
        output: "Plan.",
      },
    ],
  });
  expect(plain(draft.steps)).toEqual([
    ["input", "Go."],
    ["model", "Plan."],
    ["output", "Done."],
  ]);
});

test("a run without an end is incomplete, and one that ended by an error tells it", () => {
  const { output: _said, end: _end, ...open } = root;
  const read = (span: Span) => spanTrace({ format: "any", agent: "a", spans: [span] }).draft;
  expect(read({ ...open, open: true }).status).toBe("incomplete");
  const failed = read({ ...root, error: { message: "out of money" } });
  expect([failed.status, failed.steps.at(-1)]).toEqual([
    "error",
    { index: 2, kind: "error", error: { message: "out of money" } },
  ]);
});
