import { expect, test } from "vitest";
import { call, failed, traceOf, type StepSeed } from "../testing/traces.ts";
import type { Trace } from "../trace/trace.ts";
import { detect, real } from "./detector.ts";

const kinds = (trace: Trace): string[] => real(detect(trace)).map((failure) => failure.kind);
const many = (count: number, step: (round: number) => StepSeed): StepSeed[] =>
  Array.from({ length: count }, (_, round) => step(round));

const WORDINGS = [
  "refund policy",
  "policy for refunds",
  "how to refund",
  "money back rules",
  "return policy",
  "returns",
  "refund rules",
  "reimbursement",
  "refund terms",
  "terms of return",
  "customer refund",
  "refund help",
];

test("rewording the same fruitless search twelve times is no progress", () => {
  const steps = WORDINGS.map((q) => call("search", { q }, []));
  const found = real(
    detect(traceOf(steps, { task: "What is our refund policy?", output: "See the FAQ." })),
  );
  expect(found.map(({ kind, tool, step }) => ({ kind, tool, step }))).toEqual([
    { kind: "no_progress", tool: "search", step: expect.any(Number) },
  ]);
  expect(found[0]?.message).toMatchInlineSnapshot(
    `"search was tried in 12 different ways and gave nothing each time."`,
  );
});

test("paging on and on without an end is no progress", () => {
  const page = (round: number): StepSeed =>
    call("list_items", { page: round }, { items: [{ id: `item-${round}` }] });
  const found = real(detect(traceOf(many(60, page), { output: "I looked." })));
  expect(found.map(({ kind, tool, step }) => ({ kind, tool, step }))).toEqual([
    { kind: "no_progress", tool: "list_items", step: 19 },
  ]);
  expect(found[0]?.message).toMatchInlineSnapshot(
    `"list_items was asked for 60 pages, and no end was in sight."`,
  );
  const blank = (round: number): StepSeed => call("list_items", { page: round }, []);
  expect(kinds(traceOf(many(60, blank), { output: "I looked." }))).toEqual(["no_progress"]);
});

test("paging to the last page, or until the thing is found, is progress", () => {
  const page = (round: number): StepSeed =>
    call(
      "list_items",
      { page: round },
      { items: [{ id: `item-${round}` }, { id: `more-${round}` }] },
    );
  const last = call("list_items", { page: 40 }, { items: [] });
  expect(kinds(traceOf([...many(40, page), last], { output: "80 items." }))).toEqual([]);
  expect(kinds(traceOf(many(40, page), { output: "It is on the last page: more-39." }))).toEqual(
    [],
  );
  const marked = call(
    "list_items",
    { page: 40 },
    { items: [{ id: 1 }, { id: 2 }], has_more: false },
  );
  expect(kinds(traceOf([...many(40, page), marked], { output: "82 items." }))).toEqual([]);
});

test("a search that finds something in the end is progress", () => {
  const steps = WORDINGS.map((q) => call("search", { q }, []));
  steps.push(call("search", { q: "withdrawal" }, ["14 days"]));
  expect(kinds(traceOf(steps, { output: "14 days" }))).toEqual([]);
});

test("going through a list that the task or a result gave is progress", () => {
  const customers = many(8, (n) => call("get_alerts", { customer: `c-${n}` }, []));
  const listed = call(
    "list_customers",
    {},
    Array.from({ length: 8 }, (_, n) => ({ id: `c-${n}` })),
  );
  expect(kinds(traceOf([listed, ...customers], { output: "All is quiet." }))).toEqual([]);
});

test("calls that do something and say nothing are progress", () => {
  const steps = many(10, (n) => call("mkdir", { path: `d${n}` }, ""));
  expect(kinds(traceOf(steps, { output: "Ten folders made." }))).toEqual([]);
});

test("ever other calls that all fail are no progress", () => {
  const steps = many(7, (n) => failed("lookup", { key: `guess ${n}` }, `no such key ${n}`));
  expect(kinds(traceOf(steps, { output: "See above." }))).toContain("no_progress");
});
