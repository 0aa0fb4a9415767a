import { expect, test } from "vitest";
import { faultTrial } from "../testing/fault-trial.ts";
import { tillWorld } from "../testing/till-world.ts";
import { fault } from "./build.ts";

test("a partial write commits the first changes, and the agent gets an error", async () => {
  const trial = await faultTrial(tillWorld(), [fault.partialWrite("add")], ({ call }) =>
    call("add", { amount: 5 }),
  );
  expect(trial.state).toMatchObject({ total: 5, log: [] });
  expect(trial.told[0]?.result).toMatchObject({
    error: { code: "PARTIAL_FAILURE", message: "add failed part way", retryable: true },
  });
  expect(trial.hidden[0]?.result).toEqual({ ok: true, data: { total: 5 } });
});

test("a partial write that would cut nothing is not reached, and all is as without it", async () => {
  const both = fault.partialWrite("add", { first: 2 });
  const trial = await faultTrial(tillWorld(), [both], ({ call }) => call("add"));
  expect(trial.state).toMatchObject({ total: 1, log: [1] });
  expect(trial.told[0]?.result.ok).toBe(true);
  expect(trial.outcomes[0]?.reached).toBe(false);
});

test("a silent no-op is answered like a success, and commits nothing", async () => {
  const trial = await faultTrial(tillWorld(), [fault.silentNoop("add")], ({ call }) => call("add"));
  expect(trial.told[0]?.result).toEqual({ ok: true, data: { total: 1 } });
  expect(trial.mutations).toEqual([]);
  expect(trial.outcomes[0]?.count).toBe(1);
});

test("another client's change comes before the call, or after it, and is no mutation of the agent", async () => {
  const before = await faultTrial(tillWorld(), [fault.concurrentModification("look")], ({ call }) =>
    call("look"),
  );
  expect(before.told[0]?.result.data).toMatchObject({ total: 1000 });
  expect(before.mutations.map(({ by }) => by)).toEqual(["rival"]);
  const after = fault.concurrentModification("look", { when: "after", change: { "/total": 7 } });
  const trial = await faultTrial(tillWorld(), [after], async ({ call }) => {
    await call("look");
    await call("look");
  });
  expect(trial.told.map(({ result }) => result.data)).toMatchObject([{ total: 0 }, { total: 7 }]);
});

test("a crash of the agent leaves what was committed to a fresh agent", async () => {
  const trial = await faultTrial(tillWorld(), [fault.crashRestart("add")], ({ call }) =>
    call("add"),
  );
  expect(trial.restarts).toEqual(["call_1"]);
  expect(trial.told.map(({ callId }) => callId)).toEqual(["call_2"]);
  expect(trial.mutations.map(({ callId }) => callId)).toEqual(["call_1", "call_2"]);
  const early = fault.crashRestart("add", { when: "before" });
  const before = await faultTrial(tillWorld(), [early], ({ call }) => call("add"));
  expect(before.mutations.map(({ callId }) => callId)).toEqual(["call_2"]);
});
