import { expect, test } from "vitest";
import type { AgentContext } from "../agent/agent.ts";
import { defineWorld } from "../world/define.ts";
import type { Trial } from "./trial-result.ts";
import { runTrial } from "./trial.ts";
import type { TrialOptions } from "./workflow.ts";

interface Account {
  total: number;
  log: number[];
}

const EMPTY: Account = { total: 0, log: [] };

/** Adds to a total; the delayed one takes virtual time. */
function account(about: { readonly delayMs?: number } = {}): ReturnType<typeof make> {
  return make(about.delayMs ?? 0);
}

function make(delayMs: number) {
  return defineWorld({
    name: "account",
    state: EMPTY,
    tools: {
      add: {
        kind: "write",
        async execute({ by }: { by: number }, state, { clock }) {
          if (delayMs > 0) await clock.sleep(delayMs);
          state.total += by;
          state.log.push(by);
          return { total: state.total };
        },
      },
      put: {
        kind: "write",
        execute({ by }: { by: number }, state) {
          state.total += by;
          return { total: state.total };
        },
      },
      read: { kind: "read", execute: (_args, state) => ({ total: state.total }) },
    },
  });
}

type Context = Pick<AgentContext, "call" | "clock" | "signal" | "recorder" | "tools" | "catalog">;

function trialOf(
  agent: (context: Context, task: unknown) => unknown,
  options: Partial<TrialOptions> = {},
): Promise<Trial> {
  return runTrial({
    agent: (task: unknown, context: Context) => agent(context, task),
    task: "add up",
    world: account(),
    ...options,
  });
}

const kinds = (trial: Trial): string[] => trial.events.map(({ kind }) => kind);

test("a good agent without faults passes, with every call, result, mutation and its completion in order", async () => {
  const trial = await trialOf(async ({ call }) => {
    await call("put", { by: 2 });
    return call("read");
  });
  expect(trial.verdict).toBe("passed");
  expect(kinds(trial)).toEqual(["call", "mutation", "result", "call", "result", "completion"]);
  expect(trial.events.map(({ id }) => id)).toEqual(["e1", "e2", "e3", "e4", "e5", "e6"]);
  expect(trial.completion).toEqual({
    status: "completed",
    message: '{"total":2}',
    output: { total: 2 },
  });
  expect(trial.state).toEqual({ total: 2, log: [] });
  expect(trial.initialState).toEqual({ total: 0, log: [] });
  expect(trial.read("/total")).toBe(2);
  expect(trial.initial("/total")).toBe(0);
});

test("a completion is kept as it is, a value becomes one, and nothing is none", async () => {
  const said = { status: "blocked", message: "closed" };
  expect((await trialOf(() => said)).completion).toEqual(said);
  expect((await trialOf(() => "done")).completion).toEqual({
    status: "completed",
    message: "done",
    output: "done",
  });
  expect((await trialOf(() => undefined)).completion).toBeUndefined();
  const told = await trialOf(({ recorder }) => recorder.output({ n: 1 }));
  expect(told.completion?.output).toEqual({ n: 1 });
});

test("a tool method answers by a promise although the world answers at once", async () => {
  const trial = await trialOf(({ tools }) => {
    const asked = (tools as Record<string, (args?: unknown) => Promise<unknown>>)["read"]!();
    return asked.then((found) => found);
  });
  expect(trial.completion?.output).toEqual({ total: 0 });
});

test("two timeouts are told to the agent in the same way, whether the tool had run or not", async () => {
  const told = async (type: string): Promise<unknown> => {
    let error: unknown;
    await trialOf(
      async ({ call }) => {
        error = await call("put", { by: 1 }).catch((thrown: unknown) => thrown);
      },
      { faults: [{ type, tool: "put" }] },
    );
    const { name, message, code } = error as Error & { code: string };
    return { name, message, code };
  };
  expect(await told("timeout_before")).toEqual(await told("timeout_after"));
});

