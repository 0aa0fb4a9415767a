import { expect, test } from "vitest";
import { z } from "zod";
import type { ToolCall } from "../boundary/boundary.ts";
import { toolError } from "../boundary/tool-error.ts";
import type { Json } from "../shared/json.ts";
import { defineWorld } from "./define.ts";
import { openWorld, type OpenWorld } from "./open.ts";

const clock = { now: () => 7, sleep: async () => undefined, real: <T>(work: Promise<T>) => work };
let calls = 0;

function call(tool: string, args: Json = {}): ToolCall {
  return { id: `call_${++calls}`, tool, args };
}

/** A desk whose tools do what a row needs. */
function openDesk(
  tools: object,
  state: object = { n: 0, list: [1, 2, 3], map: {} },
  overlap = false,
): OpenWorld {
  const kinds = Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => [
      name,
      typeof tool === "function" ? { kind: "write", execute: tool } : tool,
    ]),
  );
  return openWorld(defineWorld({ state, tools: kinds, overlap }), { clock });
}

type Desk = { n: number; list: number[]; map: Record<string, unknown> };
const wait = (turns = 1): Promise<void> =>
  turns === 0
    ? Promise.resolve()
    : new Promise((resolve) => setImmediate(() => resolve(wait(turns - 1))));

test("a write that pushes to its draft and then answers with an error discards the draft, without an issue", () => {
  const open = openDesk({
    throws: (_: Json, state: Desk) => {
      state.list.push(4);
      throw toolError("DECLINED", "card closed", { retryable: false });
    },
    returns: (_: Json, state: Desk) => {
      state.list.push(4);
      return { ok: false, error: { code: "DECLINED", message: "card closed" } };
    },
  });
  expect(open.answer(call("throws"))).toEqual({
    ok: false,
    error: { name: "ToolError", code: "DECLINED", message: "card closed", retryable: false },
  });
  expect(open.answer(call("returns"))).toMatchObject({ ok: false, error: { code: "DECLINED" } });
  expect([open.mutations, open.issues, open.read("/list")]).toEqual([[], [], [1, 2, 3]]);
});

test("a tool with onError keep models a partial write: what it changed before its error is committed", () => {
  const execute = (_: Json, state: Desk) => {
    state.n = 1;
    throw toolError("HALF", "half done");
  };
  const open = openDesk({ half: { kind: "write", onError: "keep", execute } });
  expect(open.answer(call("half"))).toMatchObject({ ok: false, error: { code: "HALF" } });
  expect(open.mutations[0]?.changes).toEqual([{ path: "/n", before: 0, after: 1 }]);
});

test("undefined members are dropped, a call without arguments has none, and an optional argument may be undefined", () => {
  const seen: unknown[] = [];
  const see = (args: object, state: Desk) => {
    seen.push(args);
    state.map["row"] = { note: undefined, kept: 1 };
    return { note: undefined, list: [undefined] };
  };
  const parameters = z.object({ note: z.string().optional() });
  const open = openDesk({
    add: see,
    list: see,
    typed: { kind: "write", parameters, execute: see },
  });
  const note = { $t: "undefined" };
  expect(open.answer(call("add", { note, a: { note } }))).toEqual({
    ok: true,
    data: { list: [null] },
  });
  void open.answer(call("list"));
  void open.answer(call("typed", { note }));
  expect(seen).toEqual([{ a: {} }, {}, {}]);
  expect(Object.keys(seen[0] as object)).toEqual(["a"]);
  expect([open.issues, open.read("/map")]).toEqual([[], { row: { kept: 1 } }]);
});

