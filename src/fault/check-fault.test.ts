import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Json } from "../shared/json.ts";
import { fault } from "./build.ts";
import { faultProblems } from "./check-fault.ts";
import type { Fault } from "./fault.ts";
import { faultTypes } from "./known.ts";

const TOOLS = new Map([
  ["get_order", "read"],
  ["list_orders", "read"],
  ["refund", "write"],
] as const);

function problems(given: object): string[] {
  return faultProblems(given as Fault, TOOLS);
}

test("a problem is a sentence that begins with the field, whatever is given", () => {
  const anyField = fc.constantFrom(
    ...new Set([...faultTypes().values()].flatMap(({ fields }) => Object.keys(fields))),
    "tool",
    "occurrence",
    "repeat",
    "match",
    "per",
    "x",
  );
  const anyFault = fc
    .record({
      type: fc.oneof(fc.constantFrom(...faultTypes().keys()), fc.jsonValue()),
      tool: fc.oneof(fc.constantFrom(...TOOLS.keys()), fc.jsonValue()),
      own: fc.dictionary(anyField, fc.anything(), { maxKeys: 3 }),
    })
    .map(({ own, type, tool }) => Object.assign({ type, tool }, own));
  fc.assert(
    fc.property(fc.oneof(anyFault, fc.anything()), (given) => {
      for (const problem of faultProblems(given as Fault, TOOLS))
        expect(problem).toMatch(/^\S{1,60}: .+/s);
    }),
    { numRuns: 1000 },
  );
});

test("a fault of an unknown type or at an unknown tool is told the nearest name", () => {
  expect([
    ...problems({ type: "timeout-after", tool: "refund" }),
    ...problems({ type: "unavailable", tool: "refnud" }),
    ...problems({ type: "auth_expired", tool: "refund", refresh: "get_ordr" }),
    ...problems({ type: "rate_limit", tool: "refund", retryAfter: 5 }),
  ]).toMatchInlineSnapshot(`
    [
      "type: there is no fault type "timeout-after"; did you mean "timeout_after"?",
      "tool: the world has no tool "refnud"; did you mean "refund"?",
      "refresh: the world has no tool "get_ordr"; did you mean "get_order"?",
      "retryAfter: rate_limit has no such field; did you mean "retryAfterMs"?",
    ]
  `);
});

test("a stale read of a write tool is refused, naming the read tool that it needs", () => {
  expect(problems(fault.staleRead("refund"))).toMatchInlineSnapshot(`
    [
      "tool: stale_read needs a read tool, and "refund" is a write tool; use get_order or list_orders",
    ]
  `);
});

test("a duplicate delivery of a read tool is refused, naming the write tool that it needs", () => {
  expect(problems(fault.duplicateDelivery("get_order"))).toMatchInlineSnapshot(`
    [
      "tool: duplicate_delivery needs a write tool, and "get_order" is a read tool; use refund",
    ]
  `);
});

test("a stale read of the first call can never be reached, and is refused", () => {
  const message =
    "occurrence: the first read has no earlier one, so the fault can never be reached; use 2 or more";
  expect(problems(fault.staleRead("get_order", { occurrence: 1, per: "tool" }))).toEqual([message]);
  expect(problems(fault.staleRead("get_order", { occurrence: 1 }))).toEqual([message]);
  expect(problems(fault.staleRead("get_order", { occurrence: 1, repeat: 2 }))).toEqual([]);
  expect(problems(fault.staleRead("get_order"))).toEqual([]);
});

test("an injection larger than 64 KB is refused with its size", () => {
  const large = "x".repeat(65_535);
  expect(problems(fault.promptInjection("get_order", { replacement: large.slice(2) }))).toEqual([]);
  expect(problems(fault.promptInjection("get_order", { replacement: large }))).toEqual([
    "replacement: it has 65537 bytes, and 65536 are the most; use smaller, plain JSON",
  ]);
  expect(problems(fault.promptInjection("get_order", { text: large }))).toHaveLength(1);
});

