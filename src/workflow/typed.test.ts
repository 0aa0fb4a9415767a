import { expect, expectTypeOf, test } from "vitest";
import { defineWorld } from "../world/define.ts";
import { runTrial } from "./typed.ts";

interface Order {
  readonly id: string;
  readonly total: number;
}

const shop = defineWorld({
  state: { orders: [] as Order[] },
  tools: {
    place: {
      kind: "write",
      execute: ({ total }: { total: number }, state) => {
        state.orders.push({ id: `o${state.orders.length + 1}`, total });
        return { id: state.orders.at(-1)?.id ?? "" };
      },
    },
  },
});

test("an inline agent, a function check and the state are typed by the task and the world", async () => {
  const trial = await runTrial({
    task: { total: 7 },
    world: shop,
    agent: async (task, { call }) => {
      expectTypeOf(task).toEqualTypeOf<{ total: number }>();
      return call("place", { total: task.total });
    },
    checks: [
      {
        id: "one",
        test: ({ state }) => {
          expectTypeOf(state.orders).toEqualTypeOf<Order[]>();
          return state.orders.length === 1;
        },
      },
      { id: "seven", type: "equals", path: "/orders/0/total", expected: 7 },
    ],
  });
  expectTypeOf(trial.state.orders).toEqualTypeOf<Order[]>();
  expect(trial.verdict).toBe("passed");
  expect(trial.state.orders).toEqual([{ id: "o1", total: 7 }]);
});

test("an agent of its own task and context types fits, and a task of another type does not", async () => {
  const agent = async (
    task: { readonly total: number },
    { call }: { call: (tool: string, args: object) => Promise<unknown> },
  ): Promise<unknown> => call("place", task);
  expect((await runTrial({ agent, task: { total: 1 }, world: shop })).verdict).toBe("passed");
  // @ts-expect-error the agent's task is an object
  const wrong = await runTrial({ agent, task: "one", world: shop });
  expect(wrong.verdict).toBe("failed");
});
