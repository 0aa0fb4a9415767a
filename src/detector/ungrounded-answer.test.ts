import { expect, test } from "vitest";
import { call, traceOf, type About } from "../testing/traces.ts";
import { detect } from "./detector.ts";
import type { StepSeed } from "../testing/traces.ts";

function found(steps: readonly StepSeed[], about: About): string[] {
  return detect(traceOf(steps, { task: "Where is my parcel?", ...about }))
    .filter((failure) => failure.kind === "ungrounded_answer")
    .map(({ severity, message }) => `${severity}: ${message}`);
}
const NOTHING = call("search", { q: "parcel" }, []);

test("a tracking number that no result gave is ungrounded", () => {
  expect(found([NOTHING], { output: "Your tracking number is 1Z999AA10123456784." }))
    .toMatchInlineSnapshot(`
    [
      "medium: The answer names 1Z999AA10123456784, which is in no tool result; search had found nothing.",
    ]
  `);
});

test("an id that the task, a result or the arguments hold is grounded", () => {
  const output = "Your tracking number is 1Z999AA10123456784.";
  expect(found([NOTHING], { output, task: "Where is 1z999aa10123456784?" })).toEqual([]);
  const given = call("get_order", { id: 4 }, { tracking: "1Z999AA10123456784" });
  expect(found([given, NOTHING], { output })).toEqual([]);
});

test("dates, times, amounts and counts are no ids", () => {
  const output =
    "On 2024-05-01 at 10:30 there were 12500 hits, 1,200.50 EUR, in 2023-2024, 100km, sha256 and utf-8.";
  expect(found([NOTHING], { output })).toEqual([]);
});

test("an invented id is a hint when other results had something", () => {
  const given = call("get_order", { id: 4 }, { state: "sent" });
  expect(found([given, NOTHING], { output: "It is AB-12345-X." })).toEqual([
    expect.stringMatching(/^low/u),
  ]);
});
