import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decode, encode } from "../shared/encode.ts";
import { canonical, type Json } from "../shared/json.ts";
import { members } from "../shared/pointer.ts";
import { defineWorld } from "./define.ts";
import { openWorld } from "./open.ts";
import type { Change } from "./world.ts";

const RUNS = { numRuns: Number(process.env["TWICESHY_FUZZ"] ?? 150) };
const clock = { now: () => 0, sleep: async () => undefined, real: <T>(work: Promise<T>) => work };

/** One edit of a state, made at a container that is chosen by number. */
interface Step {
  readonly at: number;
  readonly op: string;
  readonly a: number;
  readonly b: number;
  readonly value: Json;
}

const KEYS = ["a", "b", "c", "1", "0", "__proto__", "x/y", "t~", "length", "constructor"];
const json = fc
  .jsonValue({ maxDepth: 2 })
  .map((value) => JSON.parse(JSON.stringify(value)) as Json);
const step: fc.Arbitrary<Step> = fc.record({
  at: fc.nat(40),
  op: fc.constantFrom(
    "set",
    "set",
    "setFresh",
    "delete",
    "push",
    "pop",
    "shift",
    "unshift",
    "splice",
    "sort",
    "reverse",
    "length",
    "move",
    "copy",
    "filter",
    "map",
    "spread",
    "assign",
    "fill",
    "jsonCopy",
    "read",
    "swap",
  ),
  a: fc.nat(9),
  b: fc.nat(9),
  value: json,
});
const state = fc.record({
  rows: fc.array(fc.record({ id: fc.nat(5), tags: fc.array(fc.nat(4), { maxLength: 3 }) }), {
    maxLength: 5,
  }),
  map: fc.dictionary(fc.constantFrom(...KEYS), json, { maxKeys: 4 }),
  deep: fc.record({ list: fc.array(json, { maxLength: 4 }), leaf: json }),
});

type Any = Record<string, unknown> & unknown[];

/** Every container of a live value, in order; the same one only once. */
function containers(root: unknown): Any[] {
  const found: Any[] = [];
  const visit = (value: unknown, depth: number): void => {
    if (typeof value !== "object" || value === null || depth > 6 || found.includes(value as Any))
      return;
    found.push(value as Any);
    for (const key of Object.keys(value)) visit((value as Any)[key as never], depth + 1);
  };
  visit(root, 0);
  return found;
}

