import { expect, test } from "vitest";
import type { Json } from "../shared/json.ts";
import { call, traceOf, type StepSeed } from "../testing/traces.ts";
import { detect } from "./detector.ts";

function found(steps: readonly StepSeed[], output: Json = "All letters have been sent."): string[] {
  return detect(traceOf(steps, { task: "Send the letters.", output }))
    .filter(({ kind }) => kind === "ignored_error")
    .map(({ severity, message }) => `${severity}: ${message}`);
}
const send = (result: Json): StepSeed => call("send_letters", { list: "all" }, result);

test("a part of a deed that failed and is passed over is an ignored error", () => {
  expect(found([send({ sent: 8, failed: 2 })])).toMatchInlineSnapshot(`
    [
      "medium: send_letters reports 2 under "failed", and the answer does not say so.",
    ]
  `);
  expect(found([send({ sent: ["a"], failed: ["bob"] })])).toHaveLength(1);
  expect(
    found([send({ sent: 8, failed: 2 })], "Erledigt, alle Briefe sind verschickt."),
  ).toHaveLength(1);
  expect(found([send({ sent: 8, failed: 2 })], "Todas las cartas fueron enviadas.")).toHaveLength(
    1,
  );
});

test("an answer that says how many, which, or that something failed is none", () => {
  expect(found([send({ sent: 8, failed: 2 })], "8 are sent, 2 came back.")).toEqual([]);
  expect(found([send({ sent: ["a"], failed: ["bob"] })], "Sent to all but Bob.")).toEqual([]);
  expect(found([send({ sent: 8, failed: 2 })], "Sent, but some letters failed.")).toEqual([]);
});

test("no part, a later whole deed, and a report that is only read are none", () => {
  expect(found([send({ sent: 8, failed: 0 })])).toEqual([]);
  expect(found([send({ sent: 8, failed: [] })])).toEqual([]);
  expect(found([send({ sent: 8, failed: 2 }), send({ sent: 2, failed: 0 })])).toEqual([]);
  expect(found([call("get_stats", {}, { failed: 2 })], "The statistics are complete.")).toEqual([]);
});

test("an answer that claims nothing ignores nothing", () => {
  expect(found([send({ sent: 8, failed: 2 })], "The letters are in your list.")).toEqual([]);
});
