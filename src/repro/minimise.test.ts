import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Agent, AgentContext } from "../agent/agent.ts";
import { record } from "../agent/record.ts";
import { detect } from "../detector/detector.ts";
import { anyJson } from "../testing/traces.ts";
import type { Json } from "../shared/json.ts";
import { toRepro } from "./convert.ts";
import { isHandEdited } from "./hash.ts";
import { budgetFor, minimise, type Shown, type WholeRepro } from "./minimise.ts";
import { countParts, partsOf, reduceJson, reduceList } from "./reduce.ts";
import { replay } from "./replay.ts";

test("the parts of a text are the text", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", " ", "\n", ".", "!", "é") }), (text) => {
      expect(partsOf(text).join("")).toBe(text);
    }),
  );
});

test("a reduced list holds and no single item of it can go", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.nat(30)),
      fc.array(fc.nat(30), { maxLength: 4 }),
      async (items, needed) => {
        const wanted = needed.filter((item) => items.includes(item));
        const holds = (candidate: readonly number[]): Promise<boolean> =>
          Promise.resolve(wanted.every((item) => candidate.includes(item)));
        const kept = await reduceList(items, holds);
        expect(new Set(kept)).toEqual(new Set(wanted));
      },
    ),
  );
});

test("a reduced value holds, and reducing it again changes nothing", async () => {
  await fc.assert(
    fc.asyncProperty(anyJson(), fc.nat(6), async (value, seed) => {
      // A property of many values that smaller ones may lose.
      const holds = (candidate: Json): Promise<boolean> =>
        Promise.resolve(
          JSON.stringify(candidate).length >= Math.min(seed * 3, JSON.stringify(value).length),
        );
      const once = await reduceJson(value, holds);
      expect(await holds(once)).toBe(true);
      expect(await reduceJson(once, holds)).toEqual(once);
      expect(countParts(once)).toBeLessThanOrEqual(countParts(value));
    }),
    { numRuns: 50 },
  );
});

/** Reads its orders line by line; a swallowed error of a refund is its bug. */
const clerk = (async (task: string, { tools }: AgentContext) => {
  for (const line of task.split("\n")) {
    const [verb, id] = line.split(" ");
    if (verb === "look") await tools["look"]?.({ id });
    if (verb === "refund") {
      const list = (await tools["list"]?.({})) as { id: string }[];
      if (list.some((item) => item.id === id)) await tools["refund"]?.({ id });
    }
  }
  return "The refund was completed.";
}) as unknown as Agent;

const swallowing = (async (task: never, context: never) => {
  try {
    return await (clerk as (task: never, context: never) => Promise<string>)(task, context);
  } catch {
    return "The refund was completed.";
  }
}) as unknown as Agent;

const orders = Array.from({ length: 300 }, (_, at) => ({
  id: `A-${at}`,
  note: "an order like every other one",
}));
const TASK = [
  "look X-1",
  "look X-2",
  "thanks for your help",
  "look X-3",
  "refund A-7",
  "look X-4",
  "bye",
].join("\n");

async function whole(): Promise<WholeRepro> {
  const tools = {
    look: async ({ id }: { id: string }) => ({ id, found: true }),
    list: async () => orders,
    refund: async () => {
      throw new Error("card closed");
    },
  };
  const trace = await record(swallowing, TASK, { tools, agent: "clerk" });
  const conversion = toRepro(trace, detect(trace), { agent: "clerk" });
  if (!("repro" in conversion)) throw new Error(conversion.unproved.reason);
  return conversion;
}

async function shown({ repro, blobs }: WholeRepro): Promise<Shown> {
  const { verdict, signatures, misses } = await replay(swallowing, repro, {
    blobs,
    agent: "clerk",
  });
  return { verdict, signatures, misses: misses.length };
}

test("minimising leaves out calls, lines of the task and most of a large result, and the rest fails the same way", async () => {
  const given = await whole();
  const before = await shown(given);
  const smallest = await minimise(given, { budget: 500, run: shown });
  expect(smallest.repro.task).toBe("refund A-7");
  expect(smallest.repro.cassette.map(({ tool }) => tool)).toEqual(["list", "refund"]);
  const { blob, result } = smallest.repro.cassette[0]!;
  const list = blob === undefined ? result : smallest.blobs[blob];
  expect(list).toEqual({ ok: true, data: [{ id: "A-7" }] });
  expect(await shown(smallest)).toEqual(before);
  expect(smallest.removed).toHaveLength(3);
  expect(smallest.repro.notes).toContain("Minimised: left out 3 of 5 recorded calls");
  expect(smallest.repro.id).toBe(given.repro.id);
  expect(isHandEdited(smallest.repro)).toBe(true);
});

test("the budget is never overrun, and what was found until then is kept", async () => {
  const given = await whole();
  let runs = 0;
  const result = await minimise(given, {
    budget: 7,
    run: (candidate) => {
      runs += 1;
      return shown(candidate);
    },
  });
  expect(runs).toBe(7);
  expect(result).toMatchObject({ replays: 7, stopped: true });
  expect((await shown(result)).verdict).toBe("still_fails");
});

test("the budget that is proposed is small for a small repro and never more than 200", async () => {
  const given = await whole();
  expect(budgetFor(given)).toBe(200);
  const { repro } = given;
  expect(
    budgetFor({
      repro: { ...repro, task: "refund A-7", cassette: repro.cassette.slice(0, 2) },
      blobs: {},
    }),
  ).toBeLessThan(20);
});

test("a repro that passes now is not minimised: the error says what the verdict is", async () => {
  const run = (): Promise<Shown> =>
    Promise.resolve({ verdict: "passes", signatures: [], misses: 0 });
  await expect(minimise(await whole(), { budget: 10, run })).rejects.toMatchObject({
    code: "E_MINIMISE_VERDICT",
  });
});

test("a repro of which nothing can go stays as it is, byte for byte", async () => {
  const given = await whole();
  const smallest = await minimise(given, { budget: 500, run: shown });
  const again = await minimise(smallest, { budget: 500, run: shown });
  expect(again.removed).toEqual([]);
  expect(again.repro).toEqual(smallest.repro);
});
