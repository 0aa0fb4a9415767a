import { expect, test } from "vitest";
import type { Json } from "../shared/json.ts";
import { call, failed, traceOf, type About } from "../testing/traces.ts";
import { detect, real } from "./detector.ts";
import type { StepSeed } from "../testing/traces.ts";

function found(steps: readonly StepSeed[], about: About = {}): string[] {
  const trace = traceOf(steps, { task: "Do the work.", output: "Here you are", ...about });
  return real(detect(trace)).map((failure) => failure.signature);
}

test("deleting the file that was created is a contradiction", () => {
  const steps = [call("create_file", { path: "x" }), call("delete_file", { path: "x" })];
  expect(found(steps)).toEqual(["self_contradiction:delete_file"]);
});

test("a list among the arguments hides no contradiction", () => {
  const steps = [
    call("create_user", { name: "bob", roles: ["admin", "dev"] }, { id: 7 }),
    call("delete_user", { name: "bob" }),
  ];
  expect(found(steps, { output: "User exists now" })).toEqual(["self_contradiction:delete_user"]);
  const byId = [steps[0] as StepSeed, call("delete_user", { id: 7 })];
  expect(found(byId, { output: "User exists now" })).toEqual(["self_contradiction:delete_user"]);
});

test("a clean-up that the task asks for is no contradiction", () => {
  const steps = [
    call("create_file", { path: "tmp.py" }),
    call("run", { path: "tmp.py" }, "42"),
    call("delete_file", { path: "tmp.py" }),
  ];
  expect(found(steps, { task: "Make a temp file, run it and clean up.", output: "42" })).toEqual(
    [],
  );
  expect(found(steps, { output: "42" })).toEqual([]);
});

test("opening and closing belong together", () => {
  const pairs: [string, string][] = [
    ["open_file", "close_file"],
    ["start_server", "stop_server"],
    ["lock_row", "unlock_row"],
    ["enable_roaming", "disable_roaming"],
  ];
  for (const [a, b] of pairs) expect(found([call(a, { id: 1 }), call(b, { id: 1 })])).toEqual([]);
});

test("removing another item than the added one is no contradiction", () => {
  const steps = [
    call("add_item", { cart: "c1", sku: "A" }),
    call("remove_item", { cart: "c1", sku: "B" }),
  ];
  expect(found(steps)).toEqual([]);
});

test("arguments recorded as a list are compared by their place", () => {
  const steps = (last: Json): StepSeed[] => [call("create_file", ["x"]), call("delete_file", last)];
  expect(found(steps(["x"]))).toEqual(["self_contradiction:delete_file"]);
  expect(found(steps(["y"]))).toEqual([]);
  expect(found(steps("x"))).toEqual(["self_contradiction:delete_file"]);
});

test("doing it again in the end, undoing after a failure and undoing what failed are no contradiction", () => {
  const make = call("create_order", { id: 1 });
  const unmake = call("delete_order", { id: 1 });
  expect(found([make, unmake, make])).toEqual([]);
  expect(
    found([failed("create_order", { id: 1 }, "no"), unmake], { output: "It failed." }),
  ).toEqual([]);
  expect(
    found([make, failed("pay_invoice", { id: 1 }, "declined"), unmake], {
      output: "The payment was declined, so the order was taken back.",
    }),
  ).toEqual([]);
});
