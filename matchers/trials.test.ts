import { expect, expectTypeOf, test } from "vitest";
import { fault } from "../src/fault/build.ts";
import type { Fault } from "../src/fault/fault.ts";
import { call, failed, traceOf } from "../src/testing/traces.ts";
import { defineWorld } from "../src/world/define.ts";
import { runTrial } from "../src/workflow/trial.ts";
import type { Trial } from "../src/workflow/trial-result.ts";
import type { WorkflowCheck } from "../src/workflow/workflow.ts";
import * as builtin from "./builtin.ts";
import { trialMessage } from "./trial-message.ts";
import type { TwiceshyMatchers } from "./typed.ts";

expect.extend(builtin);

interface Own<R> extends TwiceshyMatchers<R> {}
type Own_ = Own<void>;
declare global {
  namespace Chai {
    interface Assertion extends Own_ {}
  }
}

interface Bookings {
  bookings: { slot: string; key: string }[];
  other: number;
}

const START: Bookings = { bookings: [], other: 1 };

const world = defineWorld({
  name: "calendar",
  state: START,
  tools: {
    list_bookings: {
      kind: "read",
      execute: (_args: object, state: Bookings) => state.bookings,
    },
    reserve_slot: {
      kind: "write",
      execute({ slot, key }: { slot: string; key: string }, state: Bookings) {
        if (!state.bookings.some((booking) => booking.key === key)) {
          state.bookings.push({ slot, key });
        }
        return { ok: true, data: { slot } };
      },
    },
    cancel_slot: {
      kind: "write",
      execute(_args: object, state: Bookings) {
        state.bookings.pop();
        return null;
      },
    },
  },
});

type Context = { readonly call: (tool: string, args?: object) => Promise<unknown> };

/** Books with one key for each attempt, or with one for the task. */
function booker(keys: "attempt" | "task") {
  return async (_task: unknown, { call: ask }: Context): Promise<unknown> => {
    for (let attempt = 1; attempt <= 3; attempt++) {
      const key = keys === "task" ? "k" : `k${attempt}`;
      try {
        await ask("reserve_slot", { slot: "slot_42", key });
        return { status: "completed", message: "Booked slot_42" };
      } catch {
        // Tries again.
      }
    }
    return { status: "blocked", message: "The slot could not be booked." };
  };
}

/** Claims success whatever happened. */
async function liar(_task: unknown, { call: ask }: Context): Promise<unknown> {
  await ask("reserve_slot", { slot: "slot_42", key: "k" }).catch(() => undefined);
  return { status: "completed", message: "Booked slot_42" };
}

const LOST = [fault.timeoutAfter("reserve_slot")];

async function run(
  agent: (task: never, context: never) => unknown,
  faults: readonly Fault[] = [],
  checks: readonly WorkflowCheck[] = [],
): Promise<Trial> {
  return runTrial({ agent, task: "Book slot_42.", world, faults, checks });
}

function messageOf(fail: () => void): string {
  try {
    fail();
  } catch (thrown) {
    return (thrown as Error).message;
  }
  throw new Error("the matcher passed");
}

test("toHaveExactlyOneMutation passes for a stable key under a lost confirmation", async () => {
  const trial = await run(booker("task"), LOST);
  expect(trial).toHaveReachedFault();
  expect(trial).toHaveExactlyOneMutation();
  expect(trial).toHaveExactlyOneMutation({ tool: "reserve_slot", path: "/bookings" });
  expect(trial).not.toHaveExactlyOneMutation({ tool: "cancel_slot" });
  expect(trial).toHaveMutations(0, { tool: "cancel_slot" });
});

