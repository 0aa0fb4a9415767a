import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ToolCall } from "../boundary/boundary.ts";
import { TwiceshyError } from "../shared/error.ts";
import type { Json, JsonObject } from "../shared/json.ts";
import { anyJson } from "../testing/traces.ts";
import type { ToolResult } from "../trace/trace.ts";
import { openCassette, type Cassette, type CassetteOptions } from "./cassette.ts";
import type { Recording } from "./repro.ts";

function answer(tool: string, args: Json, data: Json): Recording {
  return { tool, args, result: { ok: true, data } };
}

function having(recording: Recording, more: Partial<Recording>): Recording {
  return { ...recording, ...more };
}

function error(tool: string, args: Json, message: string): Recording {
  return { tool, args, result: { ok: false, error: { message } } };
}

let calls = 0;
function callOf(tool: string, args: Json): ToolCall {
  return { id: `call_${++calls}`, tool, args };
}

/** What a call is told at once: its data, `!message` of an error, `?` of a miss. */
function asked(cassette: Cassette, tool: string, args: Json): Json {
  const taken = cassette.take(callOf(tool, args));
  if ("error" in taken) return "?";
  const { result } = taken;
  if (result === undefined) return "(pending)";
  return result.ok ? result.data : `!${result.error.message}`;
}

function open(cassette: Recording[], options: CassetteOptions = {}): Cassette {
  return openCassette({ cassette }, options);
}

function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => reversed(item));
  if (typeof value !== "object" || value === null) return value;
  const copy: JsonObject = {};
  for (const key of Object.keys(value).reverse()) {
    const made = {
      value: reversed(value[key] ?? null),
      enumerable: true,
      writable: true,
      configurable: true,
    };
    Object.defineProperty(copy, key, made);
  }
  return copy;
}

const anyTool = fc.constantFrom("get", "search", "refund", "constructor", "__proto__");
const anyArgs = fc.oneof(fc.constantFrom<Json>({}, { k: 1 }, { k: 2 }), anyJson());
const anyRecording = fc.record(
  {
    tool: anyTool,
    args: anyArgs,
    result: fc.oneof(
      fc.nat().map((data): ToolResult => ({ ok: true, data })),
      fc.string().map((message): ToolResult => ({ ok: false, error: { message } })),
    ),
    write: fc.boolean(),
    from: fc.constantFrom("failure" as const, "retry" as const),
  },
  { requiredKeys: ["tool", "args", "result"] },
);
const anyCassette = fc.array(anyRecording, { maxLength: 8 });
/** Calls of the recordings, in any order and number, and others. */
const cassetteAndCalls = anyCassette.chain((cassette) =>
  fc.tuple(
    fc.constant(cassette),
    fc.array(
      cassette.length === 0
        ? fc.tuple(anyTool, anyArgs)
        : fc.oneof(
            {
              weight: 4,
              arbitrary: fc
                .constantFrom(...cassette)
                .map(({ tool, args }) => [tool, args] as [string, Json]),
            },
            { weight: 1, arbitrary: fc.tuple(anyTool, anyArgs) },
          ),
      { maxLength: 16 },
    ),
  ),
);

test("the order of an argument's members changes no answer", () => {
  fc.assert(
    fc.property(cassetteAndCalls, ([cassette, made]) => {
      const [one, other] = [open(cassette), open(cassette)];
      for (const [tool, args] of made) {
        expect(asked(one, tool, args)).toEqual(asked(other, tool, reversed(args)));
      }
    }),
  );
});

test("loose answers whatever keyed answers, and the same", () => {
  fc.assert(
    fc.property(cassetteAndCalls, ([cassette, made]) => {
      const [keyed, loose] = [open(cassette), open(cassette, { matching: "loose" })];
      for (const [tool, args] of made) {
        const [strict, free] = [asked(keyed, tool, args), asked(loose, tool, args)];
        expect(strict === "?" ? strict : free).toEqual(strict);
      }
      expect(loose.misses.length).toBeLessThanOrEqual(keyed.misses.length);
    }),
  );
});