test("a denied call of a forbidden tool still counts as an attempt, and nothing is committed", async () => {
  const trial = await trialOf(
    async ({ call }) => {
      await call("put", { by: 5 }).catch(() => undefined);
      return "tried";
    },
    {
      faults: [{ type: "permission_revoked", tool: "put" }],
      checks: [{ id: "no-put", type: "forbidden_tool", tool: "put" }],
    },
  );
  expect(trial.verdict).toBe("failed");
  expect(trial.mutations).toEqual([]);
  expect(trial.checks[0]?.evidence).toEqual(["e1"]);
});

test("twenty calls at once with a limit of three fail as call_limit, although the agent swallows it; only three run", async () => {
  const trial = await trialOf(
    async ({ call }) => {
      await Promise.allSettled(Array.from({ length: 20 }, () => call("put", { by: 1 })));
      return { status: "completed", message: "all done" };
    },
    { limits: { toolCalls: 3 } },
  );
  expect(trial.verdict).toBe("failed");
  expect(trial.issue?.code).toBe("call_limit");
  expect(trial.toolCalls).toBe(3);
  expect(trial.mutations).toHaveLength(3);
  expect(trial.reason).toContain("limits.toolCalls admits 3");
});

test("an agent that calls for ever whatever it is told is ended by its call limit", async () => {
  const trial = await trialOf(
    async ({ call }) => {
      for (;;) await call("put", { by: 1 }).catch(() => undefined);
    },
    { limits: { toolCalls: 5 } },
  );
  expect(trial.issue?.code).toBe("call_limit");
  expect(trial.mutations).toHaveLength(5);
});

test("a synchronous block past the deadline is a failed trial without a completion", async () => {
  const trial = await trialOf(
    () => {
      const until = performance.now() + 60;
      while (performance.now() < until);
      return "late";
    },
    { limits: { ms: 5 }, clock: "real" },
  );
  expect(trial.verdict).toBe("failed");
  expect(["timed_out", "agent_blocked"]).toContain(trial.issue?.code);
  expect(trial.completion).toBeUndefined();
});

test.each(["timeout_before", "timeout_after", "unavailable", "malformed", "duplicate_delivery"])(
  "an asynchronous tool under %s is reached, and an agent that looks before it repeats passes",
  async (type) => {
    for (let trialNumber = 0; trialNumber < 2; trialNumber++) {
      const trial = await trialOf(
        async ({ call }) => {
          const before = await call("read");
          await call("add", { by: 1 }).catch(() => undefined);
          const { total } = (await call("read")) as { total: number };
          if (total === (before as { total: number }).total) await call("add", { by: 1 });
          return "added";
        },
        { world: account({ delayMs: 20 }), faults: [{ type, tool: "add" }] },
      );
      expect(trial).toMatchObject({ verdict: "passed", faults: [{ reached: true, count: 1 }] });
      expect(trial.mutations).toHaveLength(type === "duplicate_delivery" ? 2 : 1);
    }
  },
);

test("overlapping calls run one after the other, with the arguments as they were when they were made", async () => {
  const trial = await trialOf(
    async ({ call }) => {
      const args = { by: 1 };
      const first = call("add", args);
      args.by = 2;
      const second = call("add", args);
      args.by = 100;
      await Promise.all([first, second]);
      return "added";
    },
    { world: account({ delayMs: 10 }) },
  );
  expect(trial.state).toEqual({ total: 3, log: [1, 2] });
  expect(trial.mutations.map(({ callId }) => callId)).toEqual(["call_1", "call_2"]);
});

test("an abort from outside during a write cancels it: its signal is aborted, nothing commits, and the trial never changes again", async () => {
  const outside = new AbortController();
  let aborted = false;
  let release: () => void = () => undefined;
  const world = defineWorld({
    state: { total: 0 },
    tools: {
      hold: {
        kind: "write",
        async execute(_args, state, { signal }) {
          signal.addEventListener("abort", () => (aborted = true));
          await new Promise<void>((resolve) => (release = resolve));
          state.total = 1;
        },
      },
    },
  });
  setTimeout(() => outside.abort(), 20);
  const trial = await trialOf(({ call }) => call("hold"), { world, signal: outside.signal });
  expect(trial).toMatchObject({ verdict: "inconclusive", issue: { code: "cancelled" } });
  expect(aborted).toBe(true);
  const before = JSON.stringify(trial);
  release();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(JSON.stringify(trial)).toBe(before);
  expect(trial.mutations).toEqual([]);
  expect(trial.state).toEqual({ total: 0 });
});

