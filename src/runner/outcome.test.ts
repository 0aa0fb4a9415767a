import * as fc from "fast-check";
import { expect, test } from "vitest";
import { anyJson } from "../testing/traces.ts";
import { readReport } from "./outcome.ts";

test("any JSON is read as a report without an exception, and what is no verdict of ours is none", () => {
  fc.assert(
    fc.property(anyJson(), (json) => {
      const tests = [{ title: "x", status: "passed", meta: { twiceshy: json } }];
      expect(readReport(json).outcomes).toBeInstanceOf(Array);
      expect(
        readReport({ testResults: [{ assertionResults: tests }] }).outcomes.every(
          ({ verdict }) => verdict === "passes",
        ),
      ).toBe(true);
    }),
  );
});

test("a verdict, a test that crashed and a file that could not be imported are told apart", () => {
  const outcome = {
    repro: "3f2a91c4",
    verdict: "still_fails",
    reason: "again",
    signatures: [],
    agent: "a",
    red: true,
    known: false,
    regressed: false,
    message: "",
  };
  const report = {
    testResults: [
      {
        name: "a.spec.ts",
        message: "",
        assertionResults: [
          { title: "one", status: "failed", meta: { twiceshy: outcome }, failureMessages: ["x"] },
          { title: "two", status: "failed", meta: {}, failureMessages: ["Error: boom\n    at x"] },
          { title: "three", status: "skipped", meta: {} },
        ],
      },
      { name: "b.spec.ts", message: "no such export\nat y", assertionResults: [] },
    ],
  };
  expect(readReport(report)).toEqual({
    outcomes: [outcome],
    broken: [
      { where: "two", message: "Error: boom" },
      { where: "b.spec.ts", message: "no such export" },
    ],
  });
});