test("the failed run's own calls are answered as they were, in any interleaving of keys", () => {
  fc.assert(
    fc.property(anyCassette, (cassette) => {
      const opened = open(cassette);
      for (const { tool, args, result, from } of cassette) {
        if (from === "retry") continue;
        const taken = opened.take(callOf(tool, args));
        expect("result" in taken && taken.result).toEqual(result);
      }
      expect(opened.misses).toEqual([]);
      expect(opened.unused()).toEqual([]);
    }),
  );
});

test("keyed matching answers by arguments and occurrence; loose takes the next unused one and reports it", () => {
  const recordings = [
    answer("get", { k: 1 }, "a"),
    answer("get", { k: 1 }, "b"),
    answer("get", { k: 2 }, "c"),
  ];
  const loose = open(recordings, { matching: "loose" });
  expect([1, 1, 99].map((k) => asked(loose, "get", { k }))).toEqual(["a", "b", "c"]);
  expect(loose.drift).toEqual([
    { tool: "get", args: { k: 99 }, recorded: { k: 2 }, pointer: "/k" },
  ]);
  expect(loose.misses).toEqual([]);
  const keyed = open(recordings);
  expect([1, 99].map((k) => asked(keyed, "get", { k }))).toEqual(["a", "?"]);
  expect(keyed.misses).toMatchObject([{ tool: "get", args: { k: 99 } }]);
});

test("a recorded error is served as an error; other arguments are a miss", async () => {
  const cassette = open([error("pay", { amount: 5 }, "Declined")]);
  await expect(cassette.answer(callOf("pay", { amount: 5 }))).resolves.toEqual({
    ok: false,
    error: { message: "Declined" },
  });
  expect(() => cassette.answer(callOf("pay", { amount: 6 }))).toThrow(/no such call was recorded/);
});

test("an identical read is answered again with its own answer, never with another key's", () => {
  const cassette = open([answer("get", { k: 1 }, "one"), answer("get", { k: 2 }, "two")]);
  expect([1, 1, 2, 1].map((k) => asked(cassette, "get", { k }))).toEqual([
    "one",
    "one",
    "two",
    "one",
  ]);
});

test("reads in another order and number find their answers", () => {
  const cassette = open([answer("get", { k: 1 }, "one"), answer("get", { k: 2 }, "two")]);
  expect([1, 2, 1].map((k) => asked(cassette, "get", { k }))).toEqual(["one", "two", "one"]);
  expect(cassette.misses).toEqual([]);
});

test("a call with other arguments is a miss that shows the difference, never another call's data", () => {
  const cassette = open([answer("get_order", { id: "A-1" }, { total: 40 })]);
  expect(asked(cassette, "get_order", { id: "B-999" })).toBe("?");
  expect(cassette.misses[0]?.nearest).toEqual({
    args: { id: "A-1" },
    pointer: "/id",
    recorded: "A-1",
    asked: "B-999",
  });
});

test("a change that was made is not answered twice; one that failed is", () => {
  const made = open([answer("refund", { id: 1 }, "ok")]);
  expect([asked(made, "refund", { id: 1 }), asked(made, "refund", { id: 1 })]).toEqual(["ok", "?"]);
  const declared = open([having(answer("poke", { id: 1 }, "ok"), { write: true })]);
  expect([asked(declared, "poke", { id: 1 }), asked(declared, "poke", { id: 1 })]).toEqual([
    "ok",
    "?",
  ]);
  const harmless = open([having(answer("send_probe", {}, "ok"), { write: false })]);
  expect([asked(harmless, "send_probe", {}), asked(harmless, "send_probe", {})]).toEqual([
    "ok",
    "ok",
  ]);
  const failing = open([error("refund", { id: 1 }, "503")]);
  expect([asked(failing, "refund", { id: 1 }), asked(failing, "refund", { id: 1 })]).toEqual([
    "!503",
    "!503",
  ]);
});

