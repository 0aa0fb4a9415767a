import { expect, test } from "vitest";
import {
  call,
  failed,
  having,
  input,
  together,
  traceOf,
  unanswered,
  type StepSeed,
} from "../testing/traces.ts";
import type { Trace } from "../trace/trace.ts";
import { detect, real } from "./detector.ts";

const kinds = (trace: Trace): string[] => real(detect(trace)).map((failure) => failure.kind);
const times = (count: number, step: (round: number) => StepSeed[]): StepSeed[] =>
  Array.from({ length: count }, (_, round) => step(round)).flat();

test("polling whose result changes until it is done is no loop", () => {
  const poll = (status: string): StepSeed => call("job", { id: 1 }, { status });
  const states = ["queued", "running", "running", "done"].map(poll);
  expect(kinds(traceOf(states, { output: "Done." }))).toEqual([]);
  const long = ["queued", "running", "running", "running", "running", "done"].map(poll);
  expect(kinds(traceOf(long, { output: "Done." }))).toEqual([]);
});

test("polling that never moves on is a loop", () => {
  const steps = times(5, () => [call("job", { id: 1 }, { status: "running" })]);
  expect(kinds(traceOf(steps, { output: "Still running." }))).toEqual(["loop"]);
});

test("running the tests again after another edit is no loop", () => {
  const results = ["3 failed", "2 failed", "1 failed"];
  const steps = times(3, (round) => [
    call("edit", { path: "a.js", text: `version ${round}` }, "ok"),
    call("npm_test", {}, results[round] ?? null),
  ]);
  expect(kinds(traceOf(steps, { output: "One test is left to mend." }))).toEqual([]);
  const stuck = times(4, (round) => [
    call("edit", { path: "a.js", text: `version ${round}` }, "ok"),
    call("npm_test", {}, "3 tests to go"),
  ]);
  expect(kinds(traceOf(stuck, { output: "See the diff." }))).toEqual([]);
});

test("equal calls fanned out in one batch are no loop", () => {
  const rolls = [4, 4, 4].map((value) => call("roll", { d: 6 }, value));
  expect(kinds(traceOf(together(0, rolls), { output: "4, 4 and 4" }))).toEqual([]);
  const distinct = [2, 5, 1].map((value) => call("roll", { d: 6 }, value));
  expect(kinds(traceOf(distinct, { output: "2, 5 and 1" }))).toEqual([]);
});

test("a cycle of calls is one loop that is named by its tools", () => {
  const trace = traceOf(
    times(3, () => [call("a", {}, 1), call("b", {}, 2)]),
    { output: "x" },
  );
  const found = real(detect(trace));
  expect(found).toHaveLength(1);
  expect(found[0]).toMatchObject({ kind: "loop", tool: "a", step: 5, signature: "loop:a" });
  expect(found[0]?.message).toMatchInlineSnapshot(
    `"The cycle a->b ran 3 times with the same answers."`,
  );
});

test("cycles of three and four calls are one loop each", () => {
  const three = times(3, () => [call("a"), call("b"), call("c")]);
  expect(real(detect(traceOf(three, { output: "x" }))).map((f) => f.message)).toEqual([
    "The cycle a->b->c ran 3 times with the same answers.",
  ]);
  const four = times(3, () => [call("a"), call("b"), call("c"), call("d")]);
  expect(real(detect(traceOf(four, { output: "x" }))).map((f) => f.message)).toEqual([
    "The cycle a->b->c->d ran 3 times with the same answers.",
  ]);
});

test("the same call with the same answer is one loop at its third time, however often it comes", () => {
  const trace = traceOf(
    times(8, () => [call("search", { q: "Grace" }, [])]),
    { output: "x" },
  );
  const found = real(detect(trace));
  expect(found.map(({ kind, step, tool }) => ({ kind, step, tool }))).toEqual([
    { kind: "loop", step: 2, tool: "search" },
  ]);
  expect(found[0]?.message).toMatchInlineSnapshot(
    `"search was called 8 times with the same arguments and gave the same answer."`,
  );
});

test("the same error again and again is a loop, and a retry that works in the end is none", () => {
  const down = failed("fetch", { url: "u" }, "503");
  expect(kinds(traceOf([down, down, down], { output: "x" }))).toContain("loop");
  const trace = traceOf([down, down, down, call("fetch", { url: "u" }, "page")], {
    output: "page",
  });
  expect(kinds(trace)).toEqual([]);
});

test("queries that differ only in their Unicode form are the same call", () => {
  const queries = ["caf\u00e9", "cafe\u0301", "caf\u00e9"];
  const steps = queries.map((q) => call("search", { q }, []));
  expect(kinds(traceOf(steps, { output: "x" }))).toEqual(["loop"]);
});

test("key order makes no difference to a call", () => {
  const steps = [
    call("search", { a: 1, b: 2 }, []),
    call("search", { b: 2, a: 1 }, []),
    call("search", { a: 1, b: 2 }, []),
  ];
  expect(kinds(traceOf(steps, { output: "x" }))).toEqual(["loop"]);
});

test("asking again after the user spoke is no loop", () => {
  const ask = call("get_order", { id: 1 }, { open: true });
  const steps = [input("a"), ask, input("b"), ask, input("c"), ask];
  expect(kinds(traceOf(steps, { output: "It is open." }))).toEqual([]);
});

test("a declared read between does not break a loop, a declared write does", () => {
  const check = having(call("peek", {}, "same"), { write: false });
  const step = (round: number, write: boolean): StepSeed =>
    having(call("x", { round }, "ok"), { write });
  const around = (write: boolean): StepSeed[] => times(3, (round) => [check, step(round, write)]);
  expect(kinds(traceOf(around(false), { output: "x" }))).toEqual(["loop"]);
  expect(kinds(traceOf(around(true), { output: "x" }))).toEqual([]);
});

test("how many repeats make a loop can be chosen", () => {
  const steps = times(4, () => [call("search", { q: 1 }, [])]);
  const trace = traceOf(steps, { output: "x" });
  expect(real(detect(trace, { loopRepeat: 5 }))).toEqual([]);
  expect(real(detect(trace, { loopRepeat: 4 }))).toHaveLength(1);
});

test("a loop shows in the steps up to its step alone", () => {
  const a = call("a", {}, 1);
  const z = call("z", {}, 2);
  const trace = traceOf([a, z, a, call("z", { other: 1 }), a, a, a, z, z], { output: "x" });
  for (const failure of detect(trace).filter(({ kind }) => kind === "loop")) {
    const cut = { ...trace, steps: trace.steps.slice(0, (failure.step ?? 0) + 1) };
    expect(detect(cut).map(({ signature }) => signature)).toContain(failure.signature);
  }
});

test("calls that were never answered did not get the same answer", () => {
  const steps = Array.from({ length: 5 }, () => unanswered("scroll", { by: "page" }));
  expect(real(detect(traceOf(steps, { output: "49.99" }))).map(({ kind }) => kind)).not.toContain(
    "loop",
  );
});
