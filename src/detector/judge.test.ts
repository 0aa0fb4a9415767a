import { expect, test } from "vitest";
import { call, failed, model, traceOf } from "../testing/traces.ts";
import { judge, rendered, verdictIn } from "./judge.ts";

const TRACE = traceOf(
  [model("I look."), call("search", { q: "x" }, []), failed("pay", {}, "declined")],
  {
    task: "Find x",
    output: "x is blue",
  },
);

test("a judge that says off track at a step gives one failure there, and one that does not gives none", async () => {
  const seen: string[] = [];
  const ask = (prompt: string): string => {
    seen.push(prompt);
    return 'Well: {"off_track": true, "step": 2, "reason": "invented"} so.';
  };
  expect(await judge(TRACE, ask)).toEqual([
    {
      kind: "off_track",
      detector: "judge",
      severity: "medium",
      signature: "off_track:-",
      message: "invented",
      step: 2,
    },
  ]);
  expect(seen[0]).toContain("TOOL search");
  expect(await judge(TRACE, () => '{"off_track": false}')).toEqual([]);
});

test("an answer without a verdict gives none, and a judge that cannot be reached is not silent", async () => {
  expect(verdictIn("no idea")).toBeUndefined();
  expect(verdictIn('{"step": 1}')).toBeUndefined();
  expect(await judge(TRACE, () => "} {")).toEqual([]);
  const down = (): Promise<string> => Promise.reject(new Error("connection refused"));
  await expect(judge(TRACE, down)).rejects.toThrow("connection refused");
});

test("a judge reads the task, the steps, the output and the status", () => {
  expect(rendered(TRACE)).toMatchInlineSnapshot(`
    "TASK: Find x
    [0] MODEL I look.
    [1] TOOL search({"q":"x"}) -> []
    [2] TOOL pay({}) -> error: declined
    [3] OUTPUT x is blue
    STATUS: ok"
  `);
  const long = traceOf(Array.from({ length: 100 }, (_, n) => call("x", { n }, n)));
  expect(rendered(long).split("\n")).toHaveLength(63);
});