test("a loop is answered again and again and never meets the later success", () => {
  const cassette = open([
    answer("search", { q: "Grace" }, []),
    answer("search", { q: "Grace" }, []),
    having(answer("search", { q: "grace" }, ["A-1002"]), { from: "retry" }),
    having(answer("refund", { id: "A-1002" }, "ok"), { from: "retry" }),
  ]);
  for (let i = 0; i < 100; i++) expect(asked(cassette, "search", { q: "Grace" })).toEqual([]);
  expect(cassette.path()).toBe("failure");
});

test("a call that only the later success made is answered, and its recordings come first from there on", () => {
  const cassette = open([
    answer("search", { q: "Grace" }, []),
    answer("status", {}, "before"),
    having(answer("search", { q: "grace" }, ["A-1"]), { from: "retry" }),
    having(answer("status", {}, "after"), { from: "retry" }),
  ]);
  expect(asked(cassette, "search", { q: "Grace" })).toEqual([]);
  expect(cassette.path()).toBe("failure");
  expect(asked(cassette, "search", { q: "grace" })).toEqual(["A-1"]);
  expect(cassette.path()).toBe("retry");
  expect(asked(cassette, "status", {})).toBe("after");
});

test("the second try of a flaky call gets the later success, also when both answered null", () => {
  const cassette = open([
    error("delete", { id: 1 }, "503"),
    having(answer("delete", { id: 1 }, null), { from: "retry" }),
  ]);
  expect([asked(cassette, "delete", { id: 1 }), asked(cassette, "delete", { id: 1 })]).toEqual([
    "!503",
    null,
  ]);
});

test("on the later success's path its recordings come before the failed run's", () => {
  const recordings = [error("api", {}, "503"), having(answer("api", {}, "18C"), { from: "retry" })];
  const cassette = open(recordings, { path: "retry" });
  expect([asked(cassette, "api", {}), asked(cassette, "api", {})]).toEqual(["18C", "18C"]);
});

test("volatile members take no part: by pointer, with a star, or by name at any depth", () => {
  const recorded = [
    answer("log", { at: 1, items: [{ id: 7, seen: 1 }], meta: { requestId: "a", at: 2 } }, "ok"),
  ];
  const live = { at: 9, items: [{ id: 7, seen: 9 }], meta: { requestId: "z", at: 9 } };
  const volatile = ["/meta/requestId", "/items/*/seen", "at"];
  expect(asked(open(recorded, { volatile }), "log", live)).toBe("ok");
  expect(asked(open(recorded, { volatile: ["/meta/requestId", "at"] }), "log", live)).toBe("?");
  expect(asked(open(recorded, { volatile }), "log", { ...live, items: [{ id: 8, seen: 1 }] })).toBe(
    "?",
  );
});

test("a secret in live arguments meets its placeholder in the recording, whatever its number", () => {
  const recorded = [answer("mail", { to: "[redacted:email#3]", text: "hi" }, "sent")];
  expect(asked(open(recorded), "mail", { to: "ada@example.com", text: "hi" })).toBe("sent");
});

test("tools named like members of every object are ordinary tools", () => {
  const cassette = open([answer("constructor", {}, 1), answer("__proto__", { __proto__x: 1 }, 2)]);
  expect(asked(cassette, "constructor", {})).toBe(1);
  expect(asked(cassette, "__proto__", { __proto__x: 1 })).toBe(2);
  expect(asked(cassette, "toString", {})).toBe("?");
});

test("a large answer is found by its key; one that is not there is an error with a code", () => {
  const cassette = [{ tool: "read", args: {}, blob: "b1" }];
  const blobs = { b1: { ok: true, data: "large" } };
  expect(asked(openCassette({ cassette, blobs }), "read", {})).toBe("large");
  expect(() => openCassette({ cassette, blobs: {} })).toThrow(
    /its large answer b1 is not in the file's blobs/,
  );
});

test("sync recordings answer at once, others later, and calls that were never answered never", async () => {
  const cassette = open([
    having(answer("now", {}, 1), { sync: true }),
    answer("later", {}, 2),
    { tool: "never", args: {} },
  ]);
  expect(cassette.answer(callOf("now", {}))).toEqual({ ok: true, data: 1 });
  expect(cassette.answer(callOf("later", {}))).toBeInstanceOf(Promise);
  const never = cassette.answer(callOf("never", {}));
  await expect(
    Promise.race([never, new Promise((done) => setTimeout(done, 20, "waiting"))]),
  ).resolves.toBe("waiting");
});

