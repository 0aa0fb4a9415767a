import * as fc from "fast-check";
import { expect, test } from "vitest";
import { call, failed, input, traceOf, type About, type StepSeed } from "../testing/traces.ts";
import { anyJson } from "../testing/traces.ts";
import { detect } from "./detector.ts";

function found(steps: readonly StepSeed[], about: About = {}): string[] {
  return detect(traceOf(steps, { task: "Pay bill 12.", output: "It is paid.", ...about }))
    .filter(({ kind }) => kind === "duplicate_mutation")
    .map(({ severity, tool, step }) => `${severity} ${tool} ${step}`);
}
const pay = (result: Parameters<typeof call>[2]) => call("pay_bill", { bill: 12 }, result);

test("two ids for equal calls are two payments", () => {
  expect(found([pay({ payment_id: "p1" }), pay({ payment_id: "p2" })])).toEqual([
    "medium pay_bill 1",
  ]);
  expect(found([pay("ok"), call("get_bill", {}, { open: 0 }), pay("ok")])).toEqual([
    "medium pay_bill 2",
  ]);
  expect(found([pay({ id: 1, duplicate: false }), pay({ id: 2, duplicate: false })])).toHaveLength(
    1,
  );
  const made = (id: number): StepSeed => call("create_ticket", { title: "x" }, { id });
  expect(found([made(1), made(2)])).toEqual(["medium create_ticket 1"]);
});

test("a retry after an error, and a service that knows the call again, pay once", () => {
  expect(found([failed("pay_bill", { bill: 12 }, "timeout"), pay({ id: 1 })])).toEqual([]);
  expect(found([pay({ payment_id: "p1" }), pay({ payment_id: "p1" })])).toEqual([]);
  expect(found([pay({ id: "p1" }), pay({ id: "p2", duplicate: true })])).toEqual([]);
  expect(found([pay("ok"), pay("The bill was already paid.")])).toEqual([]);
});

test("other arguments, another wish of the user and another deed between are no duplicate", () => {
  expect(found([pay("ok"), call("pay_bill", { bill: 13 }, "ok")])).toEqual([]);
  expect(found([pay("ok"), input("And once more, please."), pay("ok")])).toEqual([]);
  expect(found([pay("ok"), call("refund_bill", { bill: 12 }, "ok"), pay("ok")])).toEqual([]);
});

test("what sets or makes the same thing twice without an id changes nothing the second time", () => {
  for (const name of ["update_user", "create_file", "set_limit", "submit", "add_tag"])
    expect(found([call(name, { a: 1 }, "ok"), call(name, { a: 1 }, "ok")])).toEqual([]);
});

test("a task that wants it more than once makes it a hint", () => {
  const twice = [pay({ id: 1 }), pay({ id: 2 })];
  for (const task of ["Pay bill 12 twice.", "Bezahle die Rechnung zweimal.", "请付两次。"])
    expect(found(twice, { task })).toEqual(["low pay_bill 1"]);
});

test("reading is no deed, whatever is answered", () => {
  fc.assert(
    fc.property(anyJson(), anyJson(), (one, other) => {
      expect(found([call("get_bill", { id: 1 }, one), call("get_bill", { id: 1 }, other)])).toEqual(
        [],
      );
    }),
  );
});
