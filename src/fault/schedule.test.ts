import { expect, test } from "vitest";
import type { Json } from "../shared/json.ts";
import { faultTrial, type FaultTrial, type Script } from "../testing/fault-trial.ts";
import { tillWorld } from "../testing/till-world.ts";
import { fault } from "./build.ts";
import type { Fault } from "./fault.ts";

type Step = readonly [tool: string, args?: { readonly [key: string]: Json }];

function calls(...steps: readonly Step[]): (script: Script) => Promise<void> {
  return async ({ call }) => {
    for (const [tool, args] of steps) await call(tool, args);
  };
}

function run(faults: readonly Fault[], ...steps: readonly Step[]): Promise<FaultTrial> {
  return faultTrial(tillWorld(), faults, calls(...steps));
}

function codes({ told }: FaultTrial): unknown[] {
  return told.map(({ result }) => (result.ok ? "ok" : result.error.code));
}

async function waited(one: Fault, ...steps: readonly Step[]): Promise<string | undefined> {
  return (await run([one], ...steps)).outcomes[0]?.waitedFor;
}

test("occurrence 2 repeat 2 of four calls hits the second and the third", async () => {
  const hit = fault.unavailable("add", { occurrence: 2, repeat: 2 });
  const trial = await run([hit], ["add"], ["look"], ["add"], ["add"], ["add"]);
  expect(codes(trial)).toEqual(["ok", "ok", "SERVICE_UNAVAILABLE", "SERVICE_UNAVAILABLE", "ok"]);
  expect(trial.reached.map(({ callId, about }) => [callId, about])).toEqual([
    ["call_3", { occurrence: 2 }],
    ["call_4", { occurrence: 3 }],
  ]);
});

test("a fault can be chosen by a part of the arguments", async () => {
  const hit = fault.unavailable("put", { match: { value: { id: 7 } } });
  const trial = await run(
    [hit],
    ["put", { value: { id: 6 } }],
    ["put", { value: { id: 7, note: "x" } }],
    ["put", { value: { id: 7 } }],
  );
  expect(codes(trial)).toEqual(["ok", "SERVICE_UNAVAILABLE", "ok"]);
});

test("occurrences can be counted for each set of arguments", async () => {
  const hit = fault.unavailable("put", { occurrence: 2, per: "arguments" });
  const steps = ["a", "b", "a", "b", "a"].map((value): Step => ["put", { value }]);
  expect(codes(await run([hit], ...steps))).toEqual([
    "ok",
    "ok",
    "SERVICE_UNAVAILABLE",
    "SERVICE_UNAVAILABLE",
    "ok",
  ]);
});

test("a fault's own wording of its error is what the agent gets", async () => {
  const own = { code: 503, message: "come back later", retryable: false, delayMs: 200 };
  const { told } = await run([fault.unavailable("add", own)], ["add"]);
  expect(told[0]).toEqual({
    callId: "call_1",
    tool: "add",
    at: 200,
    result: {
      ok: false,
      error: {
        name: "ServiceUnavailableError",
        code: 503,
        message: "come back later",
        retryable: false,
      },
    },
  });
});

test("one scenario has faults of two tools, and one after the other", async () => {
  const faults = [
    fault.timeoutAfter("add"),
    fault.unavailable("look", { occurrence: 2 }),
    fault.malformed("add", { occurrence: 2 }),
  ];
  const trial = await run(faults, ["add"], ["look"], ["look"], ["add"]);
  expect(codes(trial)).toEqual(["TIMEOUT", "ok", "SERVICE_UNAVAILABLE", "ok"]);
  expect(trial.outcomes.map(({ count }) => count)).toEqual([1, 1, 1]);
  expect(trial.mutations.map(({ callId }) => callId)).toEqual(["call_1", "call_4"]);
});