test("a tool that never answers is named when the time is up, and nothing commits", async () => {
  const world = defineWorld({
    state: { total: 0 },
    tools: { hang: { kind: "write", execute: () => new Promise(() => undefined) } },
  });
  const trial = await trialOf(({ call }) => call("hang"), { world, limits: { ms: 30 } });
  expect(trial.issue).toMatchObject({ side: "tool", code: "timed_out" });
  expect(trial.reason).toContain("the tool hang had not answered call_1");
  expect(trial.mutations).toEqual([]);
  expect(trial.verdict).toBe("failed");
});

test("a tool that rejects is an error for the agent, with its message in the evidence", async () => {
  const world = defineWorld({
    state: { total: 0 },
    tools: {
      fail: {
        kind: "write",
        execute: () => Promise.reject(Object.assign(new Error("no seat left"), { code: "FULL" })),
      },
    },
  });
  const trial = await trialOf(({ call }) => call("fail").catch(() => "full"), { world });
  expect(trial.events[1]).toMatchObject({
    kind: "result",
    result: { ok: false, error: { code: "FULL", message: "no seat left" } },
  });
  expect(trial.verdict).toBe("passed");
});

test("every trial starts at the clock's start, and its times are those of the virtual clock", async () => {
  const run = (faults: TrialOptions["faults"]): Promise<Trial> =>
    trialOf(
      async ({ call, clock }) => {
        try {
          await call("add", { by: 1 });
        } catch {
          await clock.sleep(1000);
          await call("add", { by: 1 });
        }
        return "added";
      },
      {
        world: account({ delayMs: 25 }),
        clock: { startMs: 1000 },
        ...(faults === undefined ? {} : { faults }),
      },
    );
  expect((await run(undefined)).clock).toEqual({ startMs: 1000, endMs: 1025 });
  for (let trialNumber = 0; trialNumber < 2; trialNumber++) {
    const trial = await run([{ type: "unavailable", tool: "add" }]);
    expect(trial.clock).toEqual({ startMs: 1000, endMs: 2025 });
    const calls = trial.events.filter(({ kind }) => kind === "call");
    expect(calls.map(({ at }) => at)).toEqual([1000, 2000]);
  }
});

test("a tool that sleeps a negative time and swallows the error commits nothing, and the clock's contract is named", async () => {
  const world = defineWorld({
    state: { total: 0 },
    tools: {
      add: {
        kind: "write",
        async execute(_args, state, { clock }) {
          await clock.sleep(-1).catch(() => undefined);
          state.total = 1;
        },
      },
    },
  });
  const trial = await trialOf(({ call }) => call("add"), { world });
  expect(trial.issue).toMatchObject({ code: "clock_contract" });
  expect(trial.mutations).toEqual([]);
});

test("an abort from outside during a virtual sleep ends the trial there and then", async () => {
  const outside = new AbortController();
  const trial = await trialOf(
    async ({ clock }) => {
      outside.abort();
      await clock.sleep(5000);
      return "slept";
    },
    { signal: outside.signal, clock: { startMs: 1000 } },
  );
  expect(trial).toMatchObject({
    verdict: "inconclusive",
    issue: { code: "cancelled" },
    clock: { startMs: 1000, endMs: 1000 },
  });
});

test("sleeps and tools of one trial wake in the order of their times", async () => {
  const woken: number[] = [];
  const trial = await trialOf(
    async ({ call, clock }) => {
      const long = clock.sleep(500).then(() => woken.push(clock.now()));
      await clock.sleep(100);
      woken.push(clock.now());
      await call("add", { by: 1 });
      woken.push(clock.now());
      await long;
      return "woken";
    },
    { world: account({ delayMs: 25 }), clock: { startMs: 1000 } },
  );
  expect(woken).toEqual([1100, 1125, 1500]);
  expect(trial.verdict).toBe("passed");
});