test("occurrence and repeat that go beyond the thousandth call are refused", () => {
  expect(problems(fault.unavailable("refund", { occurrence: 999, repeat: 2 }))).toEqual([]);
  expect([
    ...problems(fault.unavailable("refund", { occurrence: 1000, repeat: 2 })),
    ...problems(fault.unavailable("refund", { occurrence: 0 })),
    ...problems(fault.unavailable("refund", { repeat: 1.5 })),
    ...problems(fault.unavailable("refund", { occurrence: 1001 })),
  ]).toMatchInlineSnapshot(`
    [
      "repeat: the last call that is hit would be the 1001st, and 1000 is the most; use a smaller \`repeat\` or \`occurrence\`",
      "occurrence: 0 is no whole number from 1 to 1000; use one",
      "repeat: 1.5 is no whole number from 1 to 1000; use one",
      "occurrence: 1001 is no whole number from 1 to 1000; use one",
    ]
  `);
});

test("a permission is revoked once", () => {
  expect(problems(fault.permissionRevoked("refund", { repeat: 2 }))).toHaveLength(1);
  expect(problems(fault.permissionRevoked("refund", { repeat: 1, restoreAfter: 2 }))).toEqual([]);
});

test("what is missing, of another shape or beside the point is named with the remedy", () => {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  const given: object[] = [
    null as unknown as object,
    { tool: "refund" },
    { type: "unavailable" },
    { type: "prompt_injection", tool: "get_order" },
    fault.promptInjection("get_order", { replacement: null, text: "x" }),
    fault.promptInjection("get_order", { text: "x", field: "note" }),
    { type: "prompt_injection", tool: "get_order", replacement: { at: new Date(0) } },
    { type: "unavailable", tool: "refund", match: cycle },
    { type: "unavailable", tool: "refund", match: 5, per: "day" },
    { type: "duplicate_delivery", tool: "refund", respond: "second" },
    { type: "slow_response", tool: "refund", delayMs: -1 },
    { type: "unavailable", tool: "refund", code: "", retryable: "no" },
    fault.authExpired("refund", { refresh: "refund" }),
    fault.delayedCommit("refund", { afterCalls: 1, afterMs: 1 }),
    fault.truncatedOutput("refund", { length: 1, items: 1 }),
    fault.schemaDrift("refund", { rename: ["a"] }),
    fault.paginationLoss("get_order", { drop: -1 }),
    fault.concurrentModification("refund", { change: { stock: 1 } as Json }),
    fault.staleRead("get_order", { ignore: [] }),
  ];
  expect(given.flatMap((one) => problems(one)).join("\n")).toMatchInlineSnapshot(`
    "fault: it must be an object, such as { "type": "timeout_after", "tool": "send" }
    type: it is missing; use one of timeout_after, duplicate_delivery, timeout_before, unavailable, malformed, permission_revoked, auth_expired, concurrent_modification, crash_restart, delayed_commit, empty_result, error_in_success, late_redelivery, pagination_loss, partial_write, poisoned_description, prompt_injection, rate_limit, schema_drift, silent_noop, slow_response, stale_read, truncated_output, wrong_type
    tool: null is no tool's name; name one of the world's tools
    replacement: prompt_injection needs \`replacement\` or \`text\`; give it
    text: \`replacement\` already is all that the agent gets; give one of the two
    field: it names a member that is added; set \`mode\` to "field"
    replacement: the value at /at is no JSON; use smaller, plain JSON
    match: the value at /self is no JSON; use plain JSON
    match: it must be an object of arguments, such as { "id": 7 }
    per: "day" cannot be counted by; use "tool" or "arguments"
    respond: "second" is not one of "first", "last"; use one of them
    delayMs: -1 is no time; use whole milliseconds from 0 to 86400000
    code: "" is no code; use a text such as "NOT_FOUND", or a number
    retryable: "no" is not true or false; use one
    refresh: the tool cannot renew its own sign-in; name another tool
    afterMs: the moment is already given by \`afterCalls\`; give one of the two
    items: the text is already cut at \`length\`; give one of the two
    rename: it must say new names by old ones, such as { "orderId": "order_id" }
    drop: it must be "last", "first" or the place of the item, from 0
    change: it must be new values by JSON Pointer, such as { "/stock/apple": 0 }
    ignore: [] is no list of texts; use one such as ["/requestId"]"
  `);
});
