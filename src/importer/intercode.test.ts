import { expect, test } from "vitest";
import { outcomes, toolsOf, tracesIn } from "../testing/trace-files.ts";
import { fixture, NO_SHARED, SHARED, WHY_NO_SHARED } from "../testing/trace-fixtures.ts";
import { readTraces } from "./importer.ts";

const [asked, coded, died, failed] = tracesIn(fixture("intercode/bash.json"));

test("records keep their names, and a run its thoughts, its commands and its best reward", () => {
  expect(fixture("intercode/bash.json").map(({ key }) => key)).toEqual(["0", "1", "2", "3"]);
  expect(asked).toMatchObject({
    source: "intercode",
    task: "Which user am I?",
    status: "ok",
    output: "root",
    tools: ["bash"],
    score: { name: "reward", value: 1, best: 1, passed: true },
  });
  expect(asked?.steps.map(({ kind }) => kind)).toEqual([
    "input",
    "reasoning",
    "tool",
    "reasoning",
    "tool",
    "reasoning",
    "output",
  ]);
});

test("a command that says no without a word is no error", () => {
  const [which, whoami] = asked === undefined ? [] : toolsOf(asked);
  expect(which).toMatchObject({
    name: "bash",
    args: { command: "which me" },
    result: { ok: true, data: "" },
  });
  expect(whoami?.result).toEqual({ ok: true, data: "root\n" });
});

test("a command that failed says so by its flag, and one that hung by its text", () => {
  expect(failed === undefined ? [] : toolsOf(failed).map(({ result }) => result)).toMatchObject([
    { ok: false, error: { message: "cp: a: No such file", source: "flag" } },
    { ok: false, error: { name: "Timeout", source: "text" } },
    { ok: true, data: "" },
  ]);
});

test("the command stands for an output when it rightly showed nothing", () => {
  expect([failed?.status, failed?.output]).toEqual(["ok", "mkdir a"]);
});

test("what Python wrote as an answer is read, and the turns that ran out are a timeout", () => {
  expect(coded).toMatchObject({ status: "timeout", score: { value: 0.5, passed: false } });
  expect(
    coded === undefined ? [] : toolsOf(coded).map(({ name, args, result }) => [name, args, result]),
  ).toMatchObject([
    [
      "python",
      { code: "def f(:" },
      { ok: false, error: { message: "invalid syntax (<string>, line 1)" } },
    ],
    [
      "python",
      { code: "def f(): return 2" },
      { ok: true, data: "Test case did not pass. Please try again." },
    ],
  ]);
});

test("a run that ended before the last answer has an unanswered call and no output", () => {
  expect([died?.status, died?.output]).toEqual(["incomplete", undefined]);
  expect(died === undefined ? [] : toolsOf(died).map(({ result }) => result?.ok)).toEqual([
    true,
    undefined,
  ]);
});

test("logs within a document keep their names, and errors of a database are told by text", () => {
  const items = fixture("intercode/plan.json");
  expect(items.map(({ key }) => key)).toEqual(["5"]);
  const [trace] = tracesIn(items);
  expect(trace).toMatchObject({ output: "(2,)", score: { value: 1 }, meta: { gold: "SELECT 2" } });
  expect(trace === undefined ? [] : toolsOf(trace)[0]?.result).toMatchObject({
    ok: false,
    error: { source: "text" },
  });
});

test("every public record of InterCode is read with its reward", ({ skip }) => {
  skip(NO_SHARED, WHY_NO_SHARED);
  const items = [...readTraces([`${SHARED}/intercode`])];
  expect(outcomes(items)).toEqual(Array.from({ length: 159 }, () => "trace"));
  expect(tracesIn(items).filter(({ score }) => score === undefined)).toEqual([]);
});
