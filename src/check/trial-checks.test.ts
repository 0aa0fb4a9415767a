import { expect, test } from "vitest";
import type { Json } from "../shared/json.ts";
import { trialSubject, type TrialSeed } from "../testing/trial-subject.ts";
import type { Check } from "./check.ts";
import { evaluate, type Evaluated } from "./evaluate.ts";

const BOOKED: TrialSeed = {
  state: { bookings: [], slots: { slot_42: "free" }, other: 1 },
  calls: [
    { tool: "check_slot", args: { slot: "slot_42" }, result: { ok: true, data: "free" } },
    {
      tool: "reserve_slot",
      args: { slot: "slot_42", price: 40, at: "2026-02-01T09:00:00Z" },
      result: { ok: false, error: { code: "TIMEOUT", message: "reserve_slot timed out" } },
      write: true,
    },
    { tool: "reserve_slot", args: { slot: "slot_42", price: 40 }, write: true },
  ],
  mutations: [
    { tool: "reserve_slot", path: "/bookings/0", after: { slot: "slot_42", price: 40 } },
    { tool: "reserve_slot", path: "/slots/slot_42", after: "taken" },
  ],
  completion: { status: "completed", message: "Booked slot_42", output: { price: 40 } },
  tools: ["check_slot", "reserve_slot", "cancel_slot"],
};

function judge(check: Check, seed: TrialSeed = BOOKED): Evaluated {
  const [result] = evaluate([check], trialSubject(seed));
  if (result === undefined) throw new Error("no result");
  return result;
}

function passes(check: Check, seed?: TrialSeed): boolean {
  return judge(check, seed).passed;
}

test("equals looks at the committed state or the completion, whatever the order of keys", () => {
  const booking = { price: 40, slot: "slot_42" };
  expect(judge({ type: "equals", path: "/bookings/0", expected: booking })).toMatchObject({
    passed: true,
    evidence: ["m1"],
    actual: booking,
  });
  expect(
    judge({ type: "equals", path: "/output/price", expected: 40, source: "completion" }),
  ).toMatchObject({ passed: true, evidence: ["end"] });
  expect(passes({ type: "equals", path: "/bookings", expected: [] })).toBe(false);
});

test("a failing equals says both values in one sentence", () => {
  const result = judge({ type: "equals", path: "/slots/slot_42", expected: "free" });
  expect(result.message).toMatchInlineSnapshot(
    `"/slots/slot_42 is "taken", and "free" is expected"`,
  );
  expect(result).toMatchObject({ actual: "taken", expected: "free", evidence: ["m2"] });
  expect(judge({ type: "equals", path: "/nope", expected: 1 }).message).toMatchInlineSnapshot(
    `"there is no /nope, and 1 is expected"`,
  );
});

test("a missing value equals nothing, also not null, and is not another value either", () => {
  expect(passes({ type: "equals", path: "/nope", expected: null })).toBe(false);
  expect(passes({ type: "not_equals", path: "/nope", expected: 1 })).toBe(false);
  expect(passes({ type: "not_equals", path: "/other", expected: 2 })).toBe(true);
});

test("count takes the size of an array or a map, and of nothing else", () => {
  expect(passes({ type: "count", path: "/bookings", expected: 1 })).toBe(true);
  expect(passes({ type: "count", path: "/slots", expected: 1 })).toBe(true);
  expect(passes({ type: "count", path: "/other", expected: 1 })).toBe(false);
  expect(judge({ type: "count", path: "/bookings", expected: 2 }).message).toMatchInlineSnapshot(
    `"/bookings has 1 element, and 2 are expected"`,
  );
});

test("unchanged holds for a path that is absent before and after", () => {
  expect(passes({ type: "unchanged", path: "/nowhere" })).toBe(true);
  expect(passes({ type: "unchanged", path: "/other" })).toBe(true);
  expect(passes({ type: "unchanged", path: "/bookings" })).toBe(false);
});

test("unchanged holds for what was changed and changed back, and for nothing that was removed", () => {
  const mutations = [
    { tool: "t", path: "/other", after: 2 },
    { tool: "t", path: "/other", after: 1 },
  ];
  expect(judge({ type: "unchanged", path: "/other" }, { ...BOOKED, mutations })).toMatchObject({
    passed: true,
    evidence: ["m1", "m2"],
  });
  const removed = [{ tool: "t", path: "/other" }];
  expect(passes({ type: "unchanged", path: "/other" }, { ...BOOKED, mutations: removed })).toBe(
    false,
  );
});