test("calls that were recorded together are answered in their recorded order", async () => {
  const orders = fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 });
  await fc.assert(
    fc.asyncProperty(orders, orders, async (settled, asking) => {
      const recordings = settled.map((place, k) =>
        having(answer("get", { k }, place), { batch: 0, settled: place }),
      );
      const cassette = open(recordings);
      const arrived: Json[] = [];
      await Promise.all(
        asking.map(async (k) => {
          const result = await cassette.answer(callOf("get", { k }));
          if (result.ok) arrived.push(result.data);
        }),
      );
      expect(arrived).toEqual([0, 1, 2, 3]);
    }),
    { numRuns: 50 },
  );
});

test("a call of a recorded group that comes alone does not wait for the others", async () => {
  const cassette = open([
    having(answer("a", {}, 1), { batch: 0, settled: 1 }),
    having(answer("b", {}, 2), { batch: 0, settled: 0 }),
  ]);
  await expect(cassette.answer(callOf("a", {}))).resolves.toEqual({ ok: true, data: 1 });
  await expect(cassette.answer(callOf("b", {}))).resolves.toEqual({ ok: true, data: 2 });
});

test("recordings that no call took are reported", () => {
  const cassette = open([
    answer("a", {}, 1),
    answer("b", {}, 2),
    having(answer("c", {}, 3), { from: "retry" }),
  ]);
  asked(cassette, "a", {});
  expect(cassette.unused().map(({ tool }) => tool)).toEqual(["b"]);
  expect(cassette.unused("retry").map(({ tool }) => tool)).toEqual(["c"]);
});

test("a miss is an error of ours with a code, which names the nearest recorded call and the first difference", () => {
  const cassette = open([
    answer("search", { q: "lamp", page: 1, sort: "price" }, []),
    answer("search", { q: "desk", page: 2, sort: "price" }, []),
  ]);
  const taken = cassette.take(callOf("search", { q: "desk", page: 3, sort: "price" }));
  const thrown = "error" in taken ? taken.error : undefined;
  expect([TwiceshyError.is(thrown), thrown?.code]).toEqual([true, "E_CASSETTE_MISS"]);
  expect(String(thrown)).toMatchInlineSnapshot(
    `"TwiceshyError [E_CASSETTE_MISS]: Failed to answer search({"page":3,"q":"desk","sort":"price"}) from the cassette: no such call was recorded; the nearest is search({"page":2,"q":"desk","sort":"price"}), where /page is 2, not 3. Record a run that makes this call, or list the member in \`volatile\` when it never means anything."`,
  );
});

test("a miss of an unknown tool names the recorded ones, and a second change says what it is", () => {
  const cassette = open([answer("refund", { id: 1 }, "ok"), answer("get_order", { id: 1 }, {})]);
  const message = (tool: string, args: Json): string => {
    const taken = cassette.take(callOf(tool, args));
    return "error" in taken ? taken.error.message : "";
  };
  expect(message("cancel", { id: 1 })).toMatchInlineSnapshot(
    `"Failed to answer cancel({"id":1}) from the cassette: no call of this tool was recorded, only of get_order, refund. Record a run that makes this call, so that its answer is known."`,
  );
  expect(asked(cassette, "refund", { id: 1 })).toBe("ok");
  expect(message("refund", { id: 1 })).toMatchInlineSnapshot(
    `"Failed to answer refund({"id":1}) from the cassette: it was recorded, but it changes something and must not be answered twice. Let the agent make this change once, or record a run that makes it twice."`,
  );
  expect(message("get_order", {})).toMatchInlineSnapshot(
    `"Failed to answer get_order({}) from the cassette: no such call was recorded; the nearest is get_order({"id":1}), where /id is 1, not missing. Record a run that makes this call, or list the member in \`volatile\` when it never means anything."`,
  );
});