test("a second booking fails toHaveExactlyOneMutation with the schedule, the mutations, what was told and said, and the calls", async () => {
  const trial = await run(booker("attempt"), LOST);
  expect(trial).toHaveMutations(2, { tool: "reserve_slot" });
  expect(trial).not.toHaveExactlyOneMutation();
  expect(messageOf(() => expect(trial).toHaveExactlyOneMutation({ tool: "reserve_slot" })))
    .toMatchInlineSnapshot(`
    "expect(trial).toHaveExactlyOneMutation({"tool":"reserve_slot"})

    Expected: exactly one mutation committed by reserve_slot
    Received: 2 mutations

      fault      lost confirmation of reserve_slot
      committed  2 mutations
                 call_1 reserve_slot added /bookings/0 {"key":"k1","slot":"slot_42"}
                 call_2 reserve_slot added /bookings/1 {"key":"k2","slot":"slot_42"}
      told       call_1 reserve_slot -> TIMEOUT (really: ok {"slot":"slot_42"})
      said       completed: "Booked slot_42"
      calls      call_1 reserve_slot({"key":"k1","slot":"slot_42"})
                 call_2 reserve_slot({"key":"k2","slot":"slot_42"})"
  `);
});

test("a matcher about mutations judges what was committed, and its message names an unreached fault", async () => {
  const trial = await run(booker("task"), [fault.timeoutAfter("cancel_slot")]);
  expect(trial).toHaveExactlyOneMutation();
  expect(messageOf(() => expect(trial).toHaveMutations(2))).toMatch(
    /^ {2}fault +NOT REACHED: .*cancel_slot/mu,
  );
  expect(trial).not.toHaveReachedFault();
  expect(messageOf(() => expect(trial).toHaveReachedFault())).toContain("not reached");
});

test("toHaveReachedFault wants every fault, and .not none", async () => {
  const both = [...LOST, fault.timeoutAfter("cancel_slot")];
  const trial = await run(booker("task"), both);
  expect(() => expect(trial).toHaveReachedFault()).toThrow("cancel_slot");
  expect(() => expect(trial).not.toHaveReachedFault()).toThrow("no fault to be reached");
});

test("toHaveReachedFault refuses a trial without faults, and a type that the trial has not", async () => {
  const control = await run(booker("task"));
  expect(messageOf(() => expect(control).toHaveReachedFault())).toMatchInlineSnapshot(
    `"Failed to use toHaveReachedFault(): the trial was run without any fault. Give the trial the fault, as in faults: [fault.timeoutAfter(tool)]."`,
  );
  const trial = await run(booker("task"), LOST);
  expect(trial).toHaveReachedFault("timeout_after");
  expect(
    messageOf(() => expect(trial).not.toHaveReachedFault("timeout_aftr")),
  ).toMatchInlineSnapshot(
    `"Failed to use toHaveReachedFault(): the trial has no fault "timeout_aftr", it has timeout_after. Did you mean "timeout_after"."`,
  );
});

test("toHaveUnchanged takes a pointer, and says what it was and is", async () => {
  const trial = await run(booker("task"));
  expect(trial).toHaveUnchanged("/other");
  expect(trial).toHaveUnchanged("/nowhere");
  expect(trial).not.toHaveUnchanged("/bookings");
  expect(messageOf(() => expect(trial).toHaveUnchanged("/bookings"))).toContain(
    "/bookings was [] at the start",
  );
  expect(() => expect(trial).toHaveUnchanged("bookings")).toThrow('write "/bookings"');
});

test("toHaveRecoveredFrom wants a later success of the same tool", async () => {
  expect(await run(booker("task"), LOST)).toHaveRecoveredFrom("reserve_slot");
  const blocked = await run(booker("task"), [fault.unavailable("reserve_slot", { repeat: 3 })]);
  expect(blocked).not.toHaveRecoveredFrom("reserve_slot");
  const control = await run(booker("task"));
  expect(
    messageOf(() => expect(control).toHaveRecoveredFrom("reserve_slot")),
  ).toMatchInlineSnapshot(
    `"Failed to use toHaveRecoveredFrom("reserve_slot"): no call of it failed, so there was nothing to recover from. Give the trial a fault that this tool meets, or leave the matcher out."`,
  );
  expect(() => expect(control).not.toHaveRecoveredFrom("reserve_slot")).toThrow("nothing to");
});