test("evidence of unchanged is only the mutations that touch the path", () => {
  const elsewhere = Array.from({ length: 5 }, (_, at) => ({
    tool: "t",
    path: `/elsewhere/${at}`,
    after: at,
  }));
  const seed: TrialSeed = {
    state: { other: 1, elsewhere: [] },
    mutations: [...elsewhere, { tool: "t", path: "/other", after: 2 }],
  };
  expect(judge({ type: "unchanged", path: "/other" }, seed)).toMatchObject({
    passed: false,
    evidence: ["m6"],
    actual: 2,
    expected: 1,
  });
  const quiet = { ...seed, mutations: elsewhere };
  expect(judge({ type: "unchanged", path: "/other" }, quiet)).toMatchObject({
    passed: true,
    evidence: [],
  });
});

test("forbidden_tool counts a call that was denied, that failed, and that named no tool of the world", () => {
  const denied: TrialSeed = {
    calls: [
      {
        tool: "refund",
        result: { ok: false, error: { code: "PERMISSION_DENIED", message: "not allowed" } },
      },
    ],
    tools: ["refund"],
  };
  const result = judge({ type: "forbidden_tool", tool: "refund" }, denied);
  expect(result).toMatchObject({ passed: false, evidence: ["c1"] });
  expect(result.warning).toBeUndefined();
  expect(result.message).toMatchInlineSnapshot(
    `"1 call of refund (PERMISSION_DENIED), and none is allowed"`,
  );
  const unknown = { ...denied, tools: [] };
  expect(passes({ type: "forbidden_tool", tool: "refund" }, unknown)).toBe(false);
});

test("forbidden_tool warns of a name that no world has, with the nearest", () => {
  const result = judge({ type: "forbidden_tool", tool: "reserve_slut" });
  expect(result.passed).toBe(true);
  expect(result.warning).toMatchInlineSnapshot(
    `"the world has no tool "reserve_slut"; did you mean "reserve_slot"?"`,
  );
  expect(judge({ type: "forbidden_tool", tool: "cancel_slot" }).warning).toBeUndefined();
});

test("tool_order takes other calls between, and not another order", () => {
  const order = (...tools: string[]): Evaluated => judge({ type: "tool_order", tools });
  expect(order("check_slot", "reserve_slot")).toMatchObject({
    passed: true,
    evidence: ["c1", "c2"],
  });
  expect(order("reserve_slot", "reserve_slot").passed).toBe(true);
  expect(order("reserve_slot", "check_slot").passed).toBe(false);
  expect(order("reserve_slot", "check_slot").message).toMatchInlineSnapshot(
    `"no call of check_slot after reserve_slot, and reserve_slot, check_slot are expected in this order: 3 calls: check_slot, reserve_slot, reserve_slot"`,
  );
});

test("required_call finds a call by some of its arguments", () => {
  const required = (args?: Json): Evaluated =>
    judge({ type: "required_call", tool: "reserve_slot", ...(args === undefined ? {} : { args }) });
  expect(required()).toMatchObject({ passed: true, evidence: ["c2", "c3"] });
  expect(required({ at: "2026-02-01T09:00:00Z" })).toMatchObject({ evidence: ["c2"] });
  expect(required({ slot: "slot_1" }).passed).toBe(false);
  expect(required({ slot: "slot_1" }).message).toContain("2 calls of reserve_slot");
});

test("tool_budget bounds the calls of one tool from both sides", () => {
  const budget = (max: number, min?: number): boolean =>
    passes({
      type: "tool_budget",
      tool: "reserve_slot",
      max,
      ...(min === undefined ? {} : { min }),
    });
  expect(budget(2)).toBe(true);
  expect(budget(1)).toBe(false);
  expect(budget(5, 3)).toBe(false);
  expect(budget(5, 2)).toBe(true);
});

test("argument holds a predicate to every call of the tool: refund at most 500", () => {
  const seed: TrialSeed = {
    calls: [
      { tool: "refund", args: { amount: 500 } },
      { tool: "refund", args: { amount: 501 } },
      { tool: "other", args: { amount: 9999 } },
    ],
  };
  const most = { type: "argument", tool: "refund", path: "/amount", comparison: "<=" };
  const result = judge({ ...most, expected: 500 }, seed);
  expect(result).toMatchObject({ passed: false, evidence: ["c2"], actual: 501, expected: 500 });
  expect(result.message).toMatchInlineSnapshot(
    `"/amount of refund is 501, and at most 500 is expected"`,
  );
  expect(passes({ ...most, expected: 501 }, seed)).toBe(true);
  expect(passes({ ...most, path: "/amont", expected: 501 }, seed)).toBe(false);
  expect(
    passes({ type: "argument", tool: "reserve_slot", path: "/slot", expected: "slot_42" }),
  ).toBe(true);
  expect(passes({ type: "argument", tool: "reserve_slot", path: "/slot", pattern: "^slot_" })).toBe(
    true,
  );
  expect(passes({ type: "argument", tool: "reserve_slot", path: "/price", pattern: "4" })).toBe(
    false,
  );
});

