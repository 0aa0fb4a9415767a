import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decode, encode } from "./encode.ts";
import { parseJson } from "./parse.ts";

/** JSON without `-0`, which JSON text cannot keep, and with own `__proto__` members. */
// What JSON can hold: it has no -0.
const json = fc
  .jsonValue({ depthSize: "medium" })
  .map((value): unknown => JSON.parse(JSON.stringify(value)))
  .filter((value) => !JSON.stringify(value).includes('"$t"'));

const live = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: "binary" }),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.constant(undefined),
    fc.bigInt(),
    fc.date({ noInvalidDate: false }),
    fc.uint8Array(),
    fc.float64Array(),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(fc.string(), fc.constantFrom("$t", "v", "__proto__", "constructor")),
      tie("value"),
      {
        maxKeys: 4,
      },
    ),
    fc
      .array(fc.tuple(tie("value"), tie("value")), { maxLength: 3 })
      .map((entries) => new Map(entries)),
    fc.array(tie("value"), { maxLength: 3 }).map((items) => new Set(items)),
  ),
})).value;

test("decoding an encoded live value gives an equal one", () => {
  fc.assert(
    fc.property(live, (value) => {
      expect(decode(encode(value))).toEqual(value);
    }),
    { numRuns: 500 },
  );
});

test("an encoded value survives JSON text", () => {
  fc.assert(
    fc.property(live, (value) => {
      const encoded = encode(value);
      expect(parseJson(JSON.stringify(encoded))).toEqual(encoded);
    }),
  );
});

test("encoding plain JSON gives an equal copy that shares nothing with it", () => {
  fc.assert(
    fc.property(json, (value) => {
      const encoded = encode(value);
      expect(encoded).toEqual(JSON.parse(JSON.stringify(value)));
      expect(encoded === value).toBe(typeof value !== "object" || value === null);
    }),
  );
});

test("encoding never throws on anything", () => {
  fc.assert(
    fc.property(
      fc.anything({
        withBigInt: true,
        withDate: true,
        withMap: true,
        withSet: true,
        withNullPrototype: true,
        withObjectString: true,
        withSparseArray: true,
        withTypedArray: true,
        withBoxedValues: true,
      }),
      (value) => {
        expect(() => JSON.stringify(encode(value))).not.toThrow();
      },
    ),
  );
});

test("negative zero, NaN and the infinities come back as they were", () => {
  for (const value of [-0, 0, Number.NaN, Infinity, -Infinity]) {
    expect(Object.is(decode(encode(value)), value)).toBe(true);
  }
});

test("values that JSON cannot hold are kept with a marker", () => {
  const circular: { self?: unknown } = {};
  circular.self = circular;
  const bytes = Buffer.from("hi");
  expect(
    encode({
      big: 9007199254740993n,
      gone: undefined,
      date: new Date(0),
      map: new Map([["a", 1]]),
      set: new Set([1]),
      bytes,
      circular,
      pattern: /a/g,
      url: new URL("http://a/b"),
      call: function refund() {},
      symbol: Symbol("s"),
    }),
  ).toEqual({
    big: { $t: "bigint", v: "9007199254740993" },
    gone: { $t: "undefined" },
    date: { $t: "date", v: "1970-01-01T00:00:00.000Z" },
    map: { $t: "map", v: [["a", 1]] },
    set: { $t: "set", v: [1] },
    bytes: { $t: "bytes", as: "Buffer", v: "aGk=" },
    circular: { self: { $t: "circular" } },
    pattern: { $t: "regexp", v: { source: "a", flags: "g" } },
    url: { $t: "url", v: "http://a/b" },
    call: { $t: "function", v: "refund" },
    symbol: { $t: "symbol", v: "s" },
  });
});

test("throwing getters, proxies and toJSON become a marker that says why, beside members that are well", () => {
  const trap = (): never => {
    throw new Error("boom");
  };
  const value = {
    well: 1,
    get getter() {
      return trap();
    },
    proxy: new Proxy({}, { ownKeys: trap, get: trap, getPrototypeOf: trap, has: trap }),
    revoked: revoked(),
    toJson: { toJSON: trap },
  };
  const encoded = encode(value);
  expect(encoded).toEqual({
    well: 1,
    getter: { $t: "unserializable", v: "boom" },
    proxy: { $t: "unserializable", v: "boom" },
    revoked: { $t: "unserializable", v: expect.stringContaining("revoked") },
    toJson: { $t: "unserializable", v: "boom" },
  });
  expect(decode(encoded)).toEqual(encoded);
});

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

test("a value that throws something that cannot be described is still encoded", () => {
  const thrown = {
    get message(): string {
      throw new Error("again");
    },
  };
  const hostile = {
    toJSON() {
      throw thrown as unknown as Error;
    },
  };
  expect(encode(hostile)).toEqual({ $t: "unserializable", v: "an error that cannot be described" });
});

