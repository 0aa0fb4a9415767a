import * as fc from "fast-check";
import { expect, test } from "vitest";
import { evaluate } from "../check/evaluate.ts";
import { checkSchema } from "../check/schema.ts";
import type { Json } from "../shared/json.ts";
import { anyTrace, call, traceOf } from "../testing/traces.ts";
import type { Trace } from "../trace/trace.ts";
import { inferChecks } from "./infer.ts";

function factsOf(data: Json, output: Json, task: Json = "Do it."): Json[] {
  const success = traceOf([call("get", {}, data)], { output, task });
  const { checks } = inferChecks(traceOf([call("get", {}, data)]), success);
  return checks.filter(({ type }) => type.startsWith("output_")).map(({ value }) => value ?? null);
}

test("the success meets every check that is inferred from it, and every check is a valid one", () => {
  fc.assert(
    fc.property(anyTrace(), anyTrace(), (failing, success) => {
      const { checks } = inferChecks(failing, success);
      for (const { check, passed, message } of evaluate(checks, { trace: success, failures: [] })) {
        expect([check, passed, message]).toEqual([check, true, message]);
        expect(checkSchema.safeParse(check).success).toBe(true);
      }
      expect(checks.filter(({ type }) => type === "output_contains").length).toBeLessThanOrEqual(3);
    }),
    { numRuns: 200 },
  );
});

test("facts are values of the results: 1,200 and the name, no number inside another", () => {
  const facts = factsOf(
    { year: 2015, total: 1200, name: "Ada Lovelace" },
    "Ada Lovelace paid 1,200 for 5 items.",
  );
  expect(facts).toEqual(["Ada Lovelace", "1,200"]);
});

test.each<[title: string, data: Json, found: { in: string; facts: Json[] }]>([
  ["numbers in any notation", { total: 1200 }, { in: "It cost 1.200,00 EUR", facts: ["1.200,00"] }],
  ["a number with its unit", { celsius: 18 }, { in: "It is 18C.", facts: ["18"] }],
  ["no number of one digit", { items: 5 }, { in: "You have 5 items.", facts: [] }],
  ["ids", [{ id: "A-1002" }], { in: "Order A-1002 is closed.", facts: ["A-1002"] }],
  ["no id inside a longer one", [{ id: "A-100" }], { in: "Order A-1002 is closed.", facts: [] }],
  ["no state, which has many words", { status: "closed" }, { in: "It is closed.", facts: [] }],
  ["a name as it is written", { city: "Berlin" }, { in: "It rains in Berlin.", facts: ["Berlin"] }],
  [
    "JSON as text",
    '{"flight":"HAT136","price":182}',
    { in: "HAT136: $182.", facts: ["HAT136", "182"] },
  ],
  ["ids inside prose", "Your refund R-77 was accepted.", { in: "It is R-77.", facts: ["R-77"] }],
  [
    "no more than three, the longest",
    ["AB-1", "AB-22", "AB-333", "AB-4444"],
    { in: "AB-1 AB-22 AB-333 AB-4444", facts: ["AB-4444", "AB-333", "AB-22"] },
  ],
  [
    "no part of another",
    ["Ada Lovelace", "Ada"],
    { in: "Ada Lovelace paid.", facts: ["Ada Lovelace"] },
  ],
  ["nothing for what no tool said", { a: 1 }, { in: "It is 4711.", facts: [] }],
])("facts: %s", (_title, data, found) => {
  expect(factsOf(data, found.in)).toEqual(found.facts);
});

test("what the task says itself comes last", () => {
  expect(factsOf({ id: "A-1002", refund: "R-7" }, "Refund R-7 of A-1002", "refund A-1002")).toEqual(
    ["R-7", "A-1002"],
  );
});

test("prose is never compared as a whole, however short", () => {
  expect(factsOf({ ok: true }, "Refund done.")).toEqual([]);
  expect(factsOf({ ok: true }, { answer: "The refund has been sent to your bank today." })).toEqual(
    [],
  );
});

test("a structured answer without prose is to be equal, also inside a completion", () => {
  expect(factsOf({}, { total: 40, currency: "EUR" })).toEqual([{ total: 40, currency: "EUR" }]);
  expect(
    factsOf({}, { status: "completed", message: "It is done now.", output: { total: 40 } }),
  ).toEqual([{ total: 40 }]);
  expect(factsOf({ id: "R-7" }, { status: "completed", message: "Refund R-7 sent." })).toEqual([
    "R-7",
  ]);
});

test("tools that only the success called must be called, within twice its calls and at least three", () => {
  const failing = traceOf([call("search", {}, [])]);
  const success = traceOf(
    [call("search", {}, []), call("get_cached", {}, 1), call("get_cached", { k: 2 }, 1)],
    { output: "Here." },
  );
  expect(inferChecks(failing, success).checks).toEqual([
    { type: "tool_called", name: "get_cached" },
    { type: "max_tool_calls", value: 6 },
  ]);
  expect(inferChecks(success, failing).checks).toEqual([{ type: "max_tool_calls", value: 3 }]);
});

test("the difference names the first call that differs, the tools, the counts and the outputs", () => {
  const failing: Trace = traceOf([call("search", { q: 1 }, []), call("refund", {}, 1)], {
    output: "a",
  });
  const success: Trace = traceOf(
    [call("search", { q: 1 }, []), call("get", {}, 1), call("get", {}, 1)],
    { output: "b" },
  );
  expect(inferChecks(failing, success).diff).toEqual({
    calls: { failure: 2, success: 3 },
    firstDivergentCall: 1,
    onlyInFailure: ["refund"],
    onlyInSuccess: ["get"],
    outputs: { failure: "a", success: "b" },
  });
  expect(inferChecks(failing, failing).diff["firstDivergentCall"]).toBe(null);
});