function define(target: Any, key: string, value: unknown): void {
  Object.defineProperty(target, key, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}

const ARRAY_OPS: Record<string, (list: Any, step: Step) => unknown> = {
  set: (list, { a, value }) => (list[a % (list.length + 2)] = value),
  delete: (list, { a }) => Reflect.deleteProperty(list, a),
  push: (list, { value }) => list.push(value, { fresh: value }),
  pop: (list) => list.pop(),
  shift: (list) => list.shift(),
  unshift: (list, { value }) => list.unshift(value),
  splice: (list, { a, b, value }) => list.splice(a % (list.length + 1), b % 3, value),
  sort: (list) =>
    list.sort((x, y) => ((JSON.stringify(x) ?? "") < (JSON.stringify(y) ?? "") ? -1 : 1)),
  reverse: (list) => list.reverse(),
  length: (list, { a }) => (list.length = a % (list.length + 2)),
  fill: (list, { value }) => list.fill(value, 0, 1),
  swap: (list, { a, b }) => {
    if (list.length < 2) return;
    const [i, j] = [a % list.length, b % list.length];
    [list[i], list[j]] = [list[j], list[i]];
  },
};

/** One step, as a tool would write it; the same code on a draft and on a plain copy. */
function run(root: Any, step: Step): void {
  const all = containers(root);
  const target = all[step.at % all.length] as Any;
  const key = Array.isArray(target)
    ? String(step.a % (target.length + 1))
    : (KEYS[step.a] as string);
  const arrayOp = Array.isArray(target) ? ARRAY_OPS[step.op] : undefined;
  if (arrayOp !== undefined) return void arrayOp(target, step);
  const inner = Object.hasOwn(target, key) ? target[key as never] : undefined;
  const other = all[(step.at + step.b) % all.length] as Any;
  if (step.op === "set") define(target, key, step.value);
  else if (step.op === "setFresh") {
    const fresh: Record<string, unknown> = { kept: inner ?? null, list: [step.value] };
    define(target, key, fresh);
    fresh["later"] = step.b;
  } else if (step.op === "delete" && !Array.isArray(target)) delete target[key as never];
  else if (
    step.op === "move" &&
    !containers(inner).includes(target) &&
    !containers(inner).includes(other)
  ) {
    if (Array.isArray(other)) other.push(inner ?? null);
    else define(other, "moved", inner ?? null);
    if (!Array.isArray(target)) delete target[key as never];
  } else if (step.op === "copy")
    define(other, Array.isArray(other) ? "0" : "copy", JSON.parse(JSON.stringify(target)));
  else if (step.op === "filter" && Array.isArray(inner))
    define(
      target,
      key,
      (inner as Any).filter((_, i) => i !== step.b % 3),
    );
  else if (step.op === "map" && Array.isArray(inner))
    define(
      target,
      key,
      (inner as Any).map((x, i) =>
        i === step.b % 3 && typeof x === "object" && x !== null
          ? Object.assign({}, x, { mapped: step.b })
          : x,
      ),
    );
  else if (step.op === "spread" && typeof inner === "object" && inner !== null)
    define(
      target,
      key,
      Array.isArray(inner) ? [...(inner as Any), step.value] : { ...inner, spread: step.value },
    );
  else if (step.op === "assign" && !Array.isArray(target))
    Object.assign(target, { a: step.value, b: step.b });
  else if (step.op === "jsonCopy" && inner !== undefined)
    define(target, key, JSON.parse(JSON.stringify(inner)));
  else if (step.op === "read")
    JSON.stringify([target, Object.keys(target), Object.entries(target), key in target]);
}

const NAMES = { set: "set", other: "other", read: "read", fail: "fail" } as const;

function worldOf(start: unknown) {
  const tools = Object.fromEntries(
    Object.values(NAMES).map((name) => [
      name,
      {
        kind: name === "read" ? ("read" as const) : ("write" as const),
        execute(args: { steps: Step[] }, draft: object): unknown {
          for (const one of args.steps) run(draft as Any, one);
          if (name === "fail") throw new Error("declined");
          return JSON.parse(JSON.stringify(draft)) as Json;
        },
      },
    ]),
  );
  return defineWorld({ state: start as object, tools: tools as never });
}

/** Applies changes one after the other, as their paths say. */
function replay(start: Json, changes: readonly Change[]): Json {
  const root = structuredClone(start);
  for (const { path, ...change } of changes) {
    const parts = members(path);
    const last = parts.pop() as string;
    let at = root as Any;
    for (const part of parts) at = at[part as never] as Any;
    const here = Object.hasOwn(at, last) ? (at[last as never] as Json) : undefined;
    const adds = !("before" in change);
    const wasThere =
      here === undefined || (adds && Array.isArray(at)) ? undefined : canonical(here);
    expect(wasThere).toBe("before" in change ? canonical(change.before) : undefined);
    if (Array.isArray(at)) {
      const index = Number(last);
      if (index > at.length) throw new Error(`${path} is beyond the array`);
      at.splice(
        index,
        adds ? 0 : 1,
        ...("after" in change ? [structuredClone(change.after) as never] : []),
      );
    } else if ("after" in change) define(at, last, structuredClone(change.after));
    else delete at[last as never];
  }
  return root;
}

function deepFrozen(value: unknown): boolean {
  return containers(value).every((one) => Object.isFrozen(one));
}

test("a program of edits through a draft gives the state that it gives on a plain copy", () => {
  fc.assert(
    fc.property(
      state,
      fc.array(fc.array(step, { maxLength: 6 }), { maxLength: 4 }),
      (start, programs) => {
        const given = JSON.parse(JSON.stringify(start)) as Json;
        const world = worldOf(given);
        const open = openWorld(world, { clock });
        let expected = structuredClone(given);
        for (const [i, steps] of programs.entries()) {
          const live = structuredClone(expected) as unknown as Any;
          for (const one of structuredClone(steps)) run(live, one);
          expected = JSON.parse(JSON.stringify(live)) as Json;
          const result = open.answer({
            id: `call_${i}`,
            tool: "set",
            args: encode({ steps }),
          });
          expect(open.issues).toEqual([]);
          expect(result).toMatchObject({ ok: true });
          expect(canonical(decode((result as { data: Json }).data) as Json)).toBe(
            canonical(expected),
          );
          expect(canonical(open.snapshot())).toBe(canonical(expected));
        }
        expect(canonical(world.state as Json)).toBe(canonical(given));
        expect(deepFrozen(world.state)).toBe(true);
        expect(canonical(open.initial("") as Json)).toBe(canonical(given));
      },
    ),
    RUNS,
  );
});

test("the changes of all mutations, applied one after the other to the start state, give the end state", () => {
  fc.assert(
    fc.property(
      state,
      fc.array(fc.array(step, { maxLength: 6 }), { maxLength: 4 }),
      (start, programs) => {
        const given = JSON.parse(JSON.stringify(start)) as Json;
        const open = openWorld(worldOf(given), { clock });
        for (const [i, steps] of programs.entries()) {
          const before = open.snapshot();
          const count = open.mutations.length;
          void open.answer({ id: `call_${i}`, tool: "set", args: encode({ steps }) });
          const made = open.mutations.slice(count).flatMap(({ changes }) => changes);
          expect(canonical(replay(before, made))).toBe(canonical(open.snapshot()));
          expect(made.length === 0).toBe(canonical(before) === canonical(open.snapshot()));
        }
      },
    ),
    RUNS,
  );
});

test("a delivery that commits the first changes alone leaves what these changes give", () => {
  fc.assert(
    fc.property(state, fc.array(step, { maxLength: 6 }), fc.nat(5), (start, steps, first) => {
      const given = JSON.parse(JSON.stringify(start)) as Json;
      const whole = openWorld(worldOf(given), { clock });
      const part = openWorld(worldOf(given), { clock });
      const call = { id: "call_1", tool: "set", args: encode({ steps }) };
      void whole.answer(call);
      void part.deliver(call, { commit: { first } });
      const changes = whole.mutations.flatMap((mutation) => mutation.changes);
      const kept = part.mutations.flatMap((mutation) => mutation.changes);
      expect(kept).toEqual(changes.slice(0, first));
      expect(canonical(part.snapshot())).toBe(canonical(replay(given, kept)));
    }),
    RUNS,
  );
});

test("a call that ends with an error, or whose delivery commits nothing, changes nothing", () => {
  fc.assert(
    fc.property(state, fc.array(step, { maxLength: 6 }), (start, steps) => {
      const given = JSON.parse(JSON.stringify(start)) as Json;
      const open = openWorld(worldOf(given), { clock });
      const args = encode({ steps });
      expect(open.answer({ id: "call_1", tool: "fail", args })).toMatchObject({ ok: false });
      void open.deliver({ id: "call_2", tool: "set", args }, { commit: "none" });
      void open.answer({ id: "call_3", tool: "read", args });
      expect(canonical(open.snapshot())).toBe(canonical(given));
      expect(open.mutations).toEqual([]);
    }),
    RUNS,
  );
});
