import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Json } from "../shared/json.ts";
import { child } from "../shared/pointer.ts";
import { anyJson } from "../testing/traces.ts";
import { pointerProblem, touches, valueAt } from "./pointer-path.ts";

test("every own member and element is found by the pointer that is made for it", () => {
  fc.assert(
    fc.property(anyJson(), (value) => {
      const walk = (inner: Json, pointer: string): void => {
        expect(pointerProblem(pointer)).toBeUndefined();
        expect(valueAt(value, pointer)).toBe(inner);
        if (typeof inner !== "object" || inner === null) return;
        for (const [key, item] of Object.entries(inner)) walk(item, child(pointer, key));
      };
      walk(value, "");
    }),
    { numRuns: 200 },
  );
});

test("an array has no length, and no member of a prototype is found", () => {
  const value = { list: [1, 2], name: "x" };
  for (const path of [
    "/list/length",
    "/list/-1",
    "/list/01",
    "/list/2",
    "/list/-",
    "/list/1.0",
    "/toString",
    "/__proto__",
    "/name/length",
    "/name/0",
    "/constructor/name",
  ]) {
    expect([path, valueAt(value, path)]).toEqual([path, undefined]);
  }
  expect(valueAt(JSON.parse('{"__proto__":{"a":1}}') as Json, "/__proto__/a")).toBe(1);
});

test("a pointer that does not parse is refused with its place and the remedy", () => {
  expect(pointerProblem("bookings/0")).toMatchInlineSnapshot(
    `""bookings/0" is no JSON Pointer: it does not begin with "/"; write "/bookings/0""`,
  );
  expect(pointerProblem("/a~2b")).toMatchInlineSnapshot(
    `""/a~2b" is no JSON Pointer: "~" at character 3 stands alone; write "~0" for "~", and "~1" for "/" in a name"`,
  );
  expect(pointerProblem("/a~")).toContain('"~" at character 3 stands alone');
  expect(pointerProblem("")).toBeUndefined();
  expect(pointerProblem("/")).toBeUndefined();
  expect(pointerProblem("/~0~1")).toBeUndefined();
});

test("a pointer of 2,000 slashes and a lone ~ is refused at once", () => {
  const started = performance.now();
  expect(pointerProblem(`${"/".repeat(2000)}~`)).toContain("stands alone");
  expect(pointerProblem(`${"/~0".repeat(50_000)}~`)).toContain("stands alone");
  expect(valueAt({}, "/".repeat(2000))).toBeUndefined();
  expect(performance.now() - started).toBeLessThan(100);
});

test("a change touches what is at it, in it, and around it where that became another value", () => {
  const added = { changes: [{ path: "/bookings/0", after: { slot: "a", who: "x" } }] };
  expect(touches(added, "")).toBe(true);
  expect(touches(added, "/bookings")).toBe(true);
  expect(touches(added, "/bookings/0")).toBe(true);
  expect(touches(added, "/bookings/0/slot")).toBe(true);
  expect(touches(added, "/bookings/0/price")).toBe(false);
  expect(touches(added, "/bookings/1")).toBe(false);
  expect(touches(added, "/book")).toBe(false);
  const whole = { changes: [{ path: "/a", before: { b: 1, c: 2 }, after: { b: 1, c: 3 } }] };
  expect(touches(whole, "/a/b")).toBe(false);
  expect(touches(whole, "/a/c")).toBe(true);
});
