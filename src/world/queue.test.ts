import * as fc from "fast-check";
import { expect, test } from "vitest";
import { canonical, type Json } from "../shared/json.ts";
import { defineWorld } from "./define.ts";
import { openWorld } from "./open.ts";

const clock = { now: () => 0, sleep: async () => undefined, real: <T>(work: Promise<T>) => work };
const RUNS = { numRuns: Number(process.env["TWICESHY_FUZZ"] ?? 200) };

type Log = { log: string[] };
interface Job {
  readonly name: string;
  readonly waits: number;
  readonly fails: boolean;
}

const job = fc.record({ name: fc.string({ maxLength: 2 }), waits: fc.nat(3), fails: fc.boolean() });
const wait = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function work({ name, waits, fails }: Job, state: Log): Promise<string> {
  state.log.push(`${name} begins`);
  for (let i = 0; i < waits; i++) await wait();
  state.log.push(`${name} ends`);
  if (fails) throw new Error("declined");
  return name;
}

const world = defineWorld({
  state: { log: [] as string[] },
  tools: {
    later: { kind: "write", execute: (args, state) => work(args as never, state) },
    now: {
      kind: "write",
      execute(args, state) {
        const { name, fails } = args as unknown as Job;
        state.log.push(`${name} begins`, `${name} ends`);
        if (fails) throw new Error("declined");
      },
    },
  },
});

test("calls are one transaction after the other, in the order in which they were made, and only those that succeed are seen", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(job, { maxLength: 6 }), async (jobs) => {
      const open = openWorld(world, { clock });
      await Promise.all(
        jobs.map(async (args, i) =>
          open.answer({
            id: String(i),
            tool: args.waits === 0 ? "now" : "later",
            args: { ...args },
          }),
        ),
      );
      const good = jobs
        .map((args, i) => ({ ...args, id: String(i) }))
        .filter(({ fails }) => !fails);
      expect(open.mutations.map(({ callId }) => callId)).toEqual(good.map(({ id }) => id));
      expect(open.read("/log")).toEqual(
        good.flatMap(({ name }) => [`${name} begins`, `${name} ends`]),
      );
      expect(open.pending()).toEqual([]);
    }),
    RUNS,
  );
});

test("nothing commits after a world is closed, whenever that is, and every call is answered", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(job, { maxLength: 5 }), fc.nat(4), async (jobs, turns) => {
      const open = openWorld(world, { clock });
      const answers = jobs.map(async (args, i) =>
        open.answer({ id: String(i), tool: "later", args: { ...args } }),
      );
      for (let i = 0; i < turns; i++) await wait();
      open.close();
      const [state, count] = [canonical(open.snapshot()), open.mutations.length];
      await Promise.all(answers);
      for (let i = 0; i < 5; i++) await wait();
      void open.answer({ id: "late", tool: "now", args: { name: "late" } });
      expect(canonical(open.snapshot())).toBe(state);
      expect(open.mutations).toHaveLength(count);
      expect(open.issues).toEqual([]);
    }),
    RUNS,
  );
});

test("no call, arguments, pointer or change makes a world throw", async () => {
  const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as Json);
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSparseArray: true,
  });
  const pointer = fc.oneof(
    fc.string(),
    fc.array(fc.string()).map((parts) => parts.map((part) => `/${part}`).join("")),
  );
  const state: { readonly map: Record<string, unknown> } = { map: {} };
  const hostile = defineWorld({
    state,
    tools: {
      put: {
        kind: "write",
        execute(args, state) {
          state.map[JSON.stringify(args["key"]) ?? "none"] = values.at(-1);
          return values.at(-1);
        },
      },
      throws: {
        kind: "read",
        execute() {
          throw values.at(-1) as Error;
        },
      },
    },
  });
  const values: unknown[] = [];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("put", "throws", "nix"),
      json,
      fc.tuple(anything, pointer),
      async (tool, args, [value, at]) => {
        values.push(value);
        const open = openWorld(hostile, { clock });
        const result = await open.answer({ id: "call_1", tool, args });
        const about = { id: "call_2", tool, args: { key: at } };
        await open.answer(about);
        open.rival({ [at]: args }, about);
        expect(typeof result.ok).toBe("boolean");
        expect(() =>
          JSON.stringify([result, open.read(at), open.initial(at), open.mutations, open.issues]),
        ).not.toThrow();
        expect(JSON.parse(JSON.stringify(open.snapshot()))).toEqual(open.snapshot());
      },
    ),
    RUNS,
  );
});
