import { expect, test } from "vitest";
import { fault } from "../fault/build.ts";
import { defineWorld } from "../world/define.ts";
import { runTrial } from "./trial.ts";

test("a duplicate delivery that runs out of time keeps its first commit, and the fault counts as reached", async () => {
  const world = defineWorld({
    name: "account",
    state: { credited: 0 },
    tools: {
      credit: {
        kind: "write",
        async execute({ amount }: { amount: number }, state, { clock }) {
          await clock.sleep(5);
          state.credited += amount;
          return { credited: state.credited };
        },
      },
    },
  });
  const trial = await runTrial({
    agent: async (
      _task: string,
      { call }: { call: (tool: string, args: object) => Promise<unknown> },
    ) => call("credit", { amount: 500 }),
    task: "credit once",
    world,
    faults: [fault.duplicateDelivery("credit")],
    clock: { budgetMs: 7 },
  });
  expect(trial.verdict).toBe("failed");
  expect(trial.issue).toMatchObject({ code: "time_budget" });
  expect(trial.state).toEqual({ credited: 500 });
  expect(trial.mutations).toHaveLength(1);
  expect(trial.faults).toMatchObject([{ reached: true, count: 1 }]);
});