test("toHaveRecoveredFrom and toHaveCalledToolsInOrder take a trace, too", () => {
  const trace = traceOf([call("list"), failed("get", {}, "busy"), call("get", {}, 1)], {
    output: "ok",
  });
  expect(trace).toHaveRecoveredFrom("get");
  expect(trace).toHaveCalledToolsInOrder(["list", "get"]);
  expect(trace).not.toHaveCalledToolsInOrder(["get", "list"]);
  expect(messageOf(() => expect(trace).toHaveCalledToolsInOrder(["get", "list"])))
    .toMatchInlineSnapshot(`
    "expect(received).toHaveCalledToolsInOrder(["get","list"])

    Expected: calls in the order get, list
    Received: no call of list after get: list, get, get

      - step 0: list
      - step 1: get
      - step 2: get"
  `);
  expect(() => expect(trace).toHaveCalledToolsInOrder([])).toThrow("nothing would be asserted");
});

test("toReportCommittedState fails for a claimed booking that was never made", async () => {
  const lie = await run(liar, [fault.timeoutBefore("reserve_slot")]);
  expect(lie).not.toReportCommittedState();
  expect(messageOf(() => expect(lie).toReportCommittedState())).toMatchInlineSnapshot(`
    "expect(trial).toReportCommittedState()

    Expected: a completion that agrees with what was committed
    Received: the completion says completed: "Booked slot_42", but no call of reserve_slot committed anything; say so, or return the status "blocked"

      fault      timeout before the effect of reserve_slot
      committed  nothing
      told       call_1 reserve_slot -> TIMEOUT
      said       completed: "Booked slot_42"
      calls      call_1 reserve_slot({"key":"k","slot":"slot_42"})"
  `);
  expect(await run(liar, LOST)).toReportCommittedState();
  expect(
    await run(booker("task"), [fault.unavailable("reserve_slot", { repeat: 3 })]),
  ).toReportCommittedState();
});

test("the matchers of replays take a trial, and show it when they fail", async () => {
  const checks: WorkflowCheck[] = [
    { id: "one", label: "Exactly one booking", type: "count", path: "/bookings", expected: 1 },
  ];
  const good = await run(booker("task"), LOST, checks);
  expect(good).toPassChecks();
  expect(good).toHaveCalledTool("reserve_slot", { slot: "slot_42" });
  expect(good).toHaveCalledToolsInOrder(["reserve_slot", "reserve_slot"]);
  expect(good).toStayWithinBudget({ toolCalls: 2 });
  expect(good).not.toHaveFailure("loop");
  const bad = await run(booker("attempt"), LOST, checks);
  expect(bad).not.toPassChecks();
  expect(messageOf(() => expect(bad).toPassChecks())).toContain(
    '"Exactly one booking": /bookings has 2 elements, and 1 is expected',
  );
  expect(messageOf(() => expect(bad).not.toHaveCalledTool("reserve_slot"))).toContain(
    "expect(trial).not.toHaveCalledTool",
  );
  expect(() => expect(good).toPassChecks()).not.toThrow();
  expect(() => expect(bad).toStayWithinBudget({ toolCalls: 1 })).toThrow("2 toolCalls");
});

test("toPassChecks of a trial without any check is an error, because it would assert nothing", async () => {
  const trial = await run(booker("task"));
  expect(() => expect(trial).toPassChecks()).toThrow("the trial has no checks");
});

