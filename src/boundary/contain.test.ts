import { expect, onTestFinished, test } from "vitest";
import { liveAnswer, type Boundary } from "./boundary.ts";
import { contain, openContainment, type ContainmentOptions } from "./contain.ts";
import { turn } from "./idle-turn.ts";
import { VirtualClock } from "./virtual-time.ts";

const boundary: Boundary = { call: liveAnswer, nextId: () => "call_1" };

function virtual(): VirtualClock {
  const clock = new VirtualClock({ startMs: 0, budgetMs: 86_400_000 });
  onTestFinished(() => clock.close());
  return clock;
}

/** Runs an agent to its end, and one turn longer. */
async function trial<T>(
  agent: () => T | Promise<T>,
  clock = virtual(),
): Promise<{ result: T; events: string[] }> {
  const events: string[] = [];
  const say = (what: string) => (error: unknown) =>
    void events.push(`${what}: ${(error as Error).message}`);
  const options: ContainmentOptions = {
    clock,
    ms: 30_000,
    onExit: say("exit"),
    onRejection: say("rejection"),
    onUncaught: say("uncaught"),
    onBlocked: say("blocked"),
  };
  const contained = contain(agent, { ...options, boundary });
  onTestFinished(() => contained.leave());
  const result = await contained.result;
  await turn();
  return { result, events };
}

test("an agent that calls process.exit and goes on is named, and its trial ends by itself", async () => {
  const { result, events } = await trial(() => {
    try {
      process.exit(0);
    } catch {
      // An agent that goes on whatever happens.
    }
    return "went on";
  });
  expect(result).toBe("went on");
  expect(events).toEqual([expect.stringContaining("exit: Failed to run process.exit(0)")]);
});

test("a rejection that the agent never awaits is named within a turn of the trial's end", async () => {
  const { result, events } = await trial(() => {
    void Promise.reject(new Error("nobody waits"));
    return "done";
  });
  expect(result).toBe("done");
  expect(events).toEqual(["rejection: nobody waits"]);
});

test("an error in a timer of the agent is named, and the agent goes on", async () => {
  const { result, events } = await trial(async () => {
    setTimeout(() => {
      throw new Error("in a timer");
    }, 500);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    return Date.now();
  });
  expect(result).toBe(1000);
  expect(events).toEqual(["uncaught: in a timer"]);
});

test("a repeating timer that the agent left is seen on its clock, and ends with it", async () => {
  const clock = virtual();
  let ticks = 0;
  await trial(async () => {
    setInterval(() => (ticks += 1), 1000);
    await new Promise((resolve) => setTimeout(resolve, 2500));
  }, clock);
  expect(clock.pending().map(({ kind }) => kind)).toEqual(["interval"]);
  clock.close();
  const before = ticks;
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(ticks).toBe(before);
  expect(clock.pending()).toEqual([]);
});

test("trials at the same time are told of their own only", async () => {
  const all = await Promise.all(
    ["a", "b", "c"].map((name) =>
      trial(async () => {
        await new Promise((resolve) => setTimeout(resolve, 10));
        void Promise.reject(new Error(name));
        await new Promise((resolve) => setTimeout(resolve, 10));
        return name;
      }),
    ),
  );
  expect(all.map(({ result, events }) => [result, events])).toEqual([
    ["a", ["rejection: a"]],
    ["b", ["rejection: b"]],
    ["c", ["rejection: c"]],
  ]);
});

test("code of an ended trial still cannot end the process", async () => {
  const events: unknown[] = [];
  const contained = contain(() => () => process.exit(1), {
    boundary,
    onExit: (error) => events.push(error),
  });
  const later = contained.run(boundary, async () => {
    await turn();
    await turn();
    process.exit(1);
  });
  contained.leave();
  contained.leave();
  await expect(later).rejects.toMatchObject({ code: "E_PROCESS_EXIT" });
  expect(events).toHaveLength(1);
});

test("a trial in real time has a clock of its own that passes through", async () => {
  const before = performance.now();
  const contained = openContainment({});
  await contained.run(boundary, () => new Promise((resolve) => setTimeout(resolve, 20)));
  contained.leave();
  expect(performance.now() - before).toBeGreaterThanOrEqual(19);
});

test("what the trials' runner is built on costs few microseconds for each trial", async () => {
  const one = async (): Promise<void> => {
    const clock = new VirtualClock({ startMs: 0, budgetMs: 1000 });
    const contained = openContainment({ clock, ms: 30_000, onBlocked: () => undefined });
    await contained.run(boundary, () => undefined);
    contained.leave();
    clock.close();
  };
  for (let n = 0; n < 500; n += 1) await one();
  const before = process.cpuUsage();
  for (let n = 0; n < 5000; n += 1) await one();
  const { user, system } = process.cpuUsage(before);
  // About 6 on a quiet machine; the bound only catches what is done anew for each trial.
  expect((user + system) / 5000).toBeLessThan(60);
});
