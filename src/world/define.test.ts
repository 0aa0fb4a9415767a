import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { catalogOf } from "./catalog.ts";
import { defineWorld } from "./define.ts";
import { openWorld } from "./open.ts";
import { prepareWorld } from "./prepare.ts";
import type { World } from "./world.ts";

const clock = { now: () => 7, sleep: async () => undefined, real: <T>(work: Promise<T>) => work };
const nothing = { kind: "read", execute: () => null } as const;

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (thrown) {
    return (thrown as Error).message;
  }
  return "nothing was thrown";
}

test("the types of the state and of each tool's arguments follow from the definition", () => {
  const world = defineWorld({
    state: { slots: [{ id: "a", free: true }], log: [] as string[] },
    tools: {
      book: {
        kind: "write",
        parameters: z.object({ id: z.string(), seats: z.number().default(1) }),
        execute(args, state, context) {
          expectTypeOf(args).toEqualTypeOf<{ id: string; seats: number }>();
          expectTypeOf(state.slots).toEqualTypeOf<{ id: string; free: boolean }[]>();
          expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>();
          state.log.push(`${args.id} ${args.seats}`);
          return state.log.length;
        },
      },
      free: { kind: "read", execute: (_args, state) => state.slots.filter(({ free }) => free) },
    },
    rival(state) {
      state.log.push("rival");
    },
  });
  expectTypeOf(world.state.log).toEqualTypeOf<string[]>();
  expectTypeOf(world).toExtend<World>();
  const open = openWorld(world, { clock });
  expect(open.answer({ id: "call_1", tool: "book", args: { id: "a" } })).toEqual({
    ok: true,
    data: 1,
  });
  expect(open.read("/log/0")).toBe("a 1");
});

test("a start state that is not JSON is refused with its place, what was found and what to store instead", () => {
  const define = (state: object) => () => defineWorld({ name: "desk", state, tools: { nothing } });
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  class Row {
    id = 1;
  }
  const messages = [
    define({ a: [{ when: new Date(0) }] }),
    define({ "x/y": new Map() }),
    define({ n: Number.NaN }),
    define({ f: () => 1 }),
    define({ cycle }),
    define({ row: new Row() }),
    define({ big: 1n }),
  ].map(messageOf);
  expect(messages.join("\n")).toMatchInlineSnapshot(`
    "Failed to define the world "desk": its start state at /a/0/when is a Date, which is not JSON. Store its toISOString() or getTime().
    Failed to define the world "desk": its start state at /x~1y is a Map, which is not JSON. Store an object: Object.fromEntries(map).
    Failed to define the world "desk": its start state at /n is NaN, which is not JSON. Store null or a string.
    Failed to define the world "desk": its start state at /f is a function, which is not JSON. Store what it returns.
    Failed to define the world "desk": its start state at /cycle/self is a value that contains itself, which is not JSON. Store an id in its place.
    Failed to define the world "desk": its start state at /row is an instance of Row, which is not JSON. Store a plain object: { ...it }.
    Failed to define the world "desk": its start state at /big is a bigint, which is not JSON. Store a number or its String(...)."
  `);
  expect(define({ gone: undefined, kept: 1 })().state).toEqual({ kept: 1 });
});

test("a tool that cannot be one is refused by its name and member", () => {
  const define = (tool: unknown) => () =>
    defineWorld({ name: "desk", state: {}, tools: { "billing/refund:v2": tool } as never });
  const messages = [
    define({ kind: "update", execute: () => null }),
    define({ kind: "read" }),
    define({ kind: "write", onError: "retry", execute: () => null }),
    define({ kind: "read", parameters: "string", execute: () => null }),
    define(undefined),
  ].map(messageOf);
  expect(messages.join("\n")).toMatchInlineSnapshot(`
    "Failed to define the world "desk": its tool "billing/refund:v2" has the kind "update". Set kind to "read" or "write".
    Failed to define the world "desk": its tool "billing/refund:v2" has no execute. Give it execute(args, state) {}.
    Failed to define the world "desk": its tool "billing/refund:v2" has the onError "retry". Set onError to "discard" or "keep".
    Failed to define the world "desk": its tool "billing/refund:v2" has parameters that are no schema. Give a zod schema or a JSON Schema.
    Failed to define the world "desk": its tool "billing/refund:v2" is no object. Write { kind: "read" or "write", execute(args, state) {} }."
  `);
});

