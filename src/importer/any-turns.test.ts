import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Json } from "../shared/json.ts";
import { anyJson } from "../testing/traces.ts";
import { anyTurns, unwrapped } from "./any-turns.ts";

/** What each turn is, with its names. */
const kinds = (value: Json, speaker: "user" | "assistant" = "assistant"): string[] =>
  anyTurns(value, speaker).map((turn) => {
    if (turn.kind === "system") return `system ${turn.text}`;
    if (turn.kind === "user") return `user ${JSON.stringify(turn.content)}`;
    if (turn.kind === "result")
      return `result ${turn.id ?? turn.name ?? "?"} ${JSON.stringify(turn.content)}`;
    const calls = turn.calls.map(
      ({ id, name, args }) => `${name}(${JSON.stringify(args)})#${id ?? "?"}`,
    );
    return ["said", ...(turn.text === undefined ? [] : [JSON.stringify(turn.text)]), ...calls].join(
      " ",
    );
  });

test("any value gives turns or none, and is not changed", () => {
  fc.assert(
    fc.property(
      anyJson(),
      fc.constantFrom("user" as const, "assistant" as const),
      (value, speaker) => {
        const before = JSON.stringify(value);
        for (const turn of anyTurns(value, speaker))
          expect(turn.kind).toMatch(/^(?:user|assistant|result|system)$/);
        expect(JSON.stringify(value)).toBe(before);
      },
    ),
  );
});

test("a value says the same when it is written into a text, once or twice", () => {
  const lists = fc.array(
    fc.record({ role: fc.constantFrom("user", "assistant"), content: fc.lorem() }),
    { minLength: 1, maxLength: 4 },
  );
  fc.assert(
    fc.property(lists, (list) => {
      const plain = kinds(list);
      expect(kinds(JSON.stringify(list))).toEqual(plain);
      expect(kinds(JSON.stringify(JSON.stringify(list)))).toEqual(plain);
    }),
  );
});

const CALLED = ['said look({"at":1})#c1'];

test.each<[string, Json]>([
  [
    "OpenAI",
    {
      choices: [
        {
          message: {
            role: "assistant",
            content: null,
            tool_calls: [{ id: "c1", function: { name: "look", arguments: '{"at":1}' } }],
          },
        },
      ],
    },
  ],
  [
    "Responses",
    { output: [{ type: "function_call", call_id: "c1", name: "look", arguments: '{"at":1}' }] },
  ],
  [
    "Anthropic",
    {
      role: "assistant",
      content: [{ type: "tool_use", id: "c1", name: "look", input: { at: 1 } }],
    },
  ],
  [
    "Gemini",
    {
      candidates: [
        {
          content: {
            role: "model",
            parts: [{ functionCall: { id: "c1", name: "look", args: { at: 1 } } }],
          },
        },
      ],
    },
  ],
  [
    "LangChain",
    {
      generations: [
        [
          {
            message: {
              lc: 1,
              type: "constructor",
              id: ["x", "AIMessage"],
              kwargs: { content: "", tool_calls: [{ id: "c1", name: "look", args: { at: 1 } }] },
            },
          },
        ],
      ],
    },
  ],
  [
    "older LangChain",
    {
      role: "assistant",
      content: "",
      additional_kwargs: {
        tool_calls: [{ id: "c1", function: { name: "look", arguments: '{"at":1}' } }],
      },
    },
  ],
  ["Vercel", [{ toolCallId: "c1", toolName: "look", input: { at: 1 } }]],
  [
    "OpenTelemetry",
    [
      {
        role: "assistant",
        parts: [{ type: "tool_call", id: "c1", name: "look", arguments: { at: 1 } }],
      },
    ],
  ],
  [
    "a text of calls",
    {
      role: "assistant",
      content:
        '[{"id":"c1","type":"function","function":{"name":"look","arguments":"{\\"at\\":1}"}}]',
    },
  ],
])("a call in the layout of %s is the same call", (_name, value) => {
  expect(kinds(value)).toEqual(CALLED);
});

test.each<[string, Json]>([
  ["OpenAI", [{ role: "tool", tool_call_id: "c1", content: "seen" }]],
  ["Responses", [{ type: "function_call_output", call_id: "c1", output: "seen" }]],
  [
    "Anthropic",
    [{ role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "seen" }] }],
  ],
  [
    "LangChain",
    [
      {
        lc: 1,
        type: "constructor",
        id: ["x", "ToolMessage"],
        kwargs: { content: "seen", tool_call_id: "c1" },
      },
    ],
  ],
  [
    "Vercel",
    [
      {
        role: "tool",
        content: [
          {
            type: "tool-result",
            toolCallId: "c1",
            toolName: "look",
            output: { type: "text", value: "seen" },
          },
        ],
      },
    ],
  ],
  [
    "OpenTelemetry",
    [{ role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "seen" }] }],
  ],
])("a result in the layout of %s is the same result", (_name, value) => {
  expect(kinds(value, "user")).toEqual(['result c1 "seen"']);
});

test("tools that are told among the messages are no results", () => {
  expect(
    kinds([{ role: "tool", content: { type: "function", function: { name: "look" } } }], "user"),
  ).toEqual([]);
});

test("a text as Python writes it is read, and any other text stays as it is", () => {
  expect(unwrapped("{'a': [True, None]}")).toEqual({ a: [true, null] });
  expect(unwrapped("{'a': open(1)}")).toBe("{'a': open(1)}");
  expect(unwrapped("007")).toBe("007");
});
