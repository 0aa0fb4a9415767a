import * as fc from "fast-check";
import { expect, test } from "vitest";
import { faultTrial, type FaultTrial, type Script } from "../testing/fault-trial.ts";
import { tillWorld } from "../testing/till-world.ts";
import { byCodeUnit, type Json } from "../shared/json.ts";
import { faultProblems } from "./check-fault.ts";
import type { Fault, FaultField, FaultType } from "./fault.ts";
import { faultTypes } from "./known.ts";

const TYPES = [...faultTypes().values()];
const READS = ["look", "tell"];
const WRITES = ["add", "put", "renew"];
const KINDS = new Map([
  ...READS.map((name) => [name, "read"] as const),
  ...WRITES.map((name) => [name, "write"] as const),
]);

interface Planned {
  readonly tool: string;
  readonly args: { readonly [key: string]: Json };
}

function anyCall(tools: readonly string[]): fc.Arbitrary<Planned> {
  const args = fc.record(
    {
      amount: fc.constantFrom(1, 2),
      value: fc.oneof(
        fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>,
        fc.constantFrom<Json>({ order_id: "7", rows: [1, 2] }, [], "", { items: [{ id: "a" }] }),
      ),
      ms: fc.constantFrom(0, 25),
      fail: fc.boolean(),
    },
    { requiredKeys: [] },
  );
  return fc.record({
    tool: fc.constantFrom(...tools),
    args,
  });
}

/** Groups of calls: those of a group are under way together. */
function anyCalls(tools = [...KINDS.keys()]): fc.Arbitrary<Planned[][]> {
  return fc.array(fc.array(anyCall(tools), { minLength: 1, maxLength: 3 }), { maxLength: 5 });
}

function anyValue(shape: FaultField): fc.Arbitrary<Json> {
  if (typeof shape !== "string") return fc.constantFrom(...shape);
  const shapes: Readonly<Record<typeof shape, fc.Arbitrary<Json>>> = {
    json: fc.oneof(
      fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
      fc.constantFrom<Json>("first", 0, { total: "sum" }, { "/total": 5 }),
    ),
    string: fc.constantFrom("x", "/rows", "/items/0/id"),
    code: fc.constantFrom("GONE", 410),
    boolean: fc.boolean(),
    ms: fc.constantFrom(0, 10, 500),
    count: fc.integer({ min: 1, max: 3 }),
    tool: fc.constantFrom(...KINDS.keys()),
    names: fc.constant(["/entries", "/*"]),
  };
  return shapes[shape];
}

function anyFault(types: readonly FaultType[] = TYPES): fc.Arbitrary<Fault> {
  return fc
    .constantFrom(...types)
    .chain((type) =>
      fc.record({
        type: fc.constant(type),
        tool: fc.constantFrom(...KINDS.keys()),
        selection: fc.record(
          {
            occurrence: fc.integer({ min: 1, max: 3 }),
            repeat: fc.integer({ min: 1, max: 2 }),
            per: fc.constantFrom("tool", "arguments"),
            match: fc.constantFrom<Json>({ amount: 1 }, {}),
          },
          { requiredKeys: [] },
        ),
        own: fc.record(
          Object.fromEntries(
            Object.entries(type.fields).map(([field, shape]) => [field, anyValue(shape)]),
          ),
          { requiredKeys: [] },
        ),
      }),
    )
    .map(({ type, tool, selection, own }): Fault =>
      Object.assign({ type: type.type, tool }, type.sample, own, selection),
    )
    .filter((fault) => faultProblems(fault, KINDS).length === 0);
}

function play(calls: readonly Planned[][]): (script: Script) => Promise<void> {
  let at = 0;
  return async ({ call, catalog }) => {
    catalog([{ name: "add" }, { name: "look", description: "Reads." }]);
    // After a crash the fresh agent goes on where the old one died.
    while (at < calls.length) {
      const group = calls[at++] ?? [];
      await Promise.all(group.map(({ tool, args }) => call(tool, args)));
    }
  };
}

function run(faults: readonly Fault[], calls: readonly Planned[][]): Promise<FaultTrial> {
  return faultTrial(tillWorld(), faults, play(calls));
}

/** What an agent and a state show, call by call: all but what a fault says of itself. */
function shown({ told, mutations, state, endMs, restarts, hidden }: FaultTrial): unknown {
  const byCall = told.toSorted((a, b) => byCodeUnit(a.callId, b.callId));
  return { told: byCall, mutations, state, endMs, restarts, hidden };
}

