import * as fc from "fast-check";
import { expect, test } from "vitest";
import { validateSchema } from "../shared/json-schema.ts";
import type { Json } from "../shared/json.ts";
import { anyJson, anyTrace, call, failed, traceOf } from "../testing/traces.ts";
import type { Check, Subject } from "./check.ts";
import { checkKinds, evaluate } from "./evaluate.ts";

function subjectOf(output: Json | undefined, more: Partial<Subject> = {}): Subject {
  const trace = traceOf(
    [
      call("search_orders", { customer: "ada" }, [{ id: "A-1001" }]),
      failed("refund", { id: "A-1001" }, "no"),
    ],
    output === undefined ? {} : { output },
  );
  return { trace, failures: [], validate: validateSchema, ...more };
}

function passes(check: Check, subject: Subject): boolean | undefined {
  return evaluate([check], subject)[0]?.passed;
}

const TYPES = [...checkKinds().keys()];

test("evaluation is total and pure, and always gives evidence", () => {
  const anyCheck = fc
    .tuple(
      fc.oneof(fc.constantFrom(...TYPES), fc.string()),
      fc.dictionary(fc.string(), anyJson(), { maxKeys: 3 }),
    )
    .map(([type, fields]): Check => Object.assign(fields, { type }));
  fc.assert(
    fc.property(anyTrace(), fc.array(anyCheck, { maxLength: 4 }), (trace, checks) => {
      const before = JSON.stringify([trace, checks]);
      const results = evaluate(checks, { trace, failures: [], validate: validateSchema });
      expect(results).toEqual(evaluate(checks, { trace, failures: [], validate: validateSchema }));
      expect(JSON.stringify([trace, checks])).toBe(before);
      expect(results.map(({ check }) => check)).toEqual(checks);
      for (const { message } of results) expect(message).not.toBe("");
    }),
    { numRuns: 100 },
  );
});