test("of two faults at one call the first of the list is the outermost", async () => {
  const both = [fault.timeoutAfter("add"), fault.duplicateDelivery("add")];
  const twice = await run(both, ["add"]);
  expect([codes(twice), twice.mutations.length]).toEqual([["TIMEOUT"], 2]);
  const slow = await run([fault.slowResponse("add"), fault.unavailable("add")], ["add"]);
  expect([codes(slow), slow.told[0]?.at]).toEqual([["SERVICE_UNAVAILABLE"], 10_000]);
  const covered = await run([fault.unavailable("add"), fault.malformed("add")], ["add"]);
  expect(covered.outcomes.map(({ reached }) => reached)).toEqual([true, false]);
  expect(covered.outcomes[1]?.waitedFor).toContain("another fault answered it");
});

test("a fault further in has its say in each delivery of one further out", async () => {
  const revoked = fault.permissionRevoked("add", { occurrence: 2 });
  const trial = await run(
    [fault.duplicateDelivery("add", { occurrence: 3 }), revoked],
    ["add"],
    ["add"],
    ["add"],
  );
  expect(codes(trial)).toEqual(["ok", "PERMISSION_DENIED", "PERMISSION_DENIED"]);
  expect(trial.mutations).toHaveLength(1);
  const cut = await run([fault.duplicateDelivery("add"), fault.partialWrite("add")], ["add"]);
  expect(cut.mutations.map(({ changes }) => changes.length)).toEqual([1, 1]);
});

test("each fault counts the agent's calls, also those that another fault answered", async () => {
  const faults = [fault.unavailable("add"), fault.timeoutBefore("add", { occurrence: 2 })];
  expect(codes(await run(faults, ["add"], ["add"], ["add"]))).toEqual([
    "SERVICE_UNAVAILABLE",
    "TIMEOUT",
    "ok",
  ]);
});

test("an unreached fault says which call was waited for and what came instead", async () => {
  const says = [
    await waited(fault.timeoutAfter("add"), ["look"]),
    await waited(fault.timeoutAfter("add", { occurrence: 2 }), ["add"]),
    await waited(fault.timeoutAfter("add", { occurrence: 5 }), ["add"], ["add"], ["add"]),
    await waited(fault.timeoutAfter("add", { match: { amount: 7 } }), ["add"], ["add"]),
    await waited(
      fault.timeoutAfter("add", { occurrence: 2, match: { amount: 7 } }),
      ["add", { amount: 7 }],
      ["add"],
    ),
    await waited(fault.timeoutAfter("add"), ["add", { fail: true }]),
    await waited(fault.staleRead("look"), ["look"], ["look", { ms: 1 }]),
    await waited(fault.staleRead("look"), ["look"], ["look"]),
    await waited(fault.paginationLoss("tell"), ["tell", { value: { rows: [] } }]),
    await waited(fault.partialWrite("put"), ["put", { value: 1 }]),
    await waited(fault.silentNoop("put"), ["put"]),
    await waited(fault.poisonedDescription("add"), ["add"]),
  ];
  expect(says.join("\n")).toMatchInlineSnapshot(`
    "waited for the 1st call of add; it was never called
    waited for the 2nd call of add; it was called once
    waited for the 5th call of add; it was called 3 times
    waited for the 1st call of add with {"amount":7}; it was called twice, never with these arguments
    waited for the 2nd call of add with {"amount":7}; it was called twice, once with these arguments
    waited for the 1st call of add; it came (call_1), but its result was an error
    waited for the 2nd call of look with equal arguments; it was called twice, at most once with equal arguments
    waited for the 2nd call of look with equal arguments; it came (call_2), but its result was equal to the earlier one
    waited for the 1st call of tell; it came (call_1), but its data has no list with such an item
    waited for the 1st call of put; it came (call_1), but it made no more changes than that
    waited for the 1st call of put; it came (call_1), but it would have changed nothing
    waited for the agent to read the catalog of tools; it never did"
  `);
});

test("a type that is unknown cannot be armed", async () => {
  await expect(run([{ type: "quake", tool: "add" }], ["add"])).rejects.toThrow(
    /there is no fault type "quake"\. Use one of timeout_after, /,
  );
});
