import { expect, test } from "vitest";
import { faultTrial } from "../testing/fault-trial.ts";
import { tillWorld } from "../testing/till-world.ts";
import { fault } from "./build.ts";

test("a delayed commit is not there for the look right after, and is there for the next", async () => {
  const trial = await faultTrial(tillWorld(), [fault.delayedCommit("add")], async ({ call }) => {
    for (const tool of ["add", "look", "look"]) await call(tool);
  });
  expect(trial.told.map(({ result }) => (result.ok ? result.data : result.error.code))).toEqual([
    "TIMEOUT",
    { total: 0, entries: [] },
    { total: 1, entries: [1] },
  ]);
  expect(trial.mutations).toMatchObject([{ callId: "call_1", by: "agent" }]);
  expect(trial.order).toEqual([
    "told call_1",
    "mutation call_1",
    "hidden call_1",
    "fault call_1",
    "told call_2",
    "told call_3",
  ]);
});

test("a delayed commit can wait for more calls, or for the clock", async () => {
  const byCalls = fault.delayedCommit("add", { afterCalls: 2 });
  const calls = await faultTrial(tillWorld(), [byCalls], async ({ call }) => {
    for (const tool of ["add", "look", "look", "look"]) await call(tool);
  });
  expect(calls.order.indexOf("mutation call_1")).toBe(calls.order.indexOf("told call_3") - 3);
  const byClock = fault.delayedCommit("add", { afterMs: 500 });
  const clock = await faultTrial(tillWorld(), [byClock], async ({ call, sleep }) => {
    await call("add");
    await sleep(400);
    await call("look");
    await sleep(200);
    await call("look");
  });
  expect(clock.mutations.map(({ at }) => at)).toEqual([500]);
});

test("what was put off is done when the agent has ended", async () => {
  const faults = [
    fault.delayedCommit("add", { afterMs: 60_000 }),
    fault.lateRedelivery("put", { afterCalls: 5 }),
  ];
  const trial = await faultTrial(tillWorld(), faults, async ({ call }) => {
    await call("add");
    await call("put", { value: 7, ms: 5 });
  });
  expect(trial.state).toMatchObject({ total: 1, kept: 7 });
  expect(trial.outcomes.map(({ reached }) => reached)).toEqual([true, true]);
});

test("a late redelivery commits once more after the next call, and the agent is told nothing", async () => {
  const trial = await faultTrial(tillWorld(), [fault.lateRedelivery("add")], async ({ call }) => {
    for (const tool of ["add", "look", "look"]) await call(tool);
  });
  expect(trial.told.map(({ result }) => result.data)).toEqual([
    { total: 1 },
    { total: 1, entries: [1] },
    { total: 2, entries: [1, 1] },
  ]);
  expect(trial.mutations.map(({ callId, by }) => [callId, by])).toEqual([
    ["call_1", "agent"],
    ["call_1", "agent"],
  ]);
});

test("a call that was already under way is none of the calls that are waited for", async () => {
  const trial = await faultTrial(tillWorld(), [fault.delayedCommit("add")], async ({ call }) => {
    await Promise.all([call("look", { ms: 5 }), call("add")]);
    await call("look");
    await call("look");
  });
  expect(trial.order.indexOf("mutation call_2")).toBeGreaterThan(
    trial.order.indexOf("told call_1"),
  );
});

test("nothing is waited for at a call at which the agent died", async () => {
  const faults = [fault.timeoutAfter("add", { delayMs: 5 }), fault.crashRestart("add")];
  const trial = await faultTrial(tillWorld(), faults, ({ call }) => call("add", { ms: 25 }));
  expect(trial.told.map(({ at }) => at)).toEqual([5]);
  expect(trial.mutations.map(({ callId }) => callId)).toEqual(["call_1"]);
});

test("a call that is carried out later and commits nothing is no delayed commit, and no late redelivery", async () => {
  const faults = [fault.delayedCommit("add"), fault.lateRedelivery("put")];
  const trial = await faultTrial(tillWorld(), faults, async ({ call }) => {
    await call("add", { fail: true });
    await call("put", { fail: true });
    await call("look");
  });
  expect(trial.outcomes.map(({ reached }) => reached)).toEqual([false, false]);
  expect(trial.outcomes.map(({ waitedFor }) => waitedFor)).toEqual([
    "waited for the 1st call of add; it came (call_1), but its result was an error later, so that nothing was committed",
    "waited for the 1st call of put; it came (call_2), but its result was an error",
  ]);
});

test("a delayed commit is reached where the agent's retry has done its work before", async () => {
  const trial = await faultTrial(tillWorld(), [fault.delayedCommit("put")], async ({ call }) => {
    await call("put", { value: 7 });
    await call("put", { value: 7 });
  });
  expect(trial.mutations.map(({ callId }) => callId)).toEqual(["call_2"]);
  expect(trial.outcomes.map(({ reached }) => reached)).toEqual([true]);
});