test("a tool that crashes, returns or writes no JSON is an issue that names side, tool, field, what was found and the remedy", () => {
  const open = openDesk({
    crash: () => (undefined as never as { x: number }).x,
    date: () => ({ rows: [{ when: new Date(0) }] }),
    write: (_: Json, state: Desk) => void (state.map["a/b"] = { when: new Map() }),
    nan: (_: Json, state: Desk) => void (state.n = Number.NaN),
    cycle: (_: Json, state: Desk) => void (state.map["self"] = state.map),
    clone: (_: Json, state: Desk) => structuredClone(state),
    getter: (_: Json, state: Desk) => Object.defineProperty(state, "x", { get: () => 1 }),
    symbol: (_: Json, state: Desk) =>
      void ((state as never as Record<symbol, 1>)[Symbol.iterator] = 1),
  });
  for (const tool of ["crash", "date", "write", "nan", "cycle", "clone", "getter", "symbol"]) {
    expect(open.answer(call(tool))).toMatchObject({
      ok: false,
      error: { code: "TOOL_CRASHED", retryable: false },
    });
  }
  expect(open.mutations).toEqual([]);
  expect(
    open.issues
      .map(({ side, code, tool, message }) => `${side} ${code} ${tool}: ${message}`)
      .join("\n"),
  ).toMatchInlineSnapshot(`
    "tool E_TOOL_CRASHED crash: Failed to answer crash: its execute crashed with TypeError: Cannot read properties of undefined (reading 'x'); nothing was committed. Correct its code, or throw toolError("CODE", "message") for an error that the service would answer.
    tool E_TOOL_RESULT date: Failed to answer date: what it returned holds a Date at /rows/0/when, which is not JSON; nothing was committed. Do this instead: store its toISOString() or getTime().
    tool E_WORLD_STATE write: Failed to commit write: it wrote a Map to /map/a~1b/when of the state, which is not JSON; nothing was committed. Do this instead: store an object: Object.fromEntries(map).
    tool E_WORLD_STATE nan: Failed to commit nan: it wrote NaN to /n of the state, which is not JSON; nothing was committed. Do this instead: store null or a string.
    tool E_WORLD_STATE cycle: Failed to commit cycle: it wrote a value that contains itself to /map/self/self of the state, which is not JSON; nothing was committed. Do this instead: store an id in its place.
    tool E_TOOL_CRASHED clone: Failed to answer clone: its execute crashed with DataCloneError: #<Place> could not be cloned.; nothing was committed. Copy a part of the state by spreading it or by JSON.parse(JSON.stringify(it)); structuredClone takes no draft.
    tool E_TOOL_CRASHED getter: Failed to answer getter: its execute crashed with TypeError: a state holds no getters and setters; nothing was committed. Correct its code, or throw toolError("CODE", "message") for an error that the service would answer.
    tool E_TOOL_CRASHED symbol: Failed to answer symbol: its execute crashed with TypeError: a state holds no symbols; use a string as key; nothing was committed. Correct its code, or throw toolError("CODE", "message") for an error that the service would answer."
  `);
});

test("a tool may omit data, use any text as an error's code and add members to its error", () => {
  const open = openDesk({
    omits: () => ({ ok: true }),
    nothing: () => undefined,
    limited: () => ({
      ok: false,
      error: { code: "rate limited", message: "slow down", retryable: true, retryAfterMs: 5 },
    }),
    throws: () => {
      throw Object.assign(new Error("slow down"), { code: 429, retryAfterMs: 5 });
    },
    other: () => ({ ok: true, id: 5 }),
  });
  expect(open.answer(call("omits"))).toEqual({ ok: true, data: null });
  expect(open.answer(call("nothing"))).toEqual({ ok: true, data: null });
  expect(open.answer(call("other"))).toEqual({ ok: true, data: { ok: true, id: 5 } });
  const told = {
    code: "rate limited",
    message: "slow down",
    retryable: true,
    data: { retryAfterMs: 5 },
  };
  expect(open.answer(call("limited"))).toEqual({
    ok: false,
    error: { name: "ToolError", ...told },
  });
  expect(open.answer(call("throws"))).toMatchObject({
    ok: false,
    error: { code: 429, data: { retryAfterMs: 5 } },
  });
  expect(open.issues).toEqual([]);
});

