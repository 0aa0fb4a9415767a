import { expect, test } from "vitest";
import { defineWorld } from "../world/define.ts";
import type { World } from "../world/world.ts";
import { faultTrial } from "../testing/fault-trial.ts";
import { tillWorld } from "../testing/till-world.ts";
import { fault } from "./build.ts";

test("a duplicate delivery commits twice and the agent gets the first answer", async () => {
  const trial = await faultTrial(tillWorld(), [fault.duplicateDelivery("add")], ({ call }) =>
    call("add", { amount: 500 }),
  );
  expect(trial.told.map(({ result }) => result)).toEqual([{ ok: true, data: { total: 500 } }]);
  expect(trial.hidden.map(({ result }) => result)).toEqual([
    { ok: true, data: { total: 500 } },
    { ok: true, data: { total: 1000 } },
  ]);
  expect(trial.mutations.map(({ callId, args, by }) => [callId, args, by])).toEqual([
    ["call_1", { amount: 500 }, "agent"],
    ["call_1", { amount: 500 }, "agent"],
  ]);
  expect(trial.order).toEqual([
    "mutation call_1",
    "hidden call_1",
    "fault call_1",
    "mutation call_1",
    "hidden call_1",
    "told call_1",
  ]);
});

test("a duplicate delivery can answer with the last result", async () => {
  const last = fault.duplicateDelivery("add", { respond: "last" });
  const { told } = await faultTrial(tillWorld(), [last], ({ call }) => call("add"));
  expect(told[0]?.result).toEqual({ ok: true, data: { total: 2 } });
});

test("a tool that changes its arguments gets the original ones in the second delivery, after its time on the clock", async () => {
  const world = defineWorld({
    name: "credit",
    state: { credited: 0 },
    tools: {
      credit: {
        kind: "write",
        async execute(args: { amount: number }, state: { credited: number }, { clock }) {
          await clock.sleep(5);
          state.credited += args.amount;
          args.amount = 0;
          return { credited: state.credited };
        },
      },
    },
  }) as World;
  const trial = await faultTrial(world, [fault.duplicateDelivery("credit")], ({ call }) =>
    call("credit", { amount: 500 }),
  );
  expect(trial.state).toEqual({ credited: 1000 });
  expect(trial.told).toEqual([
    { callId: "call_1", tool: "credit", at: 10, result: { ok: true, data: { credited: 500 } } },
  ]);
});

test("both deliveries run although the first was answered with an error", async () => {
  const trial = await faultTrial(tillWorld(), [fault.duplicateDelivery("add")], ({ call }) =>
    call("add", { fail: true }),
  );
  expect(trial.hidden).toHaveLength(2);
  expect(trial.outcomes[0]).toMatchObject({ reached: true, count: 1 });
});

test("ten duplicates among a hundred calls are a hundred and ten mutations", async () => {
  const ten = fault.duplicateDelivery("add", { repeat: 10 });
  const trial = await faultTrial(tillWorld(), [ten], async ({ call }) => {
    for (let n = 0; n < 100; n++) await call("add");
  });
  expect(trial.mutations).toHaveLength(110);
  expect(trial.outcomes[0]?.count).toBe(10);
});
