import { expect, test } from "vitest";
import { outcomes, readRecords, toolsOf, traceFrom, tracesIn } from "../testing/trace-files.ts";
import { fixture, NO_SHARED, SHARED, WHY_NO_SHARED } from "../testing/trace-fixtures.ts";
import { readTraces } from "./importer.ts";

const [good, slow, handedIn, broken, limited] = tracesIn(fixture("inspect-ai/log.json"));

test("each sample is a trace of its own, whatever the status of the log says", () => {
  expect(fixture("inspect-ai/log.json").map(({ key }) => key)).toEqual([0, 1, 2, 3, 4]);
  expect(good).toMatchObject({
    source: "inspect-ai",
    agent: "keys",
    agentVersion: "1",
    task: "Where is the key?",
    output: "It is in drawer 3.",
    status: "ok",
    durationMs: 1500,
    usage: { inputTokens: 9, outputTokens: 3, totalTokens: 12 },
    meta: { system: "You know the house.", sample: 1, epoch: 1, target: "drawer 3" },
  });
});

test("a text that stands apart is put where it belongs", () => {
  expect(good === undefined ? [] : toolsOf(good)).toMatchObject([
    {
      id: "k1",
      name: "bash",
      args: { cmd: "ls" },
      result: { ok: true, data: "drawer 1\ndrawer 3: key" },
    },
  ]);
});

test("the error that a tool message carries is one by its flag", () => {
  expect(slow === undefined ? [] : toolsOf(slow)).toMatchObject([
    {
      result: {
        ok: false,
        error: { name: "timeout", message: "Command timed out before completing.", source: "flag" },
      },
    },
  ]);
});

test("the argument of submit is the answer", () => {
  expect(handedIn).toMatchObject({ output: "drawer 3", status: "ok" });
});

test("a sample that crashed is an error, and one that ended at a limit a timeout", () => {
  expect(broken).toMatchObject({ status: "error" });
  expect(broken?.steps.at(-1)).toMatchObject({
    error: { name: "KeyError", message: "messages", source: "flag" },
  });
  expect(limited).toMatchObject({ status: "timeout", output: "Still looking." });
});

test.each([
  ["C", { value: 1, best: 1, passed: true }],
  ["I", { value: 0, best: 1, passed: false }],
  ["P", { value: 0.5, best: 1, passed: false }],
  ["N", { value: 0, best: 1, passed: false }],
  [0.99, { value: 0.99, best: 1, passed: false }],
  [true, { value: true, passed: true }],
  [7, undefined],
  [{ a: 1 }, undefined],
  ["B+", undefined],
])("a score of %j is %j", (value, score) => {
  const trace = traceFrom({
    version: 2,
    status: "success",
    eval: { task: "t" },
    samples: [
      {
        id: 1,
        input: "Hi",
        scores: { s: { value } },
        output: { choices: [{ message: { role: "assistant", content: "Ho" } }] },
      },
    ],
  });
  expect(trace.score).toEqual(score === undefined ? undefined : { name: "s", ...score });
  expect(trace.meta?.["scores"]).toEqual([{ scorer: "s", value, answer: null }]);
});

test("epochs of one sample have one task id", () => {
  const sample = {
    id: 1,
    input: "Hi",
    output: { choices: [{ message: { role: "assistant", content: "Ho" } }] },
  };
  const items = readRecords({
    version: 2,
    status: "success",
    eval: { task: "t" },
    samples: [
      { ...sample, epoch: 1 },
      { ...sample, epoch: 2 },
    ],
  });
  expect(new Set(tracesIn(items).map(({ taskId }) => taskId)).size).toBe(1);
  expect(new Set(tracesIn(items).map(({ id }) => id)).size).toBe(2);
});

test("every public log is read by sample, and the two without samples are named", ({ skip }) => {
  skip(NO_SHARED, WHY_NO_SHARED);
  const folder = `${SHARED}/inspect-ai`;
  const items = [...readTraces([folder, `${folder}/log_length_stop_reason.txt`])];
  expect(outcomes(items).filter((outcome) => outcome !== "trace")).toEqual([
    "E_RECORD_EMPTY",
    "E_RECORD_EMPTY",
  ]);
  expect(tracesIn(items).map(({ score }) => score?.passed)).toEqual([
    true,
    true,
    false,
    true,
    true,
    true,
    false,
    undefined,
    false,
  ]);
});