test("a read that mutates is named with its tool and the place, and nothing commits", () => {
  const sort = (_: Json, state: Desk) => state.list.sort((a, b) => b - a);
  const open = openDesk({ top: { kind: "read", execute: sort } });
  expect(open.answer(call("top"))).toEqual({ ok: true, data: [3, 2, 1] });
  expect(open.issues[0]).toMatchObject({ side: "tool", code: "E_TOOL_READ_MUTATES", tool: "top" });
  expect(open.issues[0]?.message).toContain("/list/0");
  expect([open.mutations, open.read("/list")]).toEqual([[], [1, 2, 3]]);
});

test("bad arguments are an error of the call that names the field, and the tool does not run", () => {
  let ran = 0;
  const parameters = z.object({ slot: z.object({ id: z.string() }) });
  const open = openDesk({ book: { kind: "write", parameters, execute: () => (ran += 1) } });
  expect(open.answer(call("book", { slot: { id: 5 } }))).toEqual({
    ok: false,
    error: {
      name: "InvalidArguments",
      code: "INVALID_ARGUMENTS",
      message:
        "invalid arguments for book: slot.id: Invalid input: expected string, received number",
      retryable: false,
    },
  });
  expect(open.answer(call("book", [1]))).toMatchObject({
    ok: false,
    error: { code: "INVALID_ARGUMENTS" },
  });
  expect([ran, open.issues]).toEqual([0, []]);
});

test("an async validator of arguments is refused with what to use instead", () => {
  const parameters = z.object({ id: z.string().refine(async () => true) });
  const open = openDesk({ book: { kind: "write", parameters, execute: () => 1 } });
  expect(open.answer(call("book", { id: "a" }))).toMatchObject({ ok: false });
  expect(open.issues[0]?.code).toBe("E_TOOL_PARAMETERS");
  expect(open.issues[0]?.message).toMatch(/without async refinements|threw/);
});

test("a hallucinated tool name, also one with a dot, is answered with UNKNOWN_TOOL, and the next call goes on", () => {
  const open = openDesk({ add: (_: Json, state: Desk) => ++state.n });
  for (const tool of ["functions.add", "toString", "__proto__", ""]) {
    expect(open.answer(call(tool))).toMatchObject({
      ok: false,
      error: { name: "UnknownTool", code: "UNKNOWN_TOOL" },
    });
  }
  expect(open.answer(call("add"))).toEqual({ ok: true, data: 1 });
  expect(open.issues).toEqual([]);
});

test("a member named __proto__ is kept, in the start state, in a write and in a result", () => {
  const state = JSON.parse('{"map":{"__proto__":{"a":1}}}') as object;
  const put = (args: { key: string }, desk: Desk) => {
    desk.map[args.key] = { b: 2 };
    return desk.map;
  };
  const open = openDesk({ put }, state);
  expect(open.initial("/map/__proto__/a")).toBe(1);
  expect(JSON.stringify(open.answer(call("put", { key: "__proto__" })))).toBe(
    '{"ok":true,"data":{"__proto__":{"b":2}}}',
  );
  expect(open.mutations[0]?.changes).toEqual([
    { path: "/map/__proto__", before: { a: 1 }, after: { b: 2 } },
  ]);
  expect(open.read("/map/__proto__/b")).toBe(2);
  expect(Object.getPrototypeOf({})).toBe(Object.prototype);
});

test("a state of 60 KB is written, one of 101 KB and one of 10 MB are read and written, and a result of 17 KB is given", () => {
  for (const size of [60, 101, 10_000]) {
    const rows = Array.from({ length: size * 5 }, (_, id) => ({ id, text: "x".repeat(180) }));
    const open = openDesk(
      {
        page: {
          kind: "read",
          execute: (_: Json, state: { rows: object[] }) => state.rows.slice(0, 100),
        },
        set: (_: Json, state: { rows: { text: string }[] }) => void (state.rows[7]!.text = "new"),
      },
      { rows },
    );
    expect(JSON.stringify(open.answer(call("page"))).length).toBeGreaterThan(17_000);
    expect(open.answer(call("set"))).toEqual({ ok: true, data: null });
    expect(open.mutations[0]?.changes).toEqual([
      { path: "/rows/7/text", before: "x".repeat(180), after: "new" },
    ]);
    expect(open.issues).toEqual([]);
  }
});