test("a tool that the world has not, a filter that is none and a promise are refused with a sentence", async () => {
  const trial = await run(booker("task"));
  expect(
    messageOf(() => expect(trial).toHaveMutations(0, { tool: "reserve_slt" })),
  ).toMatchInlineSnapshot(
    `"Failed to use toHaveMutations(): the world has no tool "reserve_slt". Did you mean "reserve_slot"."`,
  );
  expect(
    messageOf(() => expect(trial).toHaveExactlyOneMutation({ tol: "x" } as object)),
  ).toMatchInlineSnapshot(
    `"Failed to use toHaveExactlyOneMutation(): "tol" says not which mutations are meant. Did you mean "tool"? Give { tool, path }, one of them, or nothing."`,
  );
  expect(() => expect(trial).toHaveMutations(-1)).toThrow("no number of mutations");
  expect(() => expect(trial).toHaveMutations(1, { path: "x" })).toThrow('write "/x"');
  expect(messageOf(() => expect(run(liar)).toHaveExactlyOneMutation())).toMatchInlineSnapshot(
    `"Failed to use toHaveExactlyOneMutation(): expect() was given a promise, not a fault trial. Await it first: expect(await runTrial(...))."`,
  );
  expect(() => expect({}).toHaveReachedFault()).toThrow("not a fault trial");
});

test("a trial's message says how it ended, and shows no text of the run as a line of its own", async () => {
  const hostile = "x\n::error::y\u001b[2J\u202e\r\n##[error]z";
  const trial = await run(async (_task: unknown, { call: ask }: Context) => {
    await ask("reserve_slot", { slot: hostile, key: hostile });
    await ask(`tool${hostile}`, { [hostile]: hostile }).catch(() => undefined);
    throw new Error(hostile);
  }, LOST.slice(1));
  const text = trialMessage(trial, { call: hostile, expected: hostile, received: hostile });
  expect(text).toMatch(/^ {2}ended +agent_error/mu);
  expect(text).toMatch(/^ {2}said +nothing/mu);
  expect(text).not.toMatch(/(?!\n)\p{Cc}|^\s*::|##\[|[\u202a-\u202e\u2066-\u2069]/mu);
});

test("many mutations and long values are cut", async () => {
  const trial = await run(async (_task: unknown, { call: ask }: Context) => {
    for (let at = 0; at < 40; at++) {
      await ask("reserve_slot", { slot: "s".repeat(5000), key: `k${at}` });
    }
    return "x".repeat(50_000);
  });
  const text = messageOf(() => expect(trial).toHaveExactlyOneMutation());
  expect(text.split("\n").length).toBeLessThan(25);
  expect(text.length).toBeLessThan(4000);
  expect(text).toContain("and 35 more");
});

test("every matcher gives the same answer on a trial with and without .not, but for those that count attempts", async () => {
  const trials = [
    await run(booker("task")),
    await run(booker("attempt"), LOST),
    await run(liar, [fault.timeoutBefore("reserve_slot"), fault.malformed("list_bookings")]),
  ];
  const given: Partial<Record<keyof typeof builtin, readonly unknown[]>> = {
    toHaveCalledToolsInOrder: [["reserve_slot"]],
    toHaveExactlyOneMutation: [],
    toHaveFailure: ["tool_error"],
    toHaveMutations: [2],
    toHaveRecoveredFrom: ["reserve_slot"],
    toHaveUnchanged: ["/bookings"],
    toReportCommittedState: [],
    toStayWithinBudget: [{ toolCalls: 1, ms: 5 }],
  };
  for (const [name, args] of Object.entries(given)) {
    const matcher = Reflect.get(builtin, name) as (...args: unknown[]) => { pass: boolean };
    const answer = (trial: Trial, isNot: boolean): unknown => {
      try {
        return matcher.apply({ isNot, equals: Object.is }, [trial, ...args]).pass;
      } catch (thrown) {
        return Reflect.get(thrown as object, "code");
      }
    };
    for (const trial of trials) expect(answer(trial, true)).toBe(answer(trial, false));
  }
});

test("the matchers of trials are typed without their received value", () => {
  expectTypeOf<TwiceshyMatchers<void>["toHaveExactlyOneMutation"]>().toEqualTypeOf<
    (which?: { readonly tool?: string; readonly path?: string }) => void
  >();
  expectTypeOf<TwiceshyMatchers<void>["toHaveReachedFault"]>().toEqualTypeOf<
    (type?: string) => void
  >();
  // @ts-expect-error -- a count is a number
  expectTypeOf<Parameters<TwiceshyMatchers<void>["toHaveMutations"]>[0]>().toEqualTypeOf<string>();
});
