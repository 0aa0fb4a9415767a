import * as fc from "fast-check";
import { expect, test } from "vitest";
import { traceOf } from "../testing/traces.ts";
import type { Trace } from "../trace/trace.ts";
import { laterSuccess } from "./later-success.ts";

function success(id: string, about: Partial<Trace> = {}): Trace {
  return traceOf([], { id, output: "x", startedAt: 10, ...about });
}

const failing = traceOf([], { id: "f", startedAt: 5 });

test("the order of the traces changes nothing", () => {
  const traces = fc.array(
    fc.record({ id: fc.nat({ max: 20 }).map(String), startedAt: fc.nat({ max: 12 }) }),
    { maxLength: 6 },
  );
  fc.assert(
    fc.property(traces, (given) => {
      const all = given.map(({ id, startedAt }) => success(id, { startedAt }));
      const [one, other] = [laterSuccess(failing, all), laterSuccess(failing, all.toReversed())];
      expect([one?.id, one?.startedAt]).toEqual([other?.id, other?.startedAt]);
    }),
  );
});

test("the earliest success at or after the failure is taken", () => {
  const found = laterSuccess(failing, [
    success("late", { startedAt: 30 }),
    success("next", { startedAt: 7 }),
    success("before", { startedAt: 1 }),
  ]);
  expect(found?.id).toBe("next");
});

test("other tasks, other ends, the trace itself and earlier ones are left out", () => {
  const others = [
    success("a", { taskId: "task_2" }),
    success("b", { status: "error" }),
    success("f"),
    success("c", { startedAt: 4 }),
  ];
  expect(laterSuccess(failing, others)).toBeUndefined();
});

test("without times a success of the task counts as later", () => {
  const { startedAt: _startedAt, ...untimed } = success("u");
  expect(laterSuccess(failing, [untimed])?.id).toBe("u");
});