test("evidence of twenty writes to a state of 30 KB holds what they changed, and no whole state", () => {
  const open = openDesk(
    { add: (_: Json, state: Desk) => ++state.n },
    { n: 0, text: "x".repeat(30_000) },
  );
  for (let i = 0; i < 20; i++) void open.answer(call("add"));
  expect(open.mutations).toHaveLength(20);
  expect(JSON.stringify(open.mutations).length).toBeLessThan(5000);
});

test("overlapping adds run one after the other, in the order of the calls, on the arguments as they were at the call", async () => {
  let [running, peak] = [0, 0];
  const add = async (args: { by: number }, state: Desk) => {
    peak = Math.max(peak, ++running);
    const n = state.n;
    await wait();
    args.by += 100;
    state.n = n + args.by - 100;
    running -= 1;
    return state.n;
  };
  const open = openDesk({ add });
  const first = call("add", { by: 1 });
  const second = call("add", { by: 2 });
  const results = await Promise.all([open.answer(first), open.answer(second)]);
  expect(results).toEqual([
    { ok: true, data: 1 },
    { ok: true, data: 3 },
  ]);
  expect([peak, open.read("/n")]).toEqual([1, 3]);
  expect(open.mutations.map(({ callId, args }) => [callId, args])).toEqual([
    [first.id, { by: 1 }],
    [second.id, { by: 2 }],
  ]);
});

test("in a world that lets transactions overlap an update can be lost, and what both add stays", async () => {
  const add = async (_: Json, state: Desk) => {
    const n = state.n;
    await wait();
    state.n = n + 1;
    state.list.push(9);
  };
  const open = openDesk({ add }, { n: 0, list: [] }, true);
  await Promise.all([open.answer(call("add")), open.answer(call("add"))]);
  expect([open.read("/n"), open.read("/list"), open.mutations.length]).toEqual([1, [9, 9], 2]);
});

test("a call waits only where something is before it: a synchronous tool answers without a promise", async () => {
  const open = openDesk({ slow: async () => wait(), quick: () => 1 });
  expect(open.answer(call("quick"))).toEqual({ ok: true, data: 1 });
  const slow = open.answer(call("slow"));
  const behind = open.answer(call("quick"));
  expect(behind).toBeInstanceOf(Promise);
  expect(open.pending()).toHaveLength(2);
  await slow;
  expect(await behind).toEqual({ ok: true, data: 1 });
  expect(open.pending()).toEqual([]);
});

test("calls that wait or run when the world is closed are cancelled: their signal is aborted and nothing commits any more", async () => {
  let late: unknown;
  const signals: AbortSignal[] = [];
  const hold = async (_: Json, state: Desk, context: { signal: AbortSignal }) => {
    signals.push(context.signal);
    state.n = 1;
    await wait(2);
    try {
      state.n = 2;
    } catch (thrown) {
      late = thrown;
    }
    return 1;
  };
  const open = openDesk({ hold });
  const held = open.answer(call("hold"));
  const waiting = open.answer(call("hold"));
  open.close();
  open.close();
  const cancelled = { ok: false, error: { name: "Cancelled", code: "CANCELLED" } };
  expect(await held).toMatchObject(cancelled);
  expect(await waiting).toMatchObject(cancelled);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  await wait(4);
  expect(String(late)).toMatch(/was used after its call had ended/);
  expect(open.answer(call("hold"))).toMatchObject(cancelled);
  expect([open.mutations, open.issues, open.read("/n"), open.pending()]).toEqual([[], [], 0, []]);
});

test("a draft that is used after its call had ended throws", () => {
  let kept: Desk | undefined;
  const open = openDesk({ keep: (_: Json, state: Desk) => void (kept = state) });
  void open.answer(call("keep"));
  expect(() => kept?.n).toThrow(/was used after its call had ended/);
  expect(() => (kept as Desk).n++).toThrow(/was used after its call had ended/);
});

