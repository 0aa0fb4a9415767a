import { expect, test } from "vitest";
import type { AgentContext } from "../agent/agent.ts";
import { fault } from "../fault/build.ts";
import { defineWorld } from "../world/define.ts";
import { defineWorkflow } from "./typed.ts";
import { runWorkflow } from "./run.ts";
import { runTrial } from "./trial.ts";
import type { Trial } from "./trial-result.ts";

const world = defineWorld({
  name: "counter",
  state: { n: 0 },
  tools: { add: { kind: "write", execute: (_: object, state) => ++state.n } },
});

const onRealClock = (agent: (task: unknown, context: AgentContext) => unknown): Promise<Trial> =>
  runTrial({ agent, task: "count", world, clock: "real" });

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

test("a repeating timer that is left on the real clock fails its trial, and is ended", async () => {
  let beats = 0;
  const trial = await onRealClock(() => {
    setInterval(() => {
      beats += 1;
    }, 1);
    return "done";
  });
  expect(trial).toMatchObject({ verdict: "failed", issue: { code: "leftover_timer" } });
  const before = beats;
  await pause(20);
  expect(beats).toBe(before);
});

test("a repeating timer that the agent ends is none that is left, however it ends it", async () => {
  const trial = await onRealClock(async () => {
    const timers = Array.from({ length: 200 }, () => setInterval(() => undefined, 5));
    const last = timers.pop();
    await pause(2);
    for (const [n, timer] of timers.entries()) {
      if (n % 3 === 0) clearInterval(timer);
      else if (n % 3 === 1) clearTimeout(timer);
      else timer.close();
    }
    clearInterval(Number(last));
    return "done";
  });
  expect(trial).toMatchObject({ verdict: "passed" });
});

test("repeating timers of the code around a trial are not the trial's", async () => {
  let beats = 0;
  const trial = onRealClock(async () => {
    await pause(10);
    return "done";
  });
  const timer = setInterval(() => {
    beats += 1;
  }, 1);
  expect((await trial).verdict).toBe("passed");
  const before = beats;
  await pause(20);
  clearInterval(timer);
  expect(beats).toBeGreaterThan(before);
});

test("a workflow on the real clock has no note about other evidence when only the times are others", async () => {
  const agent = async (_: unknown, { call, clock }: AgentContext): Promise<string> => {
    await clock.sleep(1 + Math.random() * 5);
    await call("add").catch(() => undefined);
    return "done";
  };
  const scenarios = [{ id: "lost", faults: [fault.timeoutAfter("add")] }];
  const about = { id: "real", task: "count", world, scenarios, clock: "real" as const };
  const run = await runWorkflow(defineWorkflow({ ...about, agent }));
  expect(run.notes).toEqual([]);
  let times = 0;
  const shared = async (_: unknown, { call }: AgentContext): Promise<string> => {
    await call("add", { times: ++times }).catch(() => undefined);
    return "done";
  };
  const bad = await runWorkflow(defineWorkflow({ ...about, agent: shared }));
  expect(bad.notes).toHaveLength(1);
});
