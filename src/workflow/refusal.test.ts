import { expect, test } from "vitest";
import type { AgentContext } from "../agent/agent.ts";
import { defineWorld } from "../world/define.ts";
import { runTrial } from "./trial.ts";

const world = defineWorld({
  state: { n: 0 },
  tools: { read: { kind: "read", execute: (_args: object, state) => state.n } },
});
const checks = [{ id: "same", type: "unchanged", path: "/n" }];

test.each(["E_CALL_BUDGET", "E_TIME_BUDGET", "E_CALL_LATE"])(
  "an agent that crashes with the code %s of our own refusals has failed all the same",
  async (code) => {
    const agent = async (): Promise<never> => {
      throw Object.assign(new Error("upstream"), { code });
    };
    const trial = await runTrial({ agent, task: "x", world, checks });
    expect(trial).toMatchObject({ verdict: "failed", issue: { code: "agent_error" } });
  },
);

test("a refusal that an agent kept from another trial is its own crash", async () => {
  let kept: unknown;
  const greedy = async (_task: string, { call }: Pick<AgentContext, "call">): Promise<string> => {
    for (;;) await call("read").catch((error: unknown) => Promise.reject(error as Error));
  };
  const first = await runTrial({
    agent: (task: string, context: AgentContext) =>
      greedy(task, context).catch((error: unknown) => {
        kept = error;
        throw error;
      }),
    task: "x",
    world,
    limits: { toolCalls: 2 },
  });
  expect(first).toMatchObject({ verdict: "failed", issue: { code: "call_limit" } });
  const agent = async (): Promise<never> => {
    throw kept;
  };
  const second = await runTrial({ agent, task: "x", world, checks });
  expect(second).toMatchObject({ verdict: "failed", issue: { code: "agent_error" } });
});
