import { expect, test } from "vitest";
import { isObject, type Json } from "../shared/json.ts";
import { defineWorld } from "../world/define.ts";
import type { World } from "../world/world.ts";
import { faultTrial, type Script } from "../testing/fault-trial.ts";
import { fault } from "./build.ts";

interface Shelf {
  readonly values: Record<string, Json>;
}

/** `get` takes 5 ms and gives a request id with each answer. */
function shelf(): World {
  const state: Shelf = { values: { a: 1, b: 1 } };
  let requests = 0;
  return defineWorld({
    name: "shelf",
    state,
    tools: {
      get: {
        kind: "read",
        async execute({ key }: { key: string }, { values }: Shelf, { clock }) {
          await clock.sleep(5);
          return values[key] === undefined
            ? { ok: false, error: { code: "NOT_FOUND", message: `no ${key}` } }
            : { value: values[key], requestId: ++requests };
        },
      },
      set: {
        kind: "write",
        execute({ key, value }: { key: string; value: Json }, { values }: Shelf) {
          values[key] = value;
          return null;
        },
      },
    },
  }) as World;
}

const STALE = fault.staleRead("get", { ignore: ["/requestId"] });

function valuesOf(told: readonly { readonly result: { readonly ok: boolean } }[]): unknown[] {
  return told.map(({ result }) =>
    "data" in result && isObject(result.data) ? result.data["value"] : null,
  );
}

const get = ({ call }: Script, key: string): Promise<unknown> => call("get", { key });
const set = ({ call }: Script, key: string, value: Json): Promise<unknown> =>
  call("set", { key, value });

test("a stale read shows the answer from before the write, and names the call that it comes from", async () => {
  const trial = await faultTrial(shelf(), [STALE], async (script) => {
    await get(script, "a");
    await set(script, "a", 2);
    await get(script, "a");
  });
  expect(valuesOf(trial.told)).toEqual([1, null, 1]);
  expect(trial.hidden.map(({ callId }) => callId)).toEqual(["call_3"]);
  expect(trial.order.slice(-3)).toEqual(["hidden call_3", "fault call_3", "told call_3"]);
  expect(trial.reached).toEqual([
    { n: 0, callId: "call_3", about: { occurrence: 2, sourceCallId: "call_1" } },
  ]);
});

test("by default the second read with equal arguments is stale, without being told so", async () => {
  const trial = await faultTrial(shelf(), [fault.staleRead("get")], async (script) => {
    await get(script, "a");
    await set(script, "a", 2);
    await get(script, "a");
  });
  expect(trial.outcomes[0]?.reached).toBe(true);
});

test("reads of other arguments in between do not count: get(a), get(b), set(a), get(a) is stale", async () => {
  const trial = await faultTrial(shelf(), [STALE], async (script) => {
    await get(script, "a");
    await get(script, "b");
    await set(script, "a", 2);
    await get(script, "a");
  });
  expect(valuesOf(trial.told)).toEqual([1, 1, null, 1]);
  expect(trial.outcomes[0]?.reached).toBe(true);
});

test("a request id that differs is no difference when it is ignored", async () => {
  const twice = async (script: Script): Promise<void> => {
    await get(script, "a");
    await get(script, "a");
  };
  const ignoring = await faultTrial(shelf(), [STALE], twice);
  expect(ignoring.outcomes[0]).toMatchObject({
    reached: false,
    waitedFor:
      "waited for the 2nd call of get with equal arguments; it came (call_2), but its result was equal to the earlier one",
  });
  const strict = await faultTrial(shelf(), [fault.staleRead("get")], twice);
  expect(strict.outcomes[0]?.reached).toBe(true);
});

test("a stale read is not reached by other arguments, without a write between, or by failing reads", async () => {
  const scripts = [
    async (script: Script) => {
      await get(script, "a");
      await set(script, "b", 2);
      await get(script, "b");
    },
    async (script: Script) => {
      await get(script, "a");
      await get(script, "a");
    },
    async (script: Script) => {
      await get(script, "x");
      await set(script, "x", 2);
      await get(script, "x");
    },
  ];
  for (const script of scripts)
    expect((await faultTrial(shelf(), [STALE], script)).outcomes[0]?.reached).toBe(false);
});

test("an agent that changes what it was given does not change what is shown again", async () => {
  const trial = await faultTrial(shelf(), [STALE], async (script) => {
    const first = await script.call("get", { key: "a" });
    if (first.ok && isObject(first.data)) first.data["value"] = "changed";
    await set(script, "a", 2);
    await get(script, "a");
  });
  expect(valuesOf(trial.told).at(-1)).toBe(1);
  expect(trial.outcomes[0]?.reached).toBe(true);
});

test("two stale reads are followed by a fresh one, and each takes its time on the clock", async () => {
  const two = fault.staleRead("get", { repeat: 2, ignore: ["/requestId"] });
  const trial = await faultTrial(shelf(), [two], async (script) => {
    await get(script, "a");
    await set(script, "a", 2);
    for (let n = 0; n < 3; n++) await get(script, "a");
  });
  expect(valuesOf(trial.told)).toEqual([1, null, 1, 1, 2]);
  expect(trial.endMs).toBe(20);
});
