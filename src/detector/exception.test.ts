import { expect, test } from "vitest";
import { call, crash, traceOf } from "../testing/traces.ts";
import { detect } from "./detector.ts";

const signatures = (message: string, name?: string): string[] =>
  detect(traceOf([crash(message, name)])).map((failure) => failure.signature);

test("an exception is known by its class, from the error or from its text", () => {
  expect(signatures("amount", "KeyError")).toEqual(["exception:KeyError"]);
  expect(signatures("KeyError: 'amount'")).toEqual(["exception:KeyError"]);
  expect(signatures("app.errors.Broken: x", "Error")).toEqual(["exception:app.errors.Broken"]);
  expect(signatures("boom", "Error")).toEqual(["exception:Error"]);
  expect(signatures("boom")).toEqual(["exception:-"]);
  expect(signatures("boom", "free text\nhere")).toEqual(["exception:-"]);
});

test("the text of an exception holds its class", () => {
  const [failure] = detect(traceOf([call("x"), crash("'amount'", "KeyError")]));
  expect(failure).toMatchInlineSnapshot(`
    {
      "detector": "rule",
      "kind": "exception",
      "message": "KeyError: 'amount'",
      "severity": "high",
      "signature": "exception:KeyError",
      "step": 1,
    }
  `);
});

test("a run with the status error and no error step is an exception", () => {
  const [failure] = detect(traceOf([], { status: "error" }));
  expect(failure).toMatchObject({ kind: "exception", signature: "exception:-", severity: "high" });
});

test("a stopped run is no exception", () => {
  const trace = traceOf([crash("CallBudgetExceeded: 4", "CallBudgetExceeded")], {
    status: "timeout",
  });
  expect(detect(trace).map((failure) => failure.signature)).toEqual(["timeout:-"]);
});