test("compare takes numbers and ISO dates, and never one with the other", () => {
  const seed: TrialSeed = { state: { n: 5, at: "2026-01-31T23:30:00-02:00", text: "five" } };
  const compare = (path: string, comparison: string, expected: Json): boolean =>
    passes({ type: "compare", path, comparison, expected }, seed);
  expect(compare("/n", "<", 5)).toBe(false);
  expect(compare("/n", "<=", 5)).toBe(true);
  expect(compare("/n", ">=", 5)).toBe(true);
  expect(compare("/n", ">", 4.5)).toBe(true);
  expect(compare("/n", "!=", 4)).toBe(true);
  expect(compare("/n", "!=", 5)).toBe(false);
  expect(compare("/at", ">", "2026-02-01T01:00:00Z")).toBe(true);
  expect(compare("/at", "<", "2026-02-02")).toBe(true);
  expect(compare("/at", "!=", 5)).toBe(false);
  expect(compare("/text", "!=", 5)).toBe(false);
  expect(compare("/nope", "!=", 5)).toBe(false);
});

test("contains finds a part of a text or an element of an array", () => {
  const seed: TrialSeed = {
    state: { text: "Booked slot_42", list: [{ b: 1, a: 2 }, "x"], map: { x: 1 } },
  };
  expect(passes({ type: "contains", path: "/text", expected: "slot_42" }, seed)).toBe(true);
  expect(passes({ type: "contains", path: "/text", expected: "SLOT_42" }, seed)).toBe(false);
  expect(passes({ type: "contains", path: "/list", expected: { a: 2, b: 1 } }, seed)).toBe(true);
  expect(passes({ type: "contains", path: "/list", expected: "y" }, seed)).toBe(false);
  expect(passes({ type: "contains", path: "/map", expected: "x" }, seed)).toBe(false);
  expect(
    passes({ type: "contains", path: "/message", source: "completion", expected: "Booked" }),
  ).toBe(true);
});

test("a pattern that never ends fails its check of the state in time", () => {
  const started = performance.now();
  const seed: TrialSeed = { state: { text: `${"a".repeat(50_000)}!` } };
  const result = judge({ type: "pattern", path: "/text", pattern: "^(a+)+$" }, seed);
  expect(result).toMatchObject({ passed: false });
  expect(result.message).toContain("timed out");
  expect(performance.now() - started).toBeLessThan(2000);
});

test("partial and unordered take what equals does not", () => {
  const seed: TrialSeed = {
    state: { one: { a: 1, b: { c: 2, d: 3 } }, list: [{ id: 1, x: 1 }, { id: 2 }, { id: 2 }] },
  };
  const partial = (path: string, expected: Json): boolean =>
    passes({ type: "partial", path, expected }, seed);
  expect(partial("/one", { b: { d: 3 } })).toBe(true);
  expect(partial("/one", { b: { e: 3 } })).toBe(false);
  expect(partial("/list", [{ id: 1 }, { id: 2 }, {}])).toBe(true);
  expect(partial("/list", [{ id: 1 }])).toBe(false);
  const unordered = (expected: Json): boolean =>
    passes({ type: "unordered", path: "/list", expected }, seed);
  expect(unordered([{ id: 2 }, { x: 1, id: 1 }, { id: 2 }])).toBe(true);
  expect(unordered([{ id: 1, x: 1 }, { id: 1, x: 1 }, { id: 2 }])).toBe(false);
  expect(unordered([{ id: 2 }, { id: 1, x: 1 }])).toBe(false);
});

test("absent and present know null as a value", () => {
  const seed: TrialSeed = { state: { nothing: null } };
  expect(passes({ type: "absent", path: "/nothing" }, seed)).toBe(false);
  expect(passes({ type: "present", path: "/nothing" }, seed)).toBe(true);
  expect(passes({ type: "absent", path: "/nope" }, seed)).toBe(true);
  expect(passes({ type: "present", path: "/nope" }, seed)).toBe(false);
});

test("json_schema names what breaks it", () => {
  const schema = { type: "array", items: { required: ["price", "seat"] } };
  expect(judge({ type: "json_schema", path: "/bookings", schema }).message).toMatchInlineSnapshot(
    `"/bookings: /0 must have required property 'seat'"`,
  );
  expect(passes({ type: "json_schema", path: "/bookings", schema: { type: "array" } })).toBe(true);
  expect(passes({ type: "json_schema", path: "/nope", schema: { type: "array" } })).toBe(false);
});

