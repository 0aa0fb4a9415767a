import * as fc from "fast-check";
import { expect, test } from "vitest";
import { messageOf } from "../shared/error.ts";
import type { Json } from "../shared/json.ts";
import { child } from "../shared/pointer.ts";
import { lineOf } from "./line-of.ts";
import { documentOf, matrixOf } from "./read.ts";

const GOOD = {
  schemaVersion: "workflow/1",
  id: "booking",
  title: "Books one slot",
  task: "Book slot_42 for customer_7",
  initialState: { bookings: [] },
  checks: [
    {
      id: "one-booking",
      label: "Exactly one booking",
      type: "count",
      path: "/bookings",
      expected: 1,
    },
  ],
  scenarios: [
    {
      id: "lost",
      title: "Lost confirmation",
      fault: { type: "timeout_after", tool: "reserve_slot" },
    },
  ],
};

function read(document: unknown) {
  return documentOf({ name: "dojo/workflow.json", text: JSON.stringify(document, null, 2) });
}

function problem(document: unknown): string {
  try {
    read(document);
    return "nothing is wrong";
  } catch (thrown) {
    return messageOf(thrown);
  }
}

test("a line is that of the value, in any JSON text", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), (json) => {
      const value = JSON.parse(json) as Json;
      const text = JSON.stringify(
        { before: json, here: value, "a/b~c": [1, { x: value }] },
        null,
        2,
      );
      const lines = text.split("\n");
      expect(lines[lineOf(text, "/here") - 1]).toMatch(/^ {2}"here": /);
      expect(lines[lineOf(text, `${child("", "a/b~c")}/1/x`) - 1]).toMatch(/^ {6}"x": /);
    }),
  );
});

test("a document has the limits of its kind, and polling has none", () => {
  expect(read(GOOD).limits).toEqual({ maxToolCalls: 20, timeoutMs: 5000 });
  expect(read({ ...GOOD, limits: { maxRepeatedCalls: 2 } }).limits).toEqual({
    maxToolCalls: 20,
    maxRepeatedCalls: 2,
    timeoutMs: 5000,
  });
});

test("a clock starts at 0 and has a budget of a minute where the document does not say", () => {
  expect(read({ ...GOOD, clock: { mode: "virtual" } }).clock).toEqual({
    mode: "virtual",
    startMs: 0,
    maxTimeMs: 60_000,
  });
});

test("a misspelt fault type is an error that names the place and the nearest type", () => {
  const scenarios = [
    { ...GOOD.scenarios[0], fault: { type: "timeout-after", tool: "reserve_slot" } },
  ];
  expect(problem({ ...GOOD, scenarios })).toMatchInlineSnapshot(
    `"Failed to read dojo/workflow.json:23, /scenarios/0/fault/type: there is no fault type "timeout-after". Did you mean "timeout_after"? Correct it."`,
  );
});

test("an unknown field is an error that names the nearest one", () => {
  const scenarios = [{ ...GOOD.scenarios[0], skip: true }];
  expect(problem({ ...GOOD, scenarios })).toMatchInlineSnapshot(
    `"Failed to read dojo/workflow.json:26, /scenarios/0/skip: there is no field "skip" here. Leave it out; the fields are id, title, fault, faults, checks."`,
  );
  expect(problem({ ...GOOD, limits: { maxToolCall: 3 } })).toMatchInlineSnapshot(
    `"Failed to read dojo/workflow.json:29, /limits/maxToolCall: there is no field "maxToolCall" here. Did you mean "maxToolCalls"? Rename it, or leave it out."`,
  );
});

test("a trailing comma is an error with line and column", () => {
  const text = '{\n  "schemaVersion": "workflow/1",\n}';
  expect(() => documentOf({ name: "dojo/workflow.json", text })).toThrowErrorMatchingInlineSnapshot(
    `[TwiceshyError [E_DOCUMENT_SYNTAX]: Failed to read dojo/workflow.json: it is not JSON, at line 3, column 1. Correct the JSON: a comma stands before a closing bracket.]`,
  );
});

test.for([
  ["another version", { schemaVersion: "workflow/2" }, /workflow\.json:2, \/schemaVersion/],
  ["no task", { task: "  " }, /\/task: write something/],
  ["a state that is a list", { initialState: [] }, /\/initialState/],
  ["no checks", { checks: [] }, /\/checks: give at least one check/],
  [
    "a misspelt check",
    { checks: [{ ...GOOD.checks[0], type: "cuont" }] },
    /\/checks\/0\/type: .*did you mean "count"/i,
  ],
  [
    "a check without a path",
    { checks: [{ id: "a", label: "b", type: "unchanged" }] },
    /\/checks\/0\/path: is missing/,
  ],
  [
    "two checks of one id",
    { checks: [GOOD.checks[0], GOOD.checks[0]] },
    /\/checks\/1\/id: "one-booking" is there twice/,
  ],
  [
    "two scenarios of one id",
    { scenarios: [GOOD.scenarios[0], GOOD.scenarios[0]] },
    /\/scenarios\/1\/id: "lost" is there twice/,
  ],
  [
    "a scenario that is called control",
    { scenarios: [{ ...GOOD.scenarios[0], id: "control" }] },
    /\/scenarios\/0\/id: the id control/,
  ],
  [
    "a scenario without faults",
    { scenarios: [{ id: "a", title: "b" }] },
    /give "fault", or "faults"/,
  ],
  [
    "a fault that can never come",
    {
      scenarios: [
        { id: "a", title: "b", fault: { type: "unavailable", tool: "x", occurrence: 0 } },
      ],
    },
    /\/scenarios\/0\/fault\/occurrence/,
  ],
  ["a name that is none", { id: "../x" }, /\/id: write a letter or digit first/],
  ["a clock of another mode", { clock: { mode: "real" } }, /\/clock\/mode: write "virtual"/],
] as const)("a document with %s is refused at its place", ([, change, sentence]) => {
  expect(problem({ ...GOOD, ...change })).toMatch(sentence);
});

test("a scenario may have several faults, and of any type", () => {
  const faults = [
    { type: "delayed_commit", tool: "reserve_slot" },
    { type: "rate_limit", tool: "reserve_slot", occurrence: 2 },
  ];
  expect(
    read({ ...GOOD, scenarios: [{ id: "both", title: "Both", faults }] }).scenarios,
  ).toHaveLength(1);
});

test("a pointer of many slashes is read in no time", () => {
  const path = `${"/".repeat(4000)}~`;
  const started = performance.now();
  problem({ ...GOOD, checks: [{ id: "a", label: "b", type: "unchanged", path }] });
  expect(performance.now() - started).toBeLessThan(1000);
});

test("a matrix with the same suite or tool twice, or a name that leaves its folder, is refused", () => {
  const suite = { id: "s", tool: "t", kind: "write", workflow: GOOD };
  const matrix =
    (...suites: unknown[]) =>
    () =>
      matrixOf({
        name: "m.json",
        text: JSON.stringify({ schemaVersion: "workflow-matrix/1", suites }),
      });
  expect(matrix(suite, { ...suite, tool: "u" })).toThrow(/\/suites\/1\/id: "s" is there twice/);
  expect(matrix(suite, { ...suite, id: "u" })).toThrow(/\/suites\/1\/tool: "t" is there twice/);
  expect(matrix({ ...suite, id: "../up" })).toThrow(/\/suites\/0\/id: write a letter/);
  expect(matrix(suite)().suites).toHaveLength(1);
});