test("a state built by code, larger than 100 KB, is copied, frozen and usable, and a tool's name may have any characters", () => {
  const world = defineWorld({
    state: () => ({
      rows: Array.from({ length: 3000 }, (_, id) => ({ id, text: "x".repeat(40) })),
    }),
    tools: {
      "a.b/c:d": {
        kind: "write",
        execute: (_args, state) => state.rows.push({ id: -1, text: "" }),
      },
      constructor: nothing,
      __proto__x: nothing,
    },
  });
  expect(JSON.stringify(world.state).length).toBeGreaterThan(100_000);
  const open = openWorld(world, { clock });
  expect(open.answer({ id: "call_1", tool: "a.b/c:d", args: {} })).toEqual({
    ok: true,
    data: 3001,
  });
  expect(open.mutations[0]?.changes).toEqual([{ path: "/rows/3000", after: { id: -1, text: "" } }]);
  expect(open.kindOf("constructor")).toBe("read");
  expect(open.kindOf("toString")).toBeUndefined();
  expect(Object.isFrozen(world.state.rows[0])).toBe(true);
});

test("the start state is a copy: what its author changes later does not change it", () => {
  const state = { rows: [{ id: 1 }] };
  const world = defineWorld({ state, tools: { nothing } });
  state.rows[0]!.id = 2;
  expect(world.state.rows[0]?.id).toBe(1);
});

test("the digest changes with the state, a tool's code, kind and parameters, and not with words for people", () => {
  const digest = (over: object, state: object = { n: 1 }) =>
    defineWorld({
      state,
      tools: {
        add: { kind: "write", execute: (_: unknown, s: { n: number }) => (s.n += 1), ...over },
      } as never,
    }).digest;
  const plain = digest({});
  expect(plain).toMatch(/^[0-9a-f]{16}$/);
  expect(digest({ description: "Adds one." })).toBe(plain);
  const others = [
    digest({}, { n: 2 }),
    digest({ execute: (_: unknown, s: { n: number }) => (s.n += 1000) }),
    digest({ kind: "read" }),
    digest({ parameters: z.object({ by: z.number() }) }),
    digest({ parameters: z.object({ by: z.string() }) }),
    digest({ onError: "keep" }),
  ];
  expect(new Set([plain, ...others]).size).toBe(7);
});

test("the catalog tells a model each tool's name, description and JSON Schema, where it is known", () => {
  const world = defineWorld({
    state: {},
    tools: {
      a: { ...nothing, description: "Reads.", parameters: z.object({ id: z.string() }) },
      b: { ...nothing, parameters: { type: "object", required: ["x"] } },
      c: nothing,
      d: {
        ...nothing,
        parameters: {
          "~standard": { version: 1, vendor: "other", validate: (value: unknown) => ({ value }) },
        } as const,
      },
    },
  });
  expect(catalogOf(world)).toEqual([
    {
      name: "a",
      description: "Reads.",
      parameters: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: { id: { type: "string" } },
        required: ["id"],
      },
    },
    { name: "b", parameters: { type: "object", required: ["x"] } },
    { name: "c" },
    { name: "d" },
  ]);
});

test("a JSON Schema of the arguments is checked once the world is prepared, and asked for before", async () => {
  const parameters = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const world = defineWorld({ state: {}, tools: { a: { ...nothing, parameters } } });
  const early = openWorld(world, { clock });
  expect(early.answer({ id: "call_1", tool: "a", args: { n: 1 } })).toMatchObject({ ok: false });
  expect(early.issues[0]?.message).toMatch(/await prepareWorld\(world\) first/);
  await prepareWorld(world);
  const open = openWorld(world, { clock });
  expect(open.answer({ id: "call_1", tool: "a", args: { n: 1 } })).toEqual({
    ok: true,
    data: null,
  });
  expect(open.answer({ id: "call_2", tool: "a", args: { n: "x" } })).toMatchObject({
    ok: false,
    error: { code: "INVALID_ARGUMENTS", message: "invalid arguments for a: n: must be integer" },
  });
});

test("a JSON Schema that cannot be used is refused when the world is prepared", async () => {
  const world = defineWorld({
    name: "desk",
    state: {},
    tools: { a: { ...nothing, parameters: { type: "nix" } } },
  });
  await expect(prepareWorld(world)).rejects.toThrow(
    /the parameters of its tool "a" are no JSON Schema/,
  );
});

test("what defineWorld has not made is no world", () => {
  expect(() => openWorld({ name: "x" } as never, { clock })).toThrow(
    /it was not made by defineWorld/,
  );
});
