import { expect, test } from "vitest";
import type { Json } from "../shared/json.ts";
import { validateSchema } from "../shared/json-schema.ts";
import { call, traceOf } from "../testing/traces.ts";
import { detect } from "./detector.ts";

function found(output: Json, outputSchema?: Json): string[] {
  const trace = traceOf([call("get_it", {}, 1)], {
    output,
    ...(outputSchema === undefined ? {} : { outputSchema }),
  });
  return detect(trace, { validate: validateSchema }).map(
    ({ kind, message }) => `${kind}: ${message}`,
  );
}
const NEEDS_ANSWER = { type: "object", required: ["answer"] };

test("a blank output, broken JSON and an output that misses its schema are malformed", () => {
  expect(found("  \n")).toEqual(["malformed_output: The output is empty."]);
  expect(found('{"a": 1')).toMatchInlineSnapshot(`
    [
      "malformed_output: The output begins like JSON but is not valid JSON.",
    ]
  `);
  expect(found({ x: 1 }, NEEDS_ANSWER)).toMatchInlineSnapshot(`
    [
      "malformed_output: The output does not meet its schema: the value must have required property 'answer'",
    ]
  `);
  expect(found({ answer: 1 }, NEEDS_ANSWER)).toEqual([]);
  expect(found('{"x": 1}', NEEDS_ANSWER)).toHaveLength(1);
  expect(found('{"answer": 1}', NEEDS_ANSWER)).toEqual([]);
});

test("a Markdown link at the start is no broken JSON", () => {
  expect(found("[Report](https://example.com/r) is ready")).toEqual([]);
});

test("a citation at the start is no broken JSON", () => {
  expect(found("[1] Smith 2020 says so.")).toEqual([]);
  expect(found("[1, 2] Both say so.")).toEqual([]);
  expect(found("[[wiki]] has it")).toEqual([]);
  expect(found("[x] done")).toEqual([]);
  expect(found("{name} is a placeholder")).toEqual([]);
});

test("JSON in a fence is read as JSON", () => {
  expect(found('```json\n{"answer": 42}\n```', NEEDS_ANSWER)).toEqual([]);
  expect(found('Here it is:\n```json\n{"answer": 42}\n```\nBye.', NEEDS_ANSWER)).toEqual([]);
  expect(found('```json\n{"x": 42}\n```', NEEDS_ANSWER)).toHaveLength(1);
  expect(found('```json\n{"answer": \n```', NEEDS_ANSWER)).toHaveLength(1);
  expect(found("```\nconst a = {\n```")).toEqual([]);
});

test("a schema for a list of strings refuses numbers", () => {
  const schema = { type: "array", items: { type: "string" } };
  expect(found([1, 2], schema)).toHaveLength(1);
  expect(found(["a"], schema)).toEqual([]);
});

test("a schema may allow several types, and an unusable schema stops nothing", () => {
  const schema = { type: "object", properties: { a: { type: ["string", "null"] } } };
  expect(found({ a: null }, schema)).toEqual([]);
  expect(found({ a: 1 }, schema)).toHaveLength(1);
  expect(found({ a: 1 }, { type: "strange" })).toHaveLength(1);
  expect(found("text", { type: ["string", "null"] })).toEqual([]);
});

test("a completion is judged by what it answers, or as a whole", () => {
  const output = { status: "completed", message: "ok", output: { answer: 1 } };
  expect(found(output, NEEDS_ANSWER)).toEqual([]);
  expect(
    found({ status: "completed", message: "ok" }, { type: "object", required: ["status"] }),
  ).toEqual([]);
  expect(found({ status: "completed", message: "ok" }, NEEDS_ANSWER)).toHaveLength(1);
});

test("an answer that is data, zero or false is not empty", () => {
  for (const output of [0, false, {}, [], { a: null }]) expect(found(output)).toEqual([]);
  expect(found({ $t: "undefined" })).toEqual(["malformed_output: The output is empty."]);
});