test("without an output no check of the output holds", () => {
  const subject = subjectOf(undefined);
  const checks: Check[] = [
    { type: "output_equals", value: null },
    { type: "output_contains", value: "x" },
    { type: "output_matches", pattern: "^$" },
    { type: "output_schema", schema: { type: ["string", "null"] } },
  ];
  expect(evaluate(checks, subject).map(({ passed }) => passed)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

test("output_contains does not mind the case", () => {
  expect(
    passes({ type: "output_contains", value: "a-1001" }, subjectOf("Order A-1001 is on its way")),
  ).toBe(true);
});

test("output_contains takes another notation of a number, and no part of a longer one", () => {
  const subject = subjectOf("Ada paid 1,200.00 in 2015");
  expect(passes({ type: "output_contains", value: "1200" }, subject)).toBe(true);
  expect(passes({ type: "output_contains", value: "5" }, subject)).toBe(false);
});

test("output_contains looks into a structured output and a completion", () => {
  expect(
    passes({ type: "output_contains", value: "A-1" }, subjectOf({ order: { id: "A-1" } })),
  ).toBe(true);
  const completion = { status: "completed", message: "Refund R-1 sent", output: { total: 40 } };
  expect(passes({ type: "output_contains", value: "r-1" }, subjectOf(completion))).toBe(true);
  expect(passes({ type: "output_contains", value: "40" }, subjectOf(completion))).toBe(true);
});

test("contains, matches, called, not called and the call budget hold as they say; an unknown type does not", () => {
  const subject = subjectOf("Order A-1001: refund R-17 is on its way.");
  const checks: Check[] = [
    { type: "output_contains", value: "a-1001" },
    { type: "output_matches", pattern: "R-\\d+" },
    { type: "tool_called", name: "refund" },
    { type: "tool_not_called", name: "refund" },
    { type: "max_tool_calls", value: 3 },
    { type: "nope" },
  ];
  const passed = evaluate(checks, subject).map((result) => result.passed);
  expect(passed).toEqual([true, true, true, false, true, false]);
});

test("output_matches finds R-\\d+ anywhere", () => {
  expect(passes({ type: "output_matches", pattern: "R-\\d+" }, subjectOf("Refund R-17 sent"))).toBe(
    true,
  );
  expect(passes({ type: "output_matches", pattern: "R-\\d+" }, subjectOf("Refund sent"))).toBe(
    false,
  );
});

test("output_equals compares texts without case and spaces, and values by content", () => {
  expect(passes({ type: "output_equals", value: " No  ORDERS" }, subjectOf("no orders"))).toBe(
    true,
  );
  expect(
    passes({ type: "output_equals", value: { b: 1, a: [2] } }, subjectOf({ a: [2], b: 1 })),
  ).toBe(true);
  expect(passes({ type: "output_equals", value: 42 }, subjectOf("forty-two"))).toBe(false);
});

test("output_schema reads JSON in a text and in a fence", () => {
  const check = { type: "output_schema", schema: { type: "object", required: ["answer"] } };
  expect(passes(check, subjectOf('{"answer":1}'))).toBe(true);
  expect(passes(check, subjectOf('```json\n{"answer":1}\n```'))).toBe(true);
  expect(passes(check, subjectOf('{"x":1}'))).toBe(false);
  expect(passes(check, subjectOf("the answer"))).toBe(false);
});

test("tool_called holds for a called tool, and with arguments only for that call", () => {
  const subject = subjectOf("x");
  expect(passes({ type: "tool_called", name: "refund" }, subject)).toBe(true);
  expect(passes({ type: "tool_called", name: "refund", args: { id: "A-1001" } }, subject)).toBe(
    true,
  );
  expect(passes({ type: "tool_called", name: "refund", args: { id: "B-9" } }, subject)).toBe(false);
  expect(passes({ type: "tool_called", name: "constructor" }, subject)).toBe(false);
});

test("tool_not_called fails when the tool was called, also when the call failed", () => {
  expect(passes({ type: "tool_not_called", name: "refund" }, subjectOf("x"))).toBe(false);
  expect(passes({ type: "tool_not_called", name: "get_order" }, subjectOf("x"))).toBe(true);
});

test("max_tool_calls 3 holds for two calls, 1 does not", () => {
  expect(passes({ type: "max_tool_calls", value: 3 }, subjectOf("x"))).toBe(true);
  expect(passes({ type: "max_tool_calls", value: 1 }, subjectOf("x"))).toBe(false);
});

test("no_failures and no_failure leave low failures out", () => {
  const failure = {
    kind: "loop",
    detector: "heuristic",
    message: "again",
    signature: "loop:search",
  } as const;
  const low = subjectOf("x", { failures: [{ ...failure, severity: "low" }] });
  const high = subjectOf("x", { failures: [{ ...failure, severity: "high" }] });
  expect(passes({ type: "no_failures" }, low)).toBe(true);
  expect(passes({ type: "no_failures" }, high)).toBe(false);
  expect(passes({ type: "no_failure", kinds: ["loop"] }, high)).toBe(false);
  expect(passes({ type: "no_failure", signatures: ["loop:search"] }, high)).toBe(false);
  expect(passes({ type: "no_failure", kinds: ["timeout"], signatures: ["loop:x"] }, high)).toBe(
    true,
  );
});

test("an unknown check type is not passed, and says so", () => {
  expect(evaluate([{ type: "nope" }], subjectOf("x"))).toMatchInlineSnapshot(`
    [
      {
        "check": {
          "type": "nope",
        },
        "crashed": true,
        "message": "the check type "nope" is unknown",
        "passed": false,
      },
    ]
  `);
});

test("a check that crashes is not passed, and is told apart from one that fails", () => {
  const subject = subjectOf("x", {
    validate: () => {
      throw new RangeError("too deep");
    },
  });
  const [crashed] = evaluate([{ type: "output_schema", schema: {} }], subject);
  expect(crashed).toMatchObject({ passed: false, crashed: true });
  expect(crashed?.message).toMatchInlineSnapshot(`"the check crashed: too deep"`);
});

test("a pattern that never ends fails its check in time", () => {
  const started = performance.now();
  const subject = subjectOf(`${"a".repeat(50_000)}!`);
  const [result] = evaluate([{ type: "output_matches", pattern: "^(a+)+$" }], subject);
  expect(result?.passed).toBe(false);
  expect(result?.message).toMatch(/timed out/);
  expect(performance.now() - started).toBeLessThan(2000);
});