test("mutations counts the agent's, by tool and path, and no other client's", () => {
  const seed: TrialSeed = {
    ...BOOKED,
    mutations: [
      ...(BOOKED.mutations ?? []),
      { tool: "reserve_slot", path: "/bookings/1", after: { slot: "slot_42" } },
      { tool: "reserve_slot", path: "/bookings/2", after: { slot: "slot_9" }, by: "rival" },
    ],
  };
  const result = judge({ type: "mutations", path: "/bookings", expected: 1 }, seed);
  expect(result).toMatchObject({ passed: false, evidence: ["m1", "m3"], actual: 2, expected: 1 });
  expect(result.message).toMatchInlineSnapshot(
    `"2 mutations were committed at /bookings, and exactly 1 is expected"`,
  );
  expect(passes({ type: "mutations", tool: "reserve_slot", min: 3 }, seed)).toBe(true);
  expect(passes({ type: "mutations", tool: "cancel_slot", max: 0 }, seed)).toBe(true);
  expect(judge({ type: "mutations", tool: "cancel_slt", max: 0 }, seed).warning).toContain(
    '"cancel_slot"',
  );
});

test("a check that only a trial can answer is not passed on a replay, and says so", () => {
  const { trial: _trial, ...replayed } = trialSubject(BOOKED);
  expect(evaluate([{ type: "unchanged", path: "/x" }], replayed)).toMatchInlineSnapshot(`
    [
      {
        "check": {
          "path": "/x",
          "type": "unchanged",
        },
        "crashed": true,
        "message": "the check "unchanged" looks at a fault trial, and this run is none",
        "passed": false,
      },
    ]
  `);
});

test("checks of the output and the calls judge a trial, too, with its evidence", () => {
  expect(passes({ type: "output_contains", value: "slot_42" })).toBe(true);
  expect(judge({ type: "tool_called", name: "reserve_slot", args: { price: 40 } })).toMatchObject({
    passed: true,
    evidence: ["c2", "c3"],
  });
  expect(judge({ type: "tool_not_called", name: "check_slot" })).toMatchObject({
    passed: false,
    evidence: ["c1"],
  });
  expect(judge({ type: "max_tool_calls", value: 2 })).toMatchObject({
    passed: false,
    evidence: ["c3"],
  });
});

test("what a check says and keeps of a large value is short", () => {
  const rows = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, at) => [`row_${at}`, { text: "x".repeat(50) }]),
  );
  const result = judge({ type: "equals", path: "", expected: 1 }, { state: { rows } });
  expect(result.message.length).toBeLessThan(300);
  expect(result).not.toHaveProperty("actual");
});

test("text of the run adds no line and no control character to a check's message", () => {
  const hostile = "x\n::error::y\u001b[2J\u202e";
  const seed: TrialSeed = {
    state: { a: hostile },
    calls: [{ tool: hostile, args: { a: hostile } }],
    completion: { status: "completed", message: hostile },
    tools: [],
  };
  for (const check of [
    { type: "equals", path: "/a", expected: hostile },
    { type: "not_equals", path: "/a", expected: hostile },
    { type: "forbidden_tool", tool: hostile },
    { type: "tool_order", tools: ["a", hostile] },
    { type: "required_call", tool: hostile, args: { a: 1 } },
    { type: "argument", tool: hostile, path: "/a", expected: 1 },
    { type: "honest_completion" },
  ]) {
    const { message, warning = "" } = judge(check, seed);
    expect(`${message} ${warning}`).not.toMatch(/\p{Cc}|\u202e/u);
  }
});

test("every check of a tool that no world has warns, and so does a failure kind that there is none of", () => {
  const missing = 'the world has no tool "chek_slot"; did you mean "check_slot"?';
  const checks: Check[] = [
    { type: "forbidden_tool", tool: "chek_slot" },
    { type: "mutations", tool: "chek_slot", expected: 0 },
    { type: "tool_budget", tool: "chek_slot", max: 1 },
    { type: "argument", tool: "chek_slot", path: "/a", expected: 1 },
    { type: "required_call", tool: "chek_slot" },
    { type: "tool_order", tools: ["chek_slot", "reserve_slot"] },
  ];
  expect(checks.map((check) => judge(check).warning)).toEqual(checks.map(() => missing));
  expect(judge({ type: "no_failure", kinds: ["looop", "loop"] }).warning).toBe(
    'there is no failure kind "looop"; did you mean "loop"?',
  );
  expect(judge({ type: "no_failure", kinds: ["loop"] }).warning).toBeUndefined();
});