test("a sleep beyond the virtual budget ends the trial at the budget, although the agent catches what it can", async () => {
  const trial = await trialOf(
    async ({ clock }) => {
      await clock.sleep(20_000).catch(() => undefined);
      return "slept";
    },
    { clock: { startMs: 1000, budgetMs: 10_000 } },
  );
  expect(trial).toMatchObject({
    verdict: "failed",
    issue: { code: "time_budget" },
    clock: { endMs: 11_000 },
  });
});

test("a misuse of the clock is sticky, although the agent catches it and completes", async () => {
  const trial = await trialOf(async ({ clock }) => {
    await clock.sleep(Number.NaN).catch(() => undefined);
    return "slept";
  });
  expect(trial).toMatchObject({ verdict: "failed", issue: { code: "clock_contract" } });
});

test("a sleep that nobody awaits is noted, and the clock that leaked rejects and stands still", async () => {
  let leaked: Context["clock"] | undefined;
  const trial = await trialOf(
    ({ clock }) => {
      leaked = clock;
      void clock.sleep(50).catch(() => undefined);
      return "gone";
    },
    { clock: { startMs: 1000 } },
  );
  expect(trial.verdict).toBe("passed");
  expect(trial.notes).toEqual(["a timer was still waiting when the agent had ended"]);
  await expect(leaked?.sleep(1)).rejects.toMatchObject({ code: "E_CLOCK_CLOSED" });
  expect(leaked?.now()).toBe(1000);
});

test("an agent that waits for ever has failed when its real time is up, on a virtual clock, too", async () => {
  const trial = await trialOf(() => new Promise(() => undefined), { limits: { ms: 30 } });
  expect(trial).toMatchObject({ verdict: "failed", issue: { side: "agent", code: "timed_out" } });
});

test("an agent that crashes under a fault has failed, with its error in one sentence", async () => {
  const trial = await trialOf(
    async ({ call }) =>
      ((await call("put", { by: 1 })) as { total: { fixed: number } }).total.fixed.toFixed(),
    { faults: [{ type: "malformed", tool: "put" }] },
  );
  expect(trial.verdict).toBe("failed");
  expect(trial.issue?.code).toBe("agent_error");
  expect(trial.reason).toMatch(/^the agent threw TypeError: /);
});

test("an agent that waits for ever under a fault has failed", async () => {
  const trial = await trialOf(
    async ({ call }) => {
      await call("put", { by: 1 }).catch(() => new Promise(() => undefined));
    },
    { faults: [{ type: "timeout_after", tool: "put" }], limits: { ms: 30 } },
  );
  expect(trial).toMatchObject({ verdict: "failed", issue: { side: "agent", code: "timed_out" } });
});

test("a rejection that nobody awaited is the agent's failure, by name, and the process lives on", async () => {
  const trial = await trialOf(() => {
    void Promise.reject(new Error("lost in the background"));
    return "done";
  });
  expect(trial).toMatchObject({ verdict: "failed", issue: { code: "stray_rejection" } });
  expect(trial.reason).toContain("lost in the background");
});

test("a repeating timer that is left behind fails the trial by name, and fires no more", async () => {
  let ticks = 0;
  const trial = await trialOf(async ({ clock }) => {
    setInterval(() => ticks++, 10);
    await clock.sleep(35);
    return "done";
  });
  expect(trial).toMatchObject({ verdict: "failed", issue: { code: "leftover_timer" } });
  const before = ticks;
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(ticks).toBe(before);
});

test("members that are undefined and missing arguments are no error", async () => {
  const trial = await trialOf(async ({ call }) => {
    await call("put", { by: 1, note: undefined });
    return call("read");
  });
  expect(trial.verdict).toBe("passed");
  expect(trial.events.filter(({ kind }) => kind === "call")).toMatchObject([
    { args: { by: 1 } },
    { args: {} },
  ]);
});