test("what a tool adds and changes later in the same call keeps the later change", () => {
  const add = (_: Json, state: Desk) => {
    const row = { status: "new", tags: [] as string[] };
    state.map["row"] = row;
    row.status = "paid";
    row.tags.push("late");
    (state.map["row"] as typeof row).tags.push("last");
    return row;
  };
  const open = openDesk({ add });
  const data = { status: "paid", tags: ["late", "last"] };
  expect(open.answer(call("add"))).toEqual({ ok: true, data });
  expect(open.read("/map/row")).toEqual(data);
});

test("an array that is spliced, filtered or rebuilt reports what left and what came, not every item that moved", () => {
  const rows = () => ({ rows: Array.from({ length: 6 }, (_, id) => ({ id, s: "x" })) });
  type Rows = ReturnType<typeof rows>;
  const changesOf = (execute: (args: Json, state: Rows) => unknown): unknown => {
    const open = openDesk({ edit: execute }, rows());
    void open.answer(call("edit"));
    return open.mutations[0]?.changes;
  };
  const gone = [{ path: "/rows/1", before: { id: 1, s: "x" } }];
  expect(changesOf((_, state) => state.rows.splice(1, 1))).toEqual(gone);
  expect(
    changesOf((_, state) => void (state.rows = state.rows.filter(({ id }) => id !== 1))),
  ).toEqual(gone);
  expect(changesOf((_, state) => void state.rows.unshift({ id: 9, s: "y" }))).toEqual([
    { path: "/rows/0", after: { id: 9, s: "y" } },
  ]);
  const mapped = [{ path: "/rows/2/s", before: "x", after: "y" }];
  expect(
    changesOf(
      (_, state) =>
        void (state.rows = state.rows.map((row) => (row.id === 2 ? { ...row, s: "y" } : row))),
    ),
  ).toEqual(mapped);
  expect(
    changesOf((_, state) => {
      state.rows.splice(1, 1);
      state.rows[3]!.s = "y";
    }),
  ).toEqual([...gone, { path: "/rows/3/s", before: "x", after: "y" }]);
});

test("a call made through the tool's context runs inside its transaction and is listed before it", async () => {
  const open = openDesk({
    outer: async (
      _: Json,
      state: Desk,
      context: { call(tool: string, args?: object): Promise<unknown> },
    ) => {
      state.list.push(4);
      const seen = await context.call("inner", { by: 2 });
      state.map["seen"] = seen;
      return seen;
    },
    inner: (args: { by: number }, state: Desk) => {
      state.n += args.by;
      return { n: state.n, list: state.list.length };
    },
    fails: async (_: Json, state: Desk, context: { call(tool: string): Promise<unknown> }) => {
      state.n = 50;
      await context
        .call("declined")
        .catch((error: { code: string }) => (state.map["code"] = error.code));
      throw toolError("OUTER", "no");
    },
    declined: (_: Json, state: Desk) => {
      state.n = 99;
      throw toolError("DECLINED", "no");
    },
  });
  const outer = call("outer");
  expect(await open.answer(outer)).toEqual({ ok: true, data: { n: 2, list: 4 } });
  expect(open.mutations.map(({ callId, tool, changes }) => ({ callId, tool, changes }))).toEqual([
    { callId: `${outer.id}.1`, tool: "inner", changes: [{ path: "/n", before: 0, after: 2 }] },
    {
      callId: outer.id,
      tool: "outer",
      changes: [
        { path: "/list/3", after: 4 },
        { path: "/map/seen", after: { n: 2, list: 4 } },
      ],
    },
  ]);
  expect(await open.answer(call("fails"))).toMatchObject({ ok: false, error: { code: "OUTER" } });
  expect([open.mutations.length, open.read("/n")]).toEqual([2, 2]);
});

