import * as fc from "fast-check";
import { expect, test } from "vitest";
import { call, traceOf } from "../testing/traces.ts";
import { detect } from "./detector.ts";

function severities(output: string, meta: Record<string, string> = {}, data = "ok"): string[] {
  return detect(traceOf([call("get_list", {}, data)], { output, meta }))
    .filter(({ kind }) => kind === "truncated_output")
    .map(({ severity }) => severity);
}

test("an answer for which the model had no tokens left is truncated", () => {
  expect(severities("One, two, th", { finish_reason: "length" })).toEqual(["medium"]);
  expect(severities("One, two, th", { finish_reason: "MAX_TOKENS" })).toEqual(["medium"]);
});

test("an answer that ends with a mark of a cut is a hint, as whoever recorded it may have cut it", () => {
  expect(severities("One, two, ... (truncated)")).toEqual(["low"]);
  expect(severities("Eins, zwei … [gekürzt]")).toEqual(["low"]);
});

test("no other text and no other reason makes an answer truncated", () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom("stop", "end_turn", "tool_calls"), (text, reason) => {
      expect(severities(`${text} and so on.`, { finish_reason: reason })).toEqual([]);
    }),
  );
});

test("a mark inside the answer, or in a result that it quotes, is none", () => {
  expect(severities("The log (truncated) shows three errors.")).toEqual([]);
  expect(severities("It says: a, b [truncated]", {}, "a, b [truncated]")).toEqual([]);
});
