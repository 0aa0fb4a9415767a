import { expect, test } from "vitest";
import type { Failure } from "../detector/detector.ts";
import { call, traceOf, together } from "../testing/traces.ts";
import { cutOf } from "./cut.ts";

function failure(step?: number, severity: Failure["severity"] = "medium"): Failure {
  return {
    kind: "loop",
    detector: "rule",
    message: "m",
    severity,
    signature: "loop:a",
    ...(step === undefined ? {} : { step }),
  };
}

const trace = traceOf([
  call("a"),
  call("b"),
  ...together(2, [call("c"), call("d"), call("e")]),
  call("f"),
]);

test("the cut is the first step of a real failure", () => {
  expect(cutOf(trace, [failure(5), failure(1), failure(0, "low")])).toBe(1);
});

test("a failure of the whole trace keeps it all", () => {
  expect(cutOf(trace, [failure(1), failure()])).toBeUndefined();
  expect(cutOf(trace, [])).toBeUndefined();
  expect(cutOf(trace, [failure(1, "low")])).toBeUndefined();
});

test("a cut never parts calls that were under way together", () => {
  expect(cutOf(trace, [failure(3)])).toBe(4);
});

test("a step that the trace does not have cuts nothing", () => {
  expect(cutOf(trace, [failure(99)])).toBeUndefined();
});
