import { runInThisContext } from "node:vm";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { nameArguments, parameterNames, positional } from "./arguments.ts";

test("no argument is an empty object, one plain object is the arguments themselves", () => {
  expect(nameArguments([])).toEqual({ args: {} });
  expect(nameArguments([undefined, undefined])).toEqual({ args: {} });
  expect(nameArguments([{ id: 1 }], ["order"])).toEqual({ args: { id: 1 } });
  expect(nameArguments([Object.create(null)])).toEqual({ args: {} });
});

test("other arguments are named by the parameters, else by their place", () => {
  expect(nameArguments([1, "b"], ["a", "b"])).toEqual({
    args: { a: 1, b: "b" },
    params: ["a", "b"],
  });
  expect(nameArguments([1, 2], ["a"])).toEqual({ args: { a: 1, _1: 2 }, params: ["a"] });
  expect(nameArguments([[1]])).toEqual({ args: { _0: [1] } });
  expect(nameArguments([new Date(0), undefined])).toMatchObject({ args: { _0: { $t: "date" } } });
  expect(nameArguments([{ a: 1 }, 2], ["x", "y"]).args).toEqual({ x: { a: 1 }, y: 2 });
});

test("an argument that is called __proto__ stays an own member", () => {
  const { args } = nameArguments([1], ["__proto__"]);
  expect(Object.keys(args as object)).toEqual(["__proto__"]);
  expect(Object.getPrototypeOf(args)).toBe(Object.prototype);
});

test("the copy shares nothing with what was given", () => {
  const given = { deep: { list: [1] } };
  const { args } = nameArguments([given]);
  given.deep.list.push(2);
  expect(args).toEqual({ deep: { list: [1] } });
});

test("parameter names are read from sources that show plain ones", () => {
  expect(parameterNames((a: number, b: number) => a + b)).toEqual(["a", "b"]);
  expect(
    parameterNames(async function named(id: string, limit = 5) {
      return [id, limit];
    }),
  ).toEqual(["id", "limit"]);
  expect(parameterNames((x: unknown) => x)).toEqual(["x"]);
  const { method } = {
    method(this: void, first: number, ...rest: number[]) {
      return [first, rest];
    },
  };
  expect(parameterNames(method)).toEqual(["first"]);
  expect(
    parameterNames(async function* (id: string) {
      yield id;
    }),
  ).toEqual(["id"]);
  expect(parameterNames(runInThisContext("async e=>e"))).toEqual(["e"]);
});

test("parameter names are unknown for destructured, native, bound and class functions", () => {
  expect(parameterNames(({ id }: { id: string }) => id)).toBeUndefined();
  expect(parameterNames((first: number, { id }: { id: string }) => [first, id])).toBeUndefined();
  expect(parameterNames(Math.max)).toBeUndefined();
  expect(
    parameterNames(
      function (this: unknown, a: number) {
        return [this, a];
      }.bind(null),
    ),
  ).toBeUndefined();
  expect(
    parameterNames(
      class A {
        readonly a: number;
        constructor(a: number) {
          this.a = a;
        }
      },
    ),
  ).toBeUndefined();
  expect(parameterNames(() => 1)).toBeUndefined();
  expect(parameterNames((list = [1]) => list)).toBeUndefined();
});

test("named arguments are given by position where the parameters name all of them, else as one object", () => {
  expect(positional({ b: 2, a: 1 }, ["a", "b"])).toEqual([1, 2]);
  expect(positional({ b: 2 }, ["a", "b", "c"])).toEqual([undefined, 2]);
  expect(positional({ id: 1 }, ["order"])).toEqual([{ id: 1 }]);
  expect(positional({}, ["a"])).toEqual([{}]);
  expect(positional({ a: 1 })).toEqual([{ a: 1 }]);
});

test("naming arguments never throws and gives JSON", () => {
  fc.assert(
    fc.property(
      fc.array(fc.anything({ withBigInt: true, withMap: true, withDate: true })),
      fc.array(fc.string()),
      (args, params) => {
        const named = nameArguments(args, params);
        expect(JSON.parse(JSON.stringify(named))).toEqual(named);
      },
    ),
  );
});

test("reading parameter names from any text of a function ends at once", () => {
  const hostile = { toString: () => `(${"a,".repeat(50_000)}` };
  expect(parameterNames(hostile)).toBeUndefined();
  const names = Array.from({ length: 400 }, (_, i) => `p${i}`);
  const long: object = runInThisContext(`(${names.join(",")}) => 1`);
  expect(() => parameterNames(long)).not.toThrow();
});
