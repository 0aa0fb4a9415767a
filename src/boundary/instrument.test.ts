import { expect, expectTypeOf, test, vi } from "vitest";
import type { ToolResult } from "../trace/trace.ts";
import { within } from "./ambient.ts";
import { boundary, liveAnswer, type Answer, type Boundary, type ToolCall } from "./boundary.ts";
import { instrument, wrapTools } from "./instrument.ts";

function listening(answer: Answer = liveAnswer): {
  readonly calls: ToolCall[];
  readonly boundary: Boundary;
} {
  const calls: ToolCall[] = [];
  const layer = (call: ToolCall, next: Answer): ReturnType<Answer> => {
    calls.push(call);
    return next(call);
  };
  return { calls, boundary: boundary([layer], answer) };
}

const data = (value: unknown): ToolResult => ({ ok: true, data: value as never });

test("outside of a boundary a tool is called straight, with the very same values", () => {
  const given = { id: 1 };
  const tools = instrument({ echo: (value: object) => value });
  expect(tools.echo(given)).toBe(given);
});

test("inside a boundary the agent gets the tool's own value, the boundary a copy", () => {
  const { calls, boundary: inside } = listening();
  const given = { id: 1 };
  const tools = instrument({ echo: (value: object) => value });
  const got = within(inside, () => tools.echo(given));
  expect(got).toBe(given);
  expect(calls).toMatchObject([{ id: "call_1", tool: "echo", args: { id: 1 } }]);
  expect(calls[0]?.args).not.toBe(given);
});

test("types stay, and name, length, own members and source, too", () => {
  const refund = async (id: string, amount: number): Promise<string> => `${id}${amount}`;
  refund.schema = { a: 1 };
  const tools = instrument({ refund });
  expectTypeOf(tools).toEqualTypeOf<{ refund: typeof refund }>();
  expect([tools.refund.name, tools.refund.length, tools.refund.schema]).toEqual([
    "refund",
    2,
    { a: 1 },
  ]);
  expect(String(tools.refund)).toBe(String(refund));
  expect(() => Function.prototype.toString.call(tools.refund)).not.toThrow();
  expect(Object.keys(tools)).toEqual(["refund"]);
  expect(Object.prototype.toString.call(tools.refund)).toBe("[object AsyncFunction]");
});

test("a runner's mock function stays one", () => {
  const tools = instrument({ refund: vi.fn<(id: string) => string>((id) => id) });
  tools.refund.mockReturnValueOnce("mocked");
  expect(tools.refund("a")).toBe("mocked");
  expect(within(listening().boundary, () => tools.refund("b"))).toBe("b");
  expect(tools.refund).toHaveBeenCalledTimes(2);
});

test("this is the object that the tool is called on", () => {
  const tools = instrument({
    who(): unknown {
      return this;
    },
  });
  expect(tools.who()).toBe(tools);
  const other = Object.create(tools) as typeof tools;
  expect(within(listening().boundary, () => other.who())).toBe(other);
});

test("an instance of a class keeps its methods, fields and private members", async () => {
  class Shop {
    #orders = ["A-1"];
    readonly url = "https://shop.example";
    async find(id: string): Promise<string | undefined> {
      return this.has(id) ? `${this.url}/${id}` : undefined;
    }
    has(id: string): boolean {
      return this.#orders.includes(id);
    }
  }
  const { calls, boundary: inside } = listening();
  const shop = instrument(new Shop());
  expect(shop).toBeInstanceOf(Shop);
  expect(shop.url).toBe("https://shop.example");
  expect(await within(inside, () => shop.find("A-1"))).toBe("https://shop.example/A-1");
  expect(calls.map((call) => call.tool)).toEqual(["find"]);
});

test("a result that a layer replaces is what the agent gets, decoded and fresh each time", () => {
  const tools = instrument({ read: () => ({ at: new Date(1) }) });
  const { boundary: inside } = listening(() =>
    data({ at: { $t: "date", v: new Date(0).toISOString() } }),
  );
  const [a, b] = within(inside, () => [tools.read(), tools.read()]);
  expect(a).toEqual({ at: new Date(0) });
  expect(a).not.toBe(b);
});

test("an error that a layer gives is thrown by a sync tool and rejected by an async one", async () => {
  const failing: ToolResult = { ok: false, error: { name: "KeyError", code: 7, message: "no" } };
  const tools = instrument({ now: () => 1, later: async () => 1 });
  expect(() => within(listening(() => failing).boundary, () => tools.now())).toThrow(
    expect.objectContaining({ name: "KeyError", code: 7 }),
  );
  const answer = within(listening(async () => failing).boundary, () => tools.later());
  await expect(answer).rejects.toMatchObject({ name: "KeyError", code: 7 });
});

test("an error that was told in data, without throwing, is given as that data", () => {
  const told: ToolResult = {
    ok: false,
    error: { message: "no", source: "flag" },
    data: { isError: true },
  };
  expect(within(listening(() => told).boundary, () => instrument({ f: () => ({}) }).f())).toEqual({
    isError: true,
  });
});

test("the very error that a tool throws reaches the agent", async () => {
  const error = new Error("no");
  const tools = instrument({
    now: () => {
      throw error;
    },
    later: () => Promise.reject(error),
  });
  const inside = listening().boundary;
  expect(() => within(inside, () => tools.now())).toThrow(error);
  await expect(within(inside, () => tools.later())).rejects.toBe(error);
});

test("tools that write are marked, also through a second instrumentation", () => {
  const { calls, boundary: inside } = listening();
  const once = instrument(
    { refund: (id: string) => id, read: (id: string) => id },
    { writes: ["refund"], params: { read: ["key"] } },
  );
  const twice = instrument(once);
  within(inside, () => {
    twice.refund("a");
    twice.read("b");
  });
  expect(calls).toMatchObject([
    { tool: "refund", write: true, args: { id: "a" }, params: ["id"] },
    { tool: "read", args: { key: "b" }, params: ["key"] },
  ]);
  expect(calls[1]).not.toHaveProperty("write");
  expect(calls).toHaveLength(2);
});

test("code that lost its boundary uses the given one, a tool's own code none", () => {
  const { calls, boundary: inside } = listening();
  const inner = wrapTools({ leaf: () => 1 }, {}, inside);
  const outer = wrapTools({ root: () => inner.leaf() }, {}, inside);
  expect(outer.root()).toBe(1);
  expect(calls.map((call) => call.tool)).toEqual(["root"]);
});

test("a member that is no function is refused with its name", () => {
  expect(() => instrument({ a: () => 1, limit: 5 })).toThrowErrorMatchingInlineSnapshot(
    `[TwiceshyError [E_TOOL_SHAPE]: Failed to instrument the tool "limit": it is a value of type number, not a function. Give functions only; of an SDK's tool object give the function that does the work.]`,
  );
  expect(() => instrument([] as never)).toThrow("a list was given");
  expect(() => instrument(null as never)).toThrow("null was given");
});

test("a call outside of a boundary is not copied, not even read", () => {
  const bomb = {
    get x(): never {
      throw new Error("read");
    },
  };
  expect(instrument({ take: (given: object) => typeof given }).take(bomb)).toBe("object");
});
