import { expect, test } from "vitest";
import { call, traceOf, type About, type StepSeed } from "../testing/traces.ts";
import { detect } from "./detector.ts";

function found(about: About, steps: readonly StepSeed[] = []): string[] {
  return detect(traceOf(steps, { task: "Where does Bob live?", ...about }))
    .filter(({ kind }) => kind === "refused")
    .map(({ severity, message }) => `${severity}: ${message}`);
}

test("an answer that a filter cut off is refused", () => {
  for (const reason of ["content_filter", "content-filter", "SAFETY"])
    expect(found({ output: "Bob lives in", meta: { finish_reason: reason } })).toHaveLength(1);
  expect(found({ output: "Bob lives in", meta: { finish_reason: "SAFETY" } }))
    .toMatchInlineSnapshot(`
    [
      "medium: A filter cut the answer off (SAFETY).",
    ]
  `);
});

test("an agent that declines by itself may be right", () => {
  const outputs = [
    "I cannot share another customer's data.",
    "Das darf ich nicht sagen: es ist vertraulich.",
    "No puedo compartir datos personales.",
  ];
  for (const output of outputs) expect(found({ output })).toEqual([expect.stringMatching(/^low/u)]);
  expect(found({ output: "No.", meta: { finish_reason: "refusal" } })).toHaveLength(1);
});

test("an answer that was finished, and a run in which a tool helped, are not refused", () => {
  expect(found({ output: "Bob lives in Oslo.", meta: { finish_reason: "stop" } })).toEqual([]);
  expect(found({ output: "Bob lives in Oslo." })).toEqual([]);
  const steps = [call("get_address", {}, "Oslo")];
  expect(found({ output: "Oslo. I cannot share more." }, steps)).toEqual([]);
});

test("a filter is a hint where the run passed, or where the missing answer counts", () => {
  const meta = { finish_reason: "content_filter" };
  const score = { name: "refusal", value: true, passed: true };
  expect(found({ output: "Bob", meta, score })).toEqual([expect.stringMatching(/^low/u)]);
  expect(found({ output: "", meta })).toEqual([expect.stringMatching(/^low/u)]);
});
