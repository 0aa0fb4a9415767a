import { expect, test } from "vitest";
import { crash, traceOf } from "../testing/traces.ts";
import { detect } from "./detector.ts";

test("a stopped run is a timeout with the text of its last error", () => {
  const trace = traceOf([crash("The agent took longer than 100 ms.")], { status: "timeout" });
  expect(detect(trace)).toMatchInlineSnapshot(`
    [
      {
        "detector": "rule",
        "kind": "timeout",
        "message": "The agent took longer than 100 ms.",
        "severity": "high",
        "signature": "timeout:-",
        "step": 0,
      },
    ]
  `);
});

test("a run that took longer than its budget is a timeout, one that took as long is none", () => {
  const took = (ms: number, budget: number): string[] =>
    detect(traceOf([], { output: "x", durationMs: ms }), { budgetMs: budget }).map(
      ({ kind, severity, message }) => `${kind} ${severity}: ${message}`,
    );
  expect(took(101, 100)).toEqual(["timeout medium: The run took 101 ms; its budget is 100 ms."]);
  expect(took(100, 100)).toEqual([]);
  const own = traceOf([], { output: "x", startedAt: 0, endedAt: 50, limits: { ms: 40 } });
  expect(detect(own)).toHaveLength(1);
});