test("an agent as a tool calls the same world from inside a tool, at once or after a wait, and nothing deadlocks", async () => {
  const opened: { world?: OpenWorld } = {};
  const inner = () => (opened.world as OpenWorld).answer(call("inner"));
  const open = openDesk({
    agent: async () => {
      await wait();
      const first = await inner();
      await wait();
      return [first, await inner()];
    },
    helper: () => inner(),
    inner: (_: Json, state: Desk) => ++state.n,
  });
  opened.world = open;
  const one = (data: number) => ({ ok: true, data });
  expect(await open.answer(call("agent"))).toEqual(one([one(1), one(2)] as never));
  expect(open.answer(call("helper"))).toEqual(one(3));
  expect(open.read("/n")).toBe(3);
  expect(open.mutations.map(({ tool }) => tool)).toEqual(["inner", "inner", "inner"]);
});

test("two calls that race are both answered, the loser too, in their order", async () => {
  const open = openDesk({
    get: { kind: "read", execute: async (args: { ms: number }) => wait(args.ms) },
  });
  const [slow, quick] = [open.answer(call("get", { ms: 3 })), open.answer(call("get", { ms: 1 }))];
  expect(await Promise.race([slow, quick])).toEqual({ ok: true, data: null });
  expect(await quick).toEqual({ ok: true, data: null });
});

test("a call inside that nobody awaited is cancelled when the tool around it has ended", async () => {
  let inside: Promise<unknown> | undefined;
  const open = openDesk({
    outer: (_: Json, state: Desk, context: { call(tool: string): Promise<unknown> }) => {
      inside = context.call("slow").catch((error: { code: string }) => error.code);
      state.n = 1;
    },
    slow: async (_: Json, state: Desk) => {
      await wait();
      state.n = 5;
    },
  });
  void open.answer(call("outer"));
  expect(await inside).toBe("CANCELLED");
  await wait(3);
  expect([open.read("/n"), open.issues]).toEqual([1, []]);
});

test("another client's change is a mutation of its own, by values at places or by a function over the state", () => {
  const open = openDesk({});
  const about = call("get");
  expect(open.rival({ "/n": 5, "/list/-": 4 }, about)).toMatchObject({
    by: "rival",
    callId: about.id,
    changes: [
      { path: "/n", before: 0, after: 5 },
      { path: "/list/3", after: 4 },
    ],
  });
  expect(open.rival((state: Desk) => void (state.n += 1), about)?.changes).toEqual([
    { path: "/n", before: 5, after: 6 },
  ]);
  expect(open.rival({ "/nowhere/at/all": 1 }, about)).toBeUndefined();
  expect(open.issues[0]).toMatchObject({ side: "world", code: "E_WORLD_RIVAL" });
});

test("each trial has a state of its own over the same world", () => {
  const world = defineWorld({
    state: { n: 0 },
    tools: { add: { kind: "write", execute: (_, state) => ++state.n } },
  });
  const [a, b] = [openWorld(world, { clock }), openWorld(world, { clock })];
  void a.answer(call("add"));
  void a.answer(call("add"));
  void b.answer(call("add"));
  expect([a.read("/n"), b.read("/n"), a.initial("/n"), world.state.n]).toEqual([2, 1, 0, 0]);
});

test("a delivery with the first changes keeps those that the tool made first", () => {
  const move = (_: Json, state: { a: number; b: number; log: string[] }) => {
    state.log.push("begun");
    state.a -= 10;
    state.b += 10;
    state.log.push("done");
    return "moved";
  };
  const open = openDesk({ move }, { a: 10, b: 0, log: [] });
  expect(open.deliver(call("move"), { commit: { first: 2 } })).toMatchObject({
    result: { ok: true, data: "moved" },
  });
  expect(open.snapshot()).toEqual({ a: 0, b: 0, log: ["begun"] });
});