test("a value nested 10,000 deep is cut by a marker, and its text can be read again", () => {
  let deep: unknown = "end";
  for (let i = 0; i < 10_000; i++) deep = i % 2 === 0 ? [deep] : { deep };
  const text = JSON.stringify(encode(deep));
  expect(text).toContain('{"$t":"truncated","v":"depth"}');
  expect(() => parseJson(`{"steps":[{"result":{"data":${text}}}]}`)).not.toThrow();
});

test("maps and errors nested 1,000 deep stay within the depth that readers take", () => {
  let deep: unknown = 1;
  for (let i = 0; i < 1000; i++)
    deep = i % 2 === 0 ? new Map([[deep, deep === 1 ? 2 : 0]]) : new Error("e", { cause: deep });
  expect(() => parseJson(JSON.stringify(encode(deep)))).not.toThrow();
});

test("toJSON that gives itself ends", () => {
  const itself = {
    toJSON(): object {
      return itself;
    },
  };
  expect(JSON.stringify(encode(itself))).toContain("circular");
});

test("an array that claims four thousand million items ends", () => {
  const encoded = encode(Object.assign([], { length: 2 ** 32 - 1 })) as unknown[];
  expect(encoded.at(-1)).toEqual({ $t: "truncated", v: "nodes" });
});

test("a value that repeats one object is copied at each place, and is not circular", () => {
  const shared = { a: 1 };
  expect(encode([shared, shared])).toEqual([{ a: 1 }, { a: 1 }]);
});

test("an own __proto__ member is kept as data and changes no prototype", () => {
  const value = JSON.parse('{"__proto__":{"x":1},"a":2}') as object;
  const encoded = encode(value);
  expect(JSON.stringify(encoded)).toBe('{"__proto__":{"x":1},"a":2}');
  expect(Object.keys(decode(encoded) as object)).toEqual(["__proto__", "a"]);
  expect(({} as { x?: unknown }).x).toBeUndefined();
  expect((decode(encoded) as { x?: unknown }).x).toBeUndefined();
});

test("an object that has a $t member of its own is no marker", () => {
  const value = { $t: "date", v: "1970-01-01T00:00:00.000Z" };
  expect(encode(value)).toEqual({ $t: "object", v: value });
  expect(decode(encode(value))).toEqual(value);
});

test("an error keeps name, message, code, cause and its own members, and loses its stack", () => {
  const error = Object.assign(new RangeError("too many", { cause: new Error("why") }), {
    code: "E_LIMIT",
    retryAfter: 3,
  });
  const encoded = encode(error);
  expect(JSON.stringify(encoded)).not.toContain("stack");
  const back = decode(encoded) as typeof error;
  expect(back).toBeInstanceOf(RangeError);
  expect({
    name: back.name,
    message: back.message,
    code: back.code,
    retryAfter: back.retryAfter,
  }).toEqual({
    name: "RangeError",
    message: "too many",
    code: "E_LIMIT",
    retryAfter: 3,
  });
  expect((back.cause as Error).message).toBe("why");
});

test("an error of an unknown class comes back under its name", () => {
  class KeyError extends Error {
    override name = "KeyError";
  }
  expect(String(decode(encode(new KeyError("amount"))))).toBe("KeyError: amount");
});

test("a copy does not follow later changes of the value", () => {
  const args = { ids: [1, 2] };
  const encoded = encode(args);
  args.ids.push(3);
  expect(encoded).toEqual({ ids: [1, 2] });
});

test("each decoding gives a fresh copy", () => {
  const encoded = encode({ list: [new Date(0)] });
  expect(decode(encoded)).not.toBe(decode(encoded));
});

test("malformed markers stay as they are", () => {
  const markers = [
    { $t: "bigint", v: "12x" },
    { $t: "bigint", v: "9".repeat(20_000) },
    { $t: "map", v: [1] },
    { $t: "regexp", v: { source: "(", flags: "" } },
    { $t: "url", v: "nowhere" },
    { $t: "bytes", v: 5 },
    { $t: "bytes", v: "AAA=", as: "Float64Array" },
    { $t: "error", v: 1 },
    { $t: "constructor" },
    { $t: 1 },
  ];
  expect(decode(markers as never)).toEqual(markers);
});

test("objects of nothing but hidden state are named", () => {
  expect(encode([Promise.resolve(), new WeakMap(), new AbortController().signal])).toEqual([
    { $t: "unserializable", v: "Promise" },
    { $t: "unserializable", v: "WeakMap" },
    { $t: "unserializable", v: "AbortSignal" },
  ]);
});

test("two queries of a URL are two values", () => {
  const encoded = encode(new URLSearchParams("a=1&a=2"));
  expect(String(decode(encoded))).toBe("a=1&a=2");
});