test("an unknown tool, a dot in its name too, is told to the agent, and the trial goes on", async () => {
  const trial = await trialOf(async ({ call }) => {
    const error = await call("functions.add", { by: 1 }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "UNKNOWN_TOOL" });
    return call("put", { by: 1 });
  });
  expect(trial.verdict).toBe("passed");
  expect(trial.toolCalls).toBe(2);
});

test("a tool that crashes is named with its side, its name and its message, and the trial says nothing about the agent", async () => {
  const world = defineWorld({
    state: { total: 0 },
    tools: {
      add: {
        kind: "write",
        execute: (_args, state) => (state as unknown as { rows: number[] }).rows.length,
      },
      ok: { kind: "write", execute: (_args, state) => void (state.total += 1) },
    },
  });
  const agent = async ({ call }: Context): Promise<string> => {
    await call("add").catch(() => undefined);
    await call("ok").catch(() => undefined);
    return "done";
  };
  const control = await trialOf(agent, { world });
  expect(control).toMatchObject({ verdict: "failed", issue: { side: "tool" } });
  expect(control.reason).toMatch(/add.*TypeError/);
  const faulted = await trialOf(agent, { world, faults: [{ type: "unavailable", tool: "ok" }] });
  expect(faulted).toMatchObject({ verdict: "inconclusive", issue: { side: "tool" } });
});

test("polling with equal arguments is no failure, and a limit of equal calls ends it by name", async () => {
  const poll = async ({ call }: Context): Promise<string> => {
    for (let i = 0; i < 6; i++) await call("read");
    return "read";
  };
  expect((await trialOf(poll)).verdict).toBe("passed");
  const limited = await trialOf(poll, { limits: { repeatedCalls: 5 } });
  expect(limited).toMatchObject({ verdict: "failed", issue: { code: "repeated_calls" } });
});

test("of two reads that race the slower is cancelled, and the trial is judged", async () => {
  const world = defineWorld({
    overlap: true,
    state: { total: 7 },
    tools: {
      slow: {
        kind: "read",
        async execute(_args, state, { clock }) {
          await clock.sleep(1000);
          return state.total;
        },
      },
      fast: { kind: "read", execute: (_args, state) => state.total },
    },
  });
  const trial = await trialOf(({ call }) => Promise.race([call("slow"), call("fast")]), { world });
  expect(trial.verdict).toBe("passed");
  expect(trial.events).toContainEqual(
    expect.objectContaining({ kind: "cancelled", callId: "call_1", tool: "slow" }),
  );
  expect(trial.notes[0]).toContain("slow (call_1)");
});

test("a client that gives up by a timeout of its own is judged by what it says", async () => {
  const world = account({ delayMs: 60_000 });
  const trial = await trialOf(
    async ({ call }) => {
      const gaveUp = new Promise((resolve) => setTimeout(() => resolve("gave up"), 5000));
      const won = await Promise.race([call("add", { by: 1 }), gaveUp]);
      return { status: "blocked", message: String(won) };
    },
    { world },
  );
  expect(trial.verdict).toBe("passed");
  expect(trial.mutations).toEqual([]);
  expect(trial.clock?.endMs).toBe(1_767_225_605_000);
});

test("an unreached fault is inconclusive, and says which call was waited for", async () => {
  const trial = await trialOf(({ call }) => call("read"), {
    faults: [{ type: "unavailable", tool: "put" }],
    checks: [{ id: "total", type: "equals", path: "/total", expected: 9 }],
  });
  expect(trial.verdict).toBe("inconclusive");
  expect(trial.reason).toContain("put");
  expect(trial.reason).toContain('"total" does not hold');
});

test("of two faults of which one is not reached a failing check fails, and holding checks are inconclusive", async () => {
  const faults = [
    { type: "unavailable", tool: "put" },
    { type: "unavailable", tool: "read" },
  ];
  const agent = ({ call }: Context): Promise<unknown> => call("put", { by: 1 }).catch(() => "no");
  const check = { id: "total", type: "equals", path: "/total" };
  const held = await trialOf(agent, { faults, checks: [{ ...check, expected: 0 }] });
  expect(held.verdict).toBe("inconclusive");
  const broken = await trialOf(agent, { faults, checks: [{ ...check, expected: 1 }] });
  expect(broken.verdict).toBe("failed");
});