test("listeners are told of a mutation before the tool's answer, and of an issue", () => {
  const told: string[] = [];
  const world = defineWorld({
    state: { n: 0 },
    tools: {
      add: { kind: "write", execute: (_, state) => ++state.n },
      crash: { kind: "write", execute: () => (null as never as { x: 1 }).x },
    },
  });
  const open = openWorld(world, {
    clock,
    onMutation: ({ tool, at }) => told.push(`${tool} at ${at}`),
    onIssue: ({ code }) => told.push(code),
  });
  void open.answer(call("add"));
  void open.answer(call("crash"));
  expect(told).toEqual(["add at 7", "E_TOOL_CRASHED"]);
});

test("values that are named as markers are kept, in the state, in arguments and in results", () => {
  const put = (args: { value: object }, state: Desk) => {
    state.map["v"] = args.value;
    return state.map;
  };
  const open = openDesk({ put });
  const value = { $t: "object", v: { $t: "date", v: 1 } };
  expect(open.answer(call("put", { value }))).toEqual({ ok: true, data: { v: value } });
  expect(open.read("/map/v")).toEqual({ $t: "date", v: 1 });
});

test("a tool that changes its arguments does not change a second delivery's, nor the call's own", () => {
  const credit = (args: { by: number }, state: Desk) => {
    state.n += args.by;
    args.by = 0;
    return state.n;
  };
  const open = openDesk({ credit });
  const twice = call("credit", { by: 500 });
  expect(open.deliver(twice)).toMatchObject({ result: { ok: true, data: 500 } });
  expect(open.deliver(twice)).toMatchObject({ result: { ok: true, data: 1000 } });
  expect(open.mutations.map(({ callId, args }) => [callId, args])).toEqual([
    [twice.id, { by: 500 }],
    [twice.id, { by: 500 }],
  ]);
});

test("an error of a first delivery does not hinder the second one", () => {
  let ran = 0;
  const open = openDesk({
    credit: () => ({ ok: false, error: { code: "NO", message: `${++ran}` } }),
  });
  const twice = call("credit");
  expect(open.deliver(twice)).toMatchObject({ result: { error: { message: "1" } }, mutations: [] });
  expect(open.deliver(twice)).toMatchObject({ result: { error: { message: "2" } }, mutations: [] });
});

test("a tool that never settles is cancelled when the world is closed, and one that rejects answers with its error", async () => {
  const open = openDesk({
    hangs: (_: Json, state: Desk) => {
      state.n = 1;
      return new Promise(() => undefined);
    },
    rejects: async () => Promise.reject(toolError("DECLINED", "card closed")),
  });
  expect(await open.answer(call("rejects"))).toMatchObject({
    ok: false,
    error: { code: "DECLINED", message: "card closed" },
  });
  const hung = open.answer(call("hangs"));
  open.close();
  expect(await hung).toMatchObject({ ok: false, error: { code: "CANCELLED" } });
  expect([open.mutations, open.issues]).toEqual([[], []]);
});

test("a value that throws when it is read is a crash of the tool that wrote it", () => {
  const write = (_: Json, state: Desk) => {
    const hostile = Object.defineProperty({}, "x", {
      enumerable: true,
      get: () => {
        throw new Error("gotcha");
      },
    });
    state.map["x"] = hostile;
  };
  const open = openDesk({ write });
  expect(open.answer(call("write"))).toMatchObject({ ok: false });
  expect(open.issues[0]).toMatchObject({ code: "E_TOOL_CRASHED" });
  expect(open.read("/map")).toEqual({});
});

test("a result whose `then` throws when it is read is a crash of the tool, and no error that a service would answer", () => {
  // oxlint-disable-next-line unicorn/no-thenable -- what the test is about
  const odd = Object.defineProperty({}, "then", {
    enumerable: true,
    get: () => {
      throw new Error("no promise");
    },
  });
  const desk = openDesk({ odd: () => odd });
  expect(desk.answer(call("odd"))).toMatchObject({ ok: false, error: { code: "TOOL_CRASHED" } });
  expect(desk.issues.map(({ code, message }) => [code, message])).toEqual([
    ["E_TOOL_CRASHED", expect.stringContaining("a result that cannot be read: no promise")],
  ]);
});
