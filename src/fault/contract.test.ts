import { expect, test } from "vitest";
import { fault } from "./build.ts";
import * as builtin from "./builtin.ts";
import { faultProblems } from "./check-fault.ts";
import type { Fault, FaultType } from "./fault.ts";
import { faultTypes } from "./known.ts";

const TYPES = Object.entries<FaultType>(builtin);
const TOOLS = new Map([
  ["get", "read"],
  ["set", "write"],
] as const);

test("each type has a name of its own, and those that people meet most often come first", () => {
  expect(faultTypes().size).toBe(TYPES.length);
  expect([...faultTypes().keys()].slice(0, 7)).toEqual([
    "timeout_after",
    "duplicate_delivery",
    "timeout_before",
    "unavailable",
    "malformed",
    "permission_revoked",
    "auth_expired",
  ]);
});

test.for(TYPES)("%s keeps the contract of a fault type", ([name, type]) => {
  expect(type.type).toBe(name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  expect(type.label).toMatch(/^[a-z][a-z -]{3,40}$/);
  expect(type.summary).toMatch(/^[A-Z].{30,220}\.$/);
  expect(type.appliesTo.length).toBeGreaterThan(0);
  for (const field of Object.keys(type.fields)) {
    expect(field).toMatch(/^[a-z][A-Za-z]*$/);
    expect(["type", "tool", "occurrence", "repeat", "match", "per"]).not.toContain(field);
  }
  for (const wanted of type.required ?? [])
    for (const field of [wanted].flat()) expect(Object.keys(type.fields)).toContain(field);
  expect(type.matrix !== false && type.required !== undefined).toBe(false);
});

test.for(TYPES)("%s has a builder, and a minimal fault of it is accepted", ([name, type]) => {
  const build = fault[name as keyof typeof fault] as (tool: string, own?: object) => Fault;
  const tool = type.appliesTo.includes("write") ? "set" : "get";
  const minimal = build(tool, type.sample);
  expect(minimal).toEqual({ type: type.type, tool, ...type.sample });
  expect(faultProblems(minimal, TOOLS)).toEqual([]);
  expect(faultProblems(minimal, undefined)).toEqual([]);
});

test("builders take the type's own fields and no others", () => {
  expect(fault.rateLimit("get", { retryAfterMs: 5000, code: 429, occurrence: 2 })).toEqual({
    type: "rate_limit",
    tool: "get",
    retryAfterMs: 5000,
    code: 429,
    occurrence: 2,
  });
  // @ts-expect-error a lost confirmation has no retryAfterMs
  fault.timeoutAfter("get", { retryAfterMs: 1 });
  // @ts-expect-error the mode is one of three words
  fault.promptInjection("get", { text: "x", mode: "prepend" });
  // @ts-expect-error an injection needs its payload
  fault.promptInjection("get");
});