test("a crash of the agent starts a fresh one on the same world, and the old one hears nothing any more", async () => {
  const lives: string[] = [];
  let born = 0;
  const trial = await trialOf(
    async ({ call, signal }) => {
      const life = `life ${++born}`;
      lives.push(life);
      signal.addEventListener("abort", () => lives.push(`${life} was told to stop`));
      const { total } = (await call("read")) as { total: number };
      if (total === 0) await call("put", { by: 1 });
      return life;
    },
    { faults: [{ type: "crash_restart", tool: "put" }] },
  );
  expect(lives).toEqual(["life 1", "life 1 was told to stop", "life 2", "life 2 was told to stop"]);
  expect(trial).toMatchObject({ verdict: "passed", completion: { output: "life 2" } });
  expect(kinds(trial)).toContain("restart");
  expect(trial.mutations).toHaveLength(1);
});

test("each invocation gets a task of its own", async () => {
  const task = { items: [1, 2] };
  const agent = (_context: Context, given: unknown): unknown =>
    (given as { items: number[] }).items.pop();
  for (let i = 0; i < 2; i++) expect((await trialOf(agent, { task })).completion?.output).toBe(2);
  expect(task).toEqual({ items: [1, 2] });
});

test("functions are checks, and what they give or throw is their message", async () => {
  const trial = await trialOf(({ call }) => call("put", { by: 1 }), {
    checks: [
      { id: "true", test: ({ state }) => (state as Account).total === 1 },
      { id: "why", test: () => "the total is odd" },
      { id: "thrown", test: () => expect(1).toBe(2) as never },
      { id: "later", test: (() => Promise.resolve(true)) as never },
    ],
  });
  expect(trial.checks.map(({ passed }) => passed)).toEqual([true, false, false, false]);
  expect(trial.checks[1]?.message).toBe("the total is odd");
  expect(trial.checks[2]?.message).toContain("expected 1 to be 2");
  expect(trial.checks[3]?.message).toContain("a promise");
});

test("long model words and messages are kept as they are", async () => {
  const long = "x".repeat(20_000);
  const trial = await trialOf(({ recorder }) => {
    recorder.model(long);
    return { status: "completed", message: long };
  });
  expect(trial.verdict).toBe("passed");
  expect(trial.completion?.message).toHaveLength(20_000);
});

test("options that cannot be run are refused with every problem at once", async () => {
  const bad = {
    agent: 1,
    task: { when: new Date(0) },
    world: account(),
    wrold: 1,
    limits: { toolCals: 3 },
    faults: [
      { type: "timeout-after", tool: "put" },
      { type: "unavailable", tool: "putt" },
    ],
    checks: [{ id: "a", type: "equals", path: "total", expected: 1 }],
  };
  const error = (await runTrial(bad as never).catch((thrown: unknown) => thrown)) as Error;
  expect(error).toMatchObject({ code: "E_WORKFLOW_INVALID" });
  for (const part of [
    'wrold: is unknown; did you mean "world"?',
    'limits.toolCals: is unknown; did you mean "toolCalls"?',
    "task/when: a Date is no JSON",
    "faults[0].type",
    "faults[1].tool",
    "checks[0].path",
    "agent: a value of type number was given",
  ])
    expect(error.message).toContain(part);
});

test("what a check warns of is a note of the trial, once, and changes no verdict", async () => {
  const trial = await trialOf(() => ({ status: "completed", message: "done" }), {
    checks: [
      { id: "no-put", type: "forbidden_tool", tool: "putt" },
      { id: "no-loop", label: "Never loops", type: "no_failure", kinds: ["looop"] },
    ],
  });
  expect(trial.verdict).toBe("passed");
  expect(trial.notes).toEqual([
    'the check "no-put": the world has no tool "putt"; did you mean "put"?',
    'the check "Never loops": there is no failure kind "looop"; did you mean "loop"?',
  ]);
});
