import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { AgentContext } from "../agent/agent.ts";
import { fault } from "../fault/build.ts";
import type { Fault } from "../fault/fault.ts";
import { defineWorld } from "../world/define.ts";
import type { ToolContext, World } from "../world/world.ts";
import { runTrial } from "./trial.ts";

/** How a tool takes its time. */
const TAKES = {
  "answers at once": () => undefined,
  "is asynchronous": async () => undefined,
  "needs many microtasks": async () => {
    for (let n = 0; n < 20; n++) await Promise.resolve();
  },
  "sleeps for no time": ({ clock }: ToolContext) => clock.sleep(0),
  "sleeps for 25 ms": ({ clock }: ToolContext) => clock.sleep(25),
} as const;

type Takes = keyof typeof TAKES;

function counter(takes: Takes): World {
  return defineWorld({
    state: { count: 0 },
    tools: {
      add: {
        kind: "write",
        execute: (_args: object, state, context) => {
          const wait = TAKES[takes](context);
          return wait === undefined ? ++state.count : wait.then(() => ++state.count);
        },
      },
    },
  });
}

interface Seen {
  readonly error: unknown;
  readonly stack: string | undefined;
  readonly ms: number;
  readonly microtasks: number;
  readonly turns: number;
  readonly order: readonly string[];
}

const MOST_MICROTASKS = 500;

/** What an agent can find out about a timeout, by its error, its clocks and its other work. */
async function watch(way: "call" | "tools", { call, tools, clock }: AgentContext): Promise<Seen> {
  let [microtasks, turns, settled] = [0, 0, false];
  const order: string[] = [];
  const note = (what: string) => (): void => void order.push(what);
  const tick = (): void => {
    if (!settled && microtasks++ < MOST_MICROTASKS) queueMicrotask(tick);
  };
  const turn = (): void => {
    if (!settled && turns++ < MOST_MICROTASKS) setImmediate(turn);
  };
  void clock.sleep(0).then(note("a sleep of before"));
  setTimeout(note("a timer of before"), 0);
  const start = clock.now();
  const asked = way === "call" ? call("add") : (tools["add"] as () => Promise<unknown>)();
  void clock.sleep(0).then(note("a sleep of after"));
  setTimeout(note("a timer of after"), 0);
  tick();
  turn();
  const error: unknown = await asked.catch((thrown: unknown) => thrown);
  settled = true;
  order.push("told");
  const ms = clock.now() - start;
  await clock.sleep(50);
  const { stack } = error as Error;
  return {
    error: Object.getOwnPropertyDescriptors({ ...(error as object), stack: undefined }),
    stack: stack?.replaceAll(/:\d+:\d+/g, ""),
    ms,
    microtasks,
    turns,
    order,
  };
}

async function seen(
  takes: Takes,
  armed: Fault,
  way: "call" | "tools",
): Promise<{ seen: Seen; added: number; reached: boolean | undefined }> {
  const found: Seen[] = [];
  const trial = await runTrial({
    agent: async (_task: unknown, context: AgentContext) => {
      found.push(await watch(way, context));
      return { status: "completed", message: "counted" };
    },
    task: "count",
    world: counter(takes),
    faults: [armed],
  });
  const [first] = found;
  if (first === undefined) throw new Error(trial.reason);
  return { seen: first, added: trial.mutations.length, reached: trial.faults[0]?.reached };
}

test("no agent can tell a timeout before the effect from one after it or from a delayed commit: error, stack, time, microtasks, turns and the order of its own work are the same", async () => {
  const takes = fc.constantFrom(...(Object.keys(TAKES) as Takes[]));
  const delays = fc.constantFrom(undefined, 0, 1, 25, 40);
  const ways = fc.constantFrom("call" as const, "tools" as const);
  await fc.assert(
    fc.asyncProperty(takes, delays, ways, async (kind, delayMs, way) => {
      const own = delayMs === undefined ? {} : { delayMs };
      const before = await seen(kind, fault.timeoutBefore("add", own), way);
      const after = await seen(kind, fault.timeoutAfter("add", own), way);
      const later = await seen(kind, fault.delayedCommit("add", own), way);
      expect(after.seen).toEqual(before.seen);
      expect(later.seen).toEqual(before.seen);
      expect([before.added, after.added, later.added]).toEqual([0, 1, 1]);
      expect([before.reached, after.reached, later.reached]).toEqual([true, true, true]);
    }),
    { numRuns: 60 },
  );
});