/** Whether a call was carried out later, to no effect: that is known only when the agent was told already. */
function triedLater({ outcomes, hidden }: FaultTrial): boolean {
  const types = new Set(outcomes.map(({ fault }) => fault.type));
  return (types.has("delayed_commit") || types.has("late_redelivery")) && hidden.length > 0;
}

const RUNS = { numRuns: Number(process.env["TWICESHY_FUZZ"] ?? 100) };

test.for(TYPES.map((type) => [type.type, type] as const))(
  "%s that is not reached changes nothing that the agent sees or the state holds",
  async ([, type]) => {
    await fc.assert(
      fc.asyncProperty(anyFault([type]), anyCalls(), async (fault, calls) => {
        const trial = await run([fault], calls);
        if (trial.reached.length > 0 || triedLater(trial)) return;
        expect(shown(trial)).toEqual(shown(await run([], calls)));
        expect(trial.outcomes[0]?.waitedFor).toMatch(/^waited for .+; .+/);
      }),
      { numRuns: RUNS.numRuns / 4 },
    );
  },
);

test("a control has no trace of faults", async () => {
  await fc.assert(
    fc.asyncProperty(anyCalls(), async (calls) => {
      const trial = await run([], calls);
      expect([trial.reached, trial.hidden, trial.outcomes, trial.restarts]).toEqual([
        [],
        [],
        [],
        [],
      ]);
      expect(trial.told).toHaveLength(calls.flat().length);
    }),
    { numRuns: 50 },
  );
});

test("a fault is counted as often as it is said to be reached", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyFault(), { maxLength: 3 }), anyCalls(), async (faults, calls) => {
      const trial = await run(faults, calls);
      trial.outcomes.forEach((outcome, n) => {
        expect(outcome.fault).toEqual(faults[n]);
        expect(outcome.count).toBe(trial.reached.filter((hit) => hit.n === n).length);
        expect(outcome.reached).toBe(outcome.count > 0);
        expect(outcome.waitedFor === undefined).toBe(outcome.reached);
      });
    }),
    RUNS,
  );
});

test("the same faults and calls give the same trial", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyFault(), { maxLength: 3 }), anyCalls(), async (faults, calls) => {
      expect(await run(faults, calls)).toEqual(await run(faults, calls));
    }),
    RUNS,
  );
});

test("under any faults reads change nothing, and every call is answered with JSON or an error", async () => {
  const faults = fc.array(anyFault(), { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(faults, anyCalls(READS), async (armed, calls) => {
      const trial = await run(armed, calls);
      expect(trial.mutations.filter(({ by }) => by === "agent")).toEqual([]);
      expect(trial.issues).toEqual([]);
      for (const { result } of trial.told) {
        expect(JSON.parse(JSON.stringify(result))).toEqual(result);
        expect(result.ok || result.error.message !== "").toBe(true);
      }
      const answered = trial.told.length === calls.flat().length;
      expect(answered || trial.restarts.length > 0).toBe(true);
    }),
    RUNS,
  );
});

test("nothing commits at a call that a fault which commits nothing has hit", async () => {
  const none = TYPES.filter(({ commits }) => commits === "none");
  await fc.assert(
    fc.asyncProperty(anyFault(none), anyCalls(WRITES), async (fault, calls) => {
      const trial = await run([fault], calls);
      const hit = new Set(trial.reached.map(({ callId }) => callId));
      expect(trial.mutations.filter(({ callId }) => hit.has(callId))).toEqual([]);
    }),
    RUNS,
  );
});

test("an agent cannot tell a timeout before the effect from one after it, by the error or by the clock", async () => {
  const delays = fc.constantFrom(undefined, 0, 10, 25, 40);
  const took = fc.constantFrom(undefined, 0, 25);
  await fc.assert(
    fc.asyncProperty(
      delays,
      took,
      fc.integer({ min: 1, max: 3 }),
      async (delayMs, ms, occurrence) => {
        const own = { tool: "add", occurrence, ...(delayMs === undefined ? {} : { delayMs }) };
        const calls = Array.from({ length: 3 }, () => [
          { tool: "add", args: ms === undefined ? {} : { ms } },
        ]);
        const before = await run([{ type: "timeout_before", ...own }], calls);
        const after = await run([{ type: "timeout_after", ...own }], calls);
        const told = ({ told }: FaultTrial): unknown => told[occurrence - 1];
        expect(told(before)).toEqual(told(after));
        expect(before.mutations).toHaveLength(2);
        expect(after.mutations).toHaveLength(3);
      },
    ),
    { numRuns: 60 },
  );
});
