import * as fc from "fast-check";
import { expect, test } from "vitest";
import { traceErrorSchema } from "../trace/trace.ts";
import { describeError, errorOf, rebuildError, toolError } from "./tool-error.ts";

function again(thrown: unknown): any {
  return rebuildError(JSON.parse(JSON.stringify(describeError(thrown))));
}

test("an error of the language is rebuilt as one of its own class", () => {
  for (const Class of [
    Error,
    TypeError,
    RangeError,
    SyntaxError,
    ReferenceError,
    EvalError,
    URIError,
  ]) {
    const rebuilt = again(new Class("no"));
    expect(rebuilt).toBeInstanceOf(Class);
    expect([rebuilt.name, rebuilt.message, rebuilt.constructor.name]).toEqual([
      Class.name,
      "no",
      Class.name,
    ]);
  }
});

test("an error of a user's class keeps the name of its class, however the class tells it", () => {
  class KeyError extends Error {}
  class Declined extends Error {
    override name = "Declined";
  }
  const named = Object.assign(new Error("no"), { name: "ApiError" });
  for (const [error, name] of [
    [new KeyError("no"), "KeyError"],
    [new Declined("no"), "Declined"],
    [named, "ApiError"],
  ] as const) {
    const rebuilt = again(error);
    expect(rebuilt).toBeInstanceOf(Error);
    expect([rebuilt.name, rebuilt.constructor.name, rebuilt.message, String(rebuilt)]).toEqual([
      name,
      name,
      "no",
      `${name}: no`,
    ]);
  }
});

test("code, retryable and other members come back, the code with its type", () => {
  const error = Object.assign(new Error("card closed"), {
    code: "DECLINED",
    retryable: false,
    status: 402,
    detail: { at: new Date(0) },
  });
  expect(again(error)).toMatchObject({
    code: "DECLINED",
    retryable: false,
    status: 402,
    detail: { at: new Date(0) },
  });
  expect(describeError(error)).toMatchObject({
    code: "DECLINED",
    retryable: false,
    data: { status: 402 },
  });
  expect(again(Object.assign(new Error("x"), { code: 429 })).code).toBe(429);
});

test("a cause comes back with its own class and code", () => {
  const cause = Object.assign(new RangeError("refused"), { code: "ECONNREFUSED" });
  const rebuilt = again(new TypeError("fetch failed", { cause }));
  expect(rebuilt.cause).toBeInstanceOf(RangeError);
  expect(rebuilt.cause.code).toBe("ECONNREFUSED");
  expect(Object.keys(rebuilt)).toEqual([]);
});

test("a long or circular chain of causes is cut", () => {
  const error: Error & { cause?: unknown } = new Error("round");
  error.cause = error;
  expect(JSON.stringify(describeError(error)).length).toBeLessThan(1000);
});

test("a thrown value that is no error comes back as it was", () => {
  for (const value of ["no", 5, null, undefined, { code: "X", message: "no" }, ["a"]])
    expect(again(value)).toEqual(value);
  expect(describeError({ code: "X", message: "no", retryable: true })).toMatchObject({
    code: "X",
    message: "no",
    retryable: true,
  });
  expect(describeError("no").message).toBe("no");
});

test("stacks are never kept and absolute paths are cut to the file's name", () => {
  const error = new Error(
    "Cannot find /home/ada/shop/src/a.ts:3:1 imported from file:///srv/x/b.mjs or C:\\Users\\ada\\c.js",
  );
  const described = describeError(error);
  expect(described.message).toBe("Cannot find a.ts:3:1 imported from b.mjs or c.js");
  expect(JSON.stringify(described)).not.toContain("stack");
});

test("paths of an interface are no paths of the machine", () => {
  for (const text of [
    "GET /api/v1/users/8812 failed",
    "https://shop.example/home/a",
    "a/b and 1/2",
    "503 at /orders",
  ]) {
    expect(describeError(new Error(text)).message).toBe(text);
  }
});

test("toolError makes an error with a code that a tool can throw", () => {
  const error = toolError("DECLINED", "card closed", { retryable: false });
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({
    name: "ToolError",
    code: "DECLINED",
    message: "card closed",
    retryable: false,
  });
});

test("an error is an error for every description", () => {
  expect(errorOf({ message: "x", data: { $t: "thrown", v: 1 } })).toBeInstanceOf(Error);
  expect(errorOf({ name: "__proto__", message: "x" }).name).toBe("__proto__");
});

test("whatever is thrown is described as the format wants, and rebuilding never throws", () => {
  const bomb = new Proxy(new Error("x"), {
    get() {
      throw new Error("get");
    },
  });
  const hostile = fc.oneof(
    fc.anything({ withBigInt: true, withNullPrototype: true }),
    fc
      .anything()
      .map((value) =>
        Object.assign(new Error("x"), { cause: value, code: value, name: value, data: value }),
      ),
    fc.constant(bomb),
  );
  fc.assert(
    fc.property(hostile, (thrown) => {
      const described = describeError(thrown);
      expect(traceErrorSchema.parse(described)).toEqual(described);
      expect(JSON.parse(JSON.stringify(described))).toEqual(described);
      rebuildError(described);
    }),
  );
});

test("an error of another realm is an error here", async () => {
  const { runInNewContext } = await import("node:vm");
  const foreign = runInNewContext("new TypeError('no')");
  expect(describeError(foreign)).toEqual({ name: "TypeError", message: "no" });
  expect(again(foreign)).toBeInstanceOf(TypeError);
});

test("an AbortError of the platform keeps its name", () => {
  expect(again(new DOMException("stopped", "AbortError"))).toMatchObject({
    name: "AbortError",
    message: "stopped",
  });
});

test("looking for paths in a hostile message takes no time", () => {
  const killers = ["/\u00e9", "/home/", "/a", "file:///", "C:\\\\a\\\\", " /a/b", ":/x/", "/a.ts"];
  for (const killer of killers) {
    const started = performance.now();
    describeError(new Error(killer.repeat(50_000)));
    expect(performance.now() - started).toBeLessThan(500);
  }
});
