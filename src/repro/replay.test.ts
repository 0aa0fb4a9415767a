import { expect, test } from "vitest";
import { record } from "../agent/record.ts";
import { detect, real, signaturesOf } from "../detector/detector.ts";
import { TwiceshyError } from "../shared/error.ts";
import type { Json } from "../shared/json.ts";
import { refundDeskV1, refundDeskV2, refundTools } from "../testing/refund-desk.ts";
import { call, crash, failed, traceOf } from "../testing/traces.ts";
import type { Trace } from "../trace/trace.ts";
import { toRepro, type ConvertContext } from "./convert.ts";
import type { InlineRepro } from "./inline.ts";
import { replay, type ReplayOptions } from "./replay.ts";
import type { Repro } from "./repro.ts";
import { isReplayResult, type ReplayResult } from "./result.ts";

type AnyTools = Record<string, (...args: unknown[]) => any>;
interface AnyContext {
  tools: AnyTools;
  call(tool: string, args?: Record<string, unknown>): Promise<any>;
}
type AnyAgent = (task: any, context: AnyContext) => unknown;

function reproOf(trace: Trace, context: Partial<ConvertContext> = {}): Repro {
  const conversion = toRepro(trace, detect(trace, context.options?.detect), {
    agent: "agent",
    ...context,
  });
  if ("unproved" in conversion) throw new Error(conversion.unproved.reason);
  return conversion.repro;
}

function run(
  agent: AnyAgent,
  source: Repro | InlineRepro,
  options?: ReplayOptions,
): Promise<ReplayResult> {
  return replay(agent as never, source, options);
}

async function desk(customer: string, agent: typeof refundDeskV1, calls = 8): Promise<Trace> {
  return record(agent, { customer }, { tools: refundTools(), maxToolCalls: calls });
}

async function deskRepro(customer: string, withSuccess: boolean): Promise<Repro> {
  const failing = await desk(customer, refundDeskV1);
  const success = withSuccess ? await desk(customer, refundDeskV2) : undefined;
  return reproOf(failing, success === undefined ? {} : { success });
}

const swallow = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.catch(() => undefined);

test("the three bugs still fail with version 1 and pass with version 2", async () => {
  for (const customer of ["Grace", "grace", "linus"]) {
    const repro = await deskRepro(customer, true);
    const v1 = await replay(refundDeskV1, repro, { limits: { toolCalls: 8 } });
    expect([customer, v1.verdict, v1.reason]).toEqual([customer, "still_fails", v1.reason]);
    const v2 = await replay(refundDeskV2, repro, { limits: { toolCalls: 8 } });
    expect([customer, v2.verdict, v2.reason]).toEqual([customer, "passes", v2.reason]);
  }
});

test("without a later success the fixed agent is unreplayable at its first unrecorded call", async () => {
  const repro = await deskRepro("linus", false);
  const result = await replay(refundDeskV2, repro);
  expect(result.verdict).toBe("unreplayable");
  expect(result.misses[0]).toMatchObject({
    tool: "refund",
    args: { order_id: "A-1003", amount: 20 },
  });
  expect(result.reason).toMatchInlineSnapshot(
    `"Failed to answer refund({"amount":20,"order_id":"A-1003"}) from the cassette: no call of this tool was recorded, only of get_order, search_orders. Record a run that makes this call, so that its answer is known."`,
  );
});

test("an agent that fails in another way fails differently, and the reason has the new signature", async () => {
  const repro = await deskRepro("linus", false);
  const result = await run(async (_task, { tools }) => {
    await tools["search_orders"]!({ customer: "linus" });
    throw new RangeError("no such thing");
  }, repro);
  expect(result.verdict).toBe("fails_differently");
  expect(result.signatures).toEqual(["exception:RangeError"]);
  expect(result.reason).toMatchInlineSnapshot(
    `"exception:RangeError is new: RangeError: no such thing"`,
  );
});

test("after a pass version 1 fails again: every verdict of the three falls", async () => {
  const verdicts: [string, string][] = [];
  for (const customer of ["Grace", "grace", "linus"]) {
    const repro = await deskRepro(customer, true);
    const [before, now] = [await replay(refundDeskV2, repro), await replay(refundDeskV1, repro)];
    verdicts.push([before.verdict, now.verdict]);
  }
  expect(verdicts).toEqual([
    ["passes", "still_fails"],
    ["passes", "still_fails"],
    ["passes", "still_fails"],
  ]);
});

test("an unchanged looping agent still fails whatever the budget of the replay", async () => {
  const repro = await deskRepro("Grace", false);
  for (const toolCalls of [1, 3, 8, 50, 500]) {
    const result = await replay(refundDeskV1, repro, { limits: { toolCalls } });
    expect([toolCalls, result.verdict]).toEqual([toolCalls, "still_fails"]);
  }
});

test("a later success's answer is not fed to the same looping query", async () => {
  const repro = await deskRepro("Grace", true);
  const result = await replay(refundDeskV1, repro);
  expect([result.verdict, result.misses, result.path]).toEqual(["still_fails", [], "failure"]);
});

test("a loop of six of which three are kept still fails", async () => {
  const steps = Array.from({ length: 6 }, () => call("search", { q: "x" }, []));
  const repro = reproOf(traceOf(steps, { output: "There is nothing." }));
  expect(repro.cassette).toHaveLength(3);
  const result = await run(async (_task, { tools }) => {
    for (let i = 0; i < 6; i++) await tools["search"]!({ q: "x" });
    return "There is nothing.";
  }, repro);
  expect(result.verdict).toBe("still_fails");
});

test("a timeout still fails although the replay's budget is larger", async () => {
  const failing = traceOf(
    [1, 2, 3, 4].map((k) => call("work", { k }, k)),
    {
      status: "timeout",
      limits: { toolCalls: 4 },
    },
  );
  const repro = reproOf(failing);
  expect(repro.signatures).toEqual(["timeout:-"]);
  const endless = await run(async (_task, { tools }) => {
    for (let k = 1; ; k++) await tools["work"]!({ k });
  }, repro);
  expect(endless.verdict).toBe("still_fails");
  const fixed = await run(
    async (_task, { tools }) => `It is ${await tools["work"]!({ k: 1 })}.`,
    repro,
  );
  expect(fixed.verdict).toBe("passes");
});

test("swallowed misses never pass, however the run goes on", async () => {
  const repro = reproOf(
    traceOf([call("get", { k: 1 }, "one"), failed("pay", {}, "declined")], { output: "Paid!" }),
  );
  const result = await run(async (_task, { tools }) => {
    await swallow(tools["get"]!({ k: 7 }));
    await swallow(tools["lookup"]!({}));
    return `It is ${await tools["get"]!({ k: 1 })}.`;
  }, repro);
  expect(result.verdict).toBe("unreplayable");
  expect(result.misses.map(({ tool, step }) => [tool, step])).toEqual([
    ["get", 1],
    ["lookup", 2],
  ]);
  const loose = await run(
    async (_task, { tools }) => {
      await swallow(tools["lookup"]!({}));
      return `It is ${await tools["get"]!({ k: 1 })}.`;
    },
    repro,
    { matching: "loose" },
  );
  expect(loose.verdict).toBe("unreplayable");
});

test("a call with other arguments does not get another order's data", async () => {
  const repro = reproOf(
    traceOf(
      [call("get_order", { id: "A-1" }, { total: 40 }), failed("refund", { id: "A-1" }, "no")],
      { output: "Refunded." },
    ),
  );
  const agent: AnyAgent = async (_task, { tools }) =>
    `Total ${(await tools["get_order"]!({ id: "B-999" })).total}`;
  const keyed = await run(agent, repro);
  expect([keyed.verdict, keyed.misses[0]?.nearest?.pointer]).toEqual(["unreplayable", "/id"]);
  const loose = await run(agent, repro, { matching: "loose" });
  expect(loose.drift).toEqual([
    { tool: "get_order", args: { id: "B-999" }, recorded: { id: "A-1" }, pointer: "/id" },
  ]);
});

test("identical reads, and reads in another order, find their own answers", async () => {
  const inline: InlineRepro = {
    task: "read",
    cassette: [
      { tool: "get", args: { k: 1 }, data: "one" },
      { tool: "get", args: { k: 2 }, data: "two" },
    ],
  };
  const read =
    (...keys: number[]): AnyAgent =>
    async (_task, { tools }) => {
      const read: unknown[] = [];
      for (const k of keys) read.push(await tools["get"]!({ k }));
      return read.join(" ");
    };
  expect(await run(read(1, 1), inline)).toMatchObject({
    verdict: "passes",
    trace: { output: "one one" },
  });
  expect(await run(read(1, 2, 1), inline)).toMatchObject({
    verdict: "passes",
    trace: { output: "one two one" },
  });
});

test("an argument that is called name is an ordinary argument", async () => {
  const inline: InlineRepro = {
    task: "greet",
    cassette: [{ tool: "greet", args: { name: "Ada" }, data: "Hello Ada" }],
  };
  expect(
    await run(async (_task, { tools }) => tools["greet"]!({ name: "Ada" }), inline),
  ).toMatchObject({ verdict: "passes" });
  expect(
    await run(async (_task, context) => context.call("greet", { name: "Ada" }), inline),
  ).toMatchObject({ verdict: "passes" });
});

test("positional arguments are named as they were recorded", async () => {
  const inline: InlineRepro = {
    task: "add",
    cassette: [{ tool: "add", args: { a: 1, b: 2 }, params: ["a", "b"], data: 3 }],
  };
  expect(
    await run(async (_task, { tools }) => `It is ${await tools["add"]!(1, 2)}`, inline),
  ).toMatchObject({ verdict: "passes" });
});

test("errors come back with their class, code and message, so that a fixed agent can catch them", async () => {
  class KeyError extends Error {
    override readonly name = "KeyError";
    readonly code = "MISSING";
  }
  const tools = {
    lookup: async (_args: { id: string }): Promise<string> => {
      throw new KeyError("no id x");
    },
  };
  const broken: AnyAgent = async (_task, context) => {
    await context.tools["lookup"]!({ id: "x" });
    return "found";
  };
  const fixed: AnyAgent = async (_task, context) => {
    try {
      return await context.tools["lookup"]!({ id: "x" });
    } catch (thrown) {
      const error = thrown as KeyError;
      if (
        error.constructor.name !== "KeyError" ||
        error.code !== "MISSING" ||
        error.message !== "no id x"
      )
        throw thrown;
      return "There is no entry x.";
    }
  };
  const failing = await record(broken as never, "look up x", { tools });
  const success = await record(fixed as never, "look up x", { tools });
  expect(real(detect(success))).toEqual([]);
  const repro = reproOf(failing, { success });
  expect(await run(broken, repro)).toMatchObject({ verdict: "still_fails" });
  expect(await run(fixed, repro)).toMatchObject({ verdict: "passes" });
});

test("the later success of a failed call is known although both answered null", async () => {
  const failing = traceOf([failed("delete_user", { id: 1 }, "503 unavailable")], {
    output: "The user was deleted.",
  });
  const success = traceOf([call("delete_user", { id: 1 }, null)], {
    id: "tr_2",
    output: "The user was deleted.",
  });
  const repro = reproOf(failing, { success });
  expect(repro.cassette.map(({ result, from }) => [result?.ok, from])).toEqual([
    [false, undefined],
    [true, "retry"],
  ]);
  const retrying: AnyAgent = async (_task, { tools }) => {
    try {
      await tools["delete_user"]!({ id: 1 });
    } catch {
      await tools["delete_user"]!({ id: 1 });
    }
    return "The user was deleted.";
  };
  expect(await run(retrying, repro)).toMatchObject({ verdict: "passes", path: "failure" });
});

test("a fixed agent that calls a flaky tool once passes on the later success's recordings", async () => {
  const failing = traceOf([failed("weather", { city: "Oslo" }, "503 unavailable")], {
    task: "Weather in Oslo?",
    output: "Done: it is sunny and 25C.",
  });
  const success = traceOf([call("weather", { city: "Oslo" }, { celsius: 18 })], {
    id: "tr_2",
    task: "Weather in Oslo?",
    output: "It is 18C.",
  });
  const repro = reproOf(failing, { success });
  const once: AnyAgent = async (_task, { tools }) => {
    try {
      return `It is ${(await tools["weather"]!({ city: "Oslo" })).celsius}C.`;
    } catch {
      return "The weather could not be read: the service is unavailable.";
    }
  };
  const result = await run(once, repro);
  expect([result.verdict, result.path]).toEqual(["passes", "retry"]);
  expect(result.reason).toMatchInlineSnapshot(
    `"no failure was found and all 3 checks hold, on the recordings of the later success"`,
  );
});

test("a fixed agent that words its answer otherwise passes", async () => {
  const failing = traceOf([failed("refund", { id: "A-1" }, "timeout")], {
    task: "refund",
    output: "Refund done!",
  });
  const success = traceOf([call("refund", { id: "A-1" }, { refund_id: "R-77" })], {
    id: "tr_2",
    task: "refund",
    output: "Refund R-77 done.",
  });
  const repro = reproOf(failing, { success });
  const agent: AnyAgent = async (_task, { tools }) => {
    let refund: any;
    try {
      refund = await tools["refund"]!({ id: "A-1" });
    } catch {
      refund = await tools["refund"]!({ id: "A-1" });
    }
    return `Your money is on its way; the number is ${refund.refund_id}.`;
  };
  expect(await run(agent, repro)).toMatchObject({ verdict: "passes" });
});

test("what an agent does to a served answer changes no later one", async () => {
  const inline: InlineRepro = { task: "list", cassette: [{ tool: "list", data: [1, 2] }] };
  const result = await run(async (_task, { tools }) => {
    const first = await tools["list"]!();
    first.pop();
    return { first, again: await tools["list"]!() };
  }, inline);
  expect(result.trace.output).toEqual({ first: [1], again: [1, 2] });
});

test("a recorded list is the one that the tool gave, whatever the agent did to it", async () => {
  const agent: AnyAgent = async (_task, { tools }) => {
    const list = await tools["list"]!({});
    list.pop();
    throw new Error(`left with ${list.length}`);
  };
  const trace = await record(agent as never, "list", { tools: { list: async () => [1, 2] } });
  const repro = reproOf(trace);
  expect(repro.cassette[0]?.result).toEqual({ ok: true, data: [1, 2] });
  expect(await run(agent, repro)).toMatchObject({ verdict: "still_fails" });
});

test("an async agent that raises is awaited, and its exception judged", async () => {
  const agent: AnyAgent = async (_task, { tools }) => {
    await tools["get"]!({});
    throw new TypeError("amount is undefined");
  };
  const result = await run(agent, { task: "x", cassette: [{ tool: "get", data: 1 }] });
  expect([result.trace.status, result.verdict, result.signatures]).toEqual([
    "error",
    "fails_differently",
    ["exception:TypeError"],
  ]);
});

test("a timestamp in the arguments is left out when it is volatile, and shown when it is not", async () => {
  const inline: InlineRepro = {
    task: "log",
    cassette: [{ tool: "log", args: { text: "hi", at: 1 }, data: "ok" }],
  };
  const agent: AnyAgent = async (_task, { tools }) =>
    `It is ${await tools["log"]!({ text: "hi", at: 2 })}`;
  const strict = await run(agent, inline);
  expect([strict.verdict, strict.misses[0]?.nearest?.pointer]).toEqual(["unreplayable", "/at"]);
  expect((await run(agent, { ...inline, volatile: ["/at"] })).verdict).toBe("passes");
  expect((await run(agent, inline, { volatile: ["at"] })).verdict).toBe("passes");
});

test("a live call is blocked, and the verdict names its host", async () => {
  const repro = reproOf(traceOf([call("get", {}, 1), crash("fetch failed", "TypeError")]));
  const result = await run(async (_task, { tools }) => {
    await tools["get"]!({});
    await fetch("http://api.example.com/v1");
    return "done";
  }, repro);
  expect(result.verdict).toBe("unreplayable");
  expect(result.blocked).toEqual([{ host: "api.example.com" }]);
  expect(result.reason).toMatchInlineSnapshot(
    `"the agent tried to reach api.example.com, and a replay makes no live call"`,
  );
});

test("the error of a miss is ours, with a code that the agent can see", async () => {
  let caught: unknown;
  await run(
    async (_task, { tools }) => {
      caught = await tools["nope"]!({}).catch((error: unknown) => error);
      return "x";
    },
    { task: "x", cassette: [] },
  );
  expect(TwiceshyError.is(caught) && caught.code).toBe("E_CASSETTE_MISS");
});

test("the failure after a miss does not count as the recorded one, the failure before it does", async () => {
  const steps = [
    call("search", { q: 1 }, []),
    call("search", { q: 1 }, []),
    call("search", { q: 1 }, []),
  ];
  const repro = reproOf(traceOf(steps, { output: "There is nothing." }));
  const search = (tools: AnyTools): Promise<unknown> => tools["search"]!({ q: 1 });
  const before = await run(async (_task, { tools }) => {
    for (let i = 0; i < 3; i++) await search(tools);
    return tools["other"]!({});
  }, repro);
  expect(before.verdict).toBe("still_fails");
  const after = await run(async (_task, { tools }) => {
    await swallow(tools["other"]!({}));
    for (let i = 0; i < 3; i++) await search(tools);
    return "There is nothing.";
  }, repro);
  expect(after.verdict).toBe("unreplayable");
});

test("a fixed agent that falls back to an unrecorded tool is unreplayable, not still failing", async () => {
  const repro = reproOf(
    traceOf([failed("weather.get_forecast", { city: "Berlin" }, "Rate limit exceeded")], {
      output: "All done, it is sunny!",
    }),
  );
  const agent: AnyAgent = async (_task, { tools }) => {
    try {
      return await tools["weather.get_forecast"]!({ city: "Berlin" });
    } catch {
      return tools["weather.get_cached"]!({ city: "Berlin" });
    }
  };
  const result = await run(agent, repro);
  expect([result.verdict, result.misses[0]?.tool]).toEqual(["unreplayable", "weather.get_cached"]);
});

test("an unchanged agent that goes on after the cut still fails", async () => {
  const failing = traceOf(
    [failed("refund", { id: 1 }, "declined"), call("log_event", { text: "refund" }, "ok")],
    {
      output: "Your money is on its way back to you!",
    },
  );
  const repro = reproOf(failing);
  const agent: AnyAgent = async (_task, { tools }) => {
    await swallow(tools["refund"]!({ id: 1 }));
    await tools["log_event"]!({ text: "refund" });
    return "Your money is on its way back to you!";
  };
  expect((await run(agent, repro)).verdict).toBe("still_fails");
});

test("a wrong answer with a known right one comes back, and the right one passes", async () => {
  const failing = traceOf([call("price", {}, 42)], {
    output: "It costs 40.",
    expected: { contains: "42" },
  });
  const repro = reproOf(failing);
  expect(repro.signatures).toEqual(["wrong_answer:-"]);
  const answer =
    (text: string): AnyAgent =>
    async (_task, { tools }) => {
      await tools["price"]!({});
      return text;
    };
  expect((await run(answer("It costs 40."), repro)).verdict).toBe("still_fails");
  expect((await run(answer("It costs 42."), repro)).verdict).toBe("passes");
});

test("an output schema is judged in the replay, too", async () => {
  const outputSchema: Json = { type: "object", required: ["answer"] };
  const { validateSchema } = await import("../shared/json-schema.ts");
  const failing = traceOf([call("get", {}, 1)], { output: { x: 1 }, outputSchema });
  const repro = reproOf(failing, { options: { detect: { validate: validateSchema } } });
  const answer =
    (output: Json): AnyAgent =>
    async (_task, { tools }) => {
      await tools["get"]!({});
      return output;
    };
  expect((await run(answer({ x: 1 }), repro)).verdict).toBe("still_fails");
  expect((await run(answer({ answer: 1 }), repro)).verdict).toBe("passes");
});

test("a check of an unknown type makes the verdict unreplayable, never a pass", async () => {
  const result = await run(async () => "fine", {
    task: "x",
    cassette: [],
    checks: [{ type: "equalz", value: 1 }],
  });
  expect([result.verdict, result.reason]).toEqual([
    "unreplayable",
    '{"type":"equalz","value":1}: the check type "equalz" is unknown',
  ]);
});

test("an inline cassette is a mock: data, errors with code, checks", async () => {
  const inline: InlineRepro = {
    task: { order: "A-1" },
    cassette: [
      { tool: "getOrder", args: { id: "A-1" }, data: { total: 40 } },
      {
        tool: "refund",
        args: { id: "A-1" },
        error: { code: "DECLINED", message: "card closed", retryable: false },
      },
    ],
    checks: [
      { type: "tool_called", name: "refund", args: { id: "A-1" } },
      { type: "output_contains", value: "card closed" },
    ],
  };
  const result = await run(async (task, { tools }) => {
    const order = await tools["getOrder"]!({ id: task.order });
    try {
      await tools["refund"]!({ id: task.order });
      return `Refunded ${order.total}.`;
    } catch (thrown) {
      const { code, message, retryable } = thrown as {
        code: string;
        message: string;
        retryable: boolean;
      };
      return `The refund was declined (${code}, ${message}, ${retryable ? "try again" : "final"}); no money was sent.`;
    }
  }, inline);
  expect([result.verdict, result.reason]).toEqual([
    "passes",
    "no failure was found and all 2 checks hold",
  ]);
  expect(isReplayResult(result)).toBe(true);
  expect(result.repro).toEqual({ status: "inline", title: "order: A-1", signatures: [] });
});

test("a recorded stream is read again as a stream", async () => {
  const tools = {
    watch: async function* (): AsyncGenerator<string> {
      yield "a";
      yield "b";
    },
  };
  const agent: AnyAgent = async (_task, context) => {
    const chunks: string[] = [];
    for await (const chunk of context.tools["watch"]!()) chunks.push(chunk);
    throw new Error(`read ${chunks.join("")}`);
  };
  const trace = await record(agent as never, "watch", { tools });
  const result = await run(agent, reproOf(trace));
  expect([result.verdict, result.failures[0]?.message]).toEqual([
    "still_fails",
    expect.stringContaining("read ab"),
  ]);
});

test("parallel calls settle in the replay as they did in the recording", async () => {
  const wait = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
  const tools = {
    get: async ({ k }: { k: number }): Promise<number> => {
      await wait(k === 1 ? 30 : 5);
      return k;
    },
  };
  const agent: AnyAgent = async (_task, context) => {
    const order: number[] = [];
    await Promise.all([1, 2, 3].map(async (k) => order.push(await context.tools["get"]!({ k }))));
    throw new Error(`order ${order.join(",")}`);
  };
  const trace = await record(agent as never, "race", { tools });
  const result = await run(agent, reproOf(trace));
  expect(result.failures.map(({ message }) => message)).toEqual([
    expect.stringContaining("order 2,3,1"),
  ]);
});

test("a call that was never answered waits until the time is over", async () => {
  const failing = traceOf([call("get", {}, 1), { kind: "tool", name: "slow", args: {} }], {
    status: "timeout",
    limits: { ms: 50 },
  });
  const repro = reproOf(failing);
  const agent: AnyAgent = async (_task, { tools }) => {
    await tools["get"]!({});
    return tools["slow"]!({});
  };
  const result = await run(agent, repro, { limits: { ms: 50 } });
  expect(result.verdict).toBe("still_fails");
});

test("an agent that swallows every error for ever ends by its budget", async () => {
  const result = await run(
    async (_task, { tools }) => {
      for (;;) await swallow(tools["nope"]!({}));
    },
    { task: "x", cassette: [], limits: { toolCalls: 5, ms: 2000 } },
  );
  expect(result.verdict).toBe("unreplayable");
}, 10_000);

test("replays side by side do not see each other", async () => {
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, k) =>
      run(
        async (_task, { tools }) => {
          await Promise.resolve();
          return `It is ${await tools["get"]!({ k })}`;
        },
        {
          task: k,
          cassette: [{ tool: "get", args: { k }, data: k }],
          checks: [{ type: "output_equals", value: `it is ${k}` }],
        },
      ),
    ),
  );
  expect(results.map(({ verdict }) => verdict)).toEqual(results.map(() => "passes"));
});

test("signatures of the result are the sorted real ones", async () => {
  const result = await replay(refundDeskV1, await deskRepro("grace", false));
  expect(result.signatures).toEqual(signaturesOf(result.failures));
});

test("an agent that claims the deed without calling the tool has not been fixed", async () => {
  const failing = traceOf([failed("refund", { id: "A-1" }, "card closed")], {
    task: "Refund A-1",
    output: "Refunded.",
  });
  const repro = reproOf(failing);
  const liar: AnyAgent = () => "Done! Refunded.";
  const honest: AnyAgent = () => "I did not refund A-1: its card is closed.";
  expect(await run(liar, repro)).toMatchObject({ verdict: "still_fails" });
  expect(await run(honest, repro)).toMatchObject({ verdict: "passes" });
});

test("a run that failed in several ways keeps the answers that its later failures need", async () => {
  const poll = call("poll", { id: 1 }, "waiting");
  const failing = traceOf(
    [
      poll,
      poll,
      poll,
      poll,
      call("profile", { id: 1 }, { name: "Ada" }),
      failed("pay", { id: 1 }, "card closed"),
    ],
    { task: "pay 1", output: "Paid." },
  );
  const repro = reproOf(failing);
  expect(repro.cassette.map(({ tool }) => tool)).toContain("pay");
  const fixed: AnyAgent = async (_task, { tools }) => {
    await tools["poll"]!({ id: 1 });
    await tools["profile"]!({ id: 1 });
    return tools["pay"]!({ id: 1 }).catch(() => "The payment failed: the card is closed.");
  };
  expect(await run(fixed, repro)).toMatchObject({ verdict: "passes" });
});

test("the chunks of an inline recording are a stream", async () => {
  const agent: AnyAgent = async (_task, { tools }) => {
    let text = "";
    for await (const part of (await tools["feed"]!({})) as AsyncIterable<string>) text += part;
    return text;
  };
  const cassette = [{ tool: "feed", chunks: ["a", "b"] }];
  expect((await replay(agent as never, { task: 1, cassette })).trace.output).toBe("ab");
});

test("a pass that never calls the tool that had failed says so", async () => {
  const failing = traceOf([failed("refund", { id: "A-1" }, "card closed")], {
    task: "Refund A-1",
    output: "Refunded.",
  });
  const result = await run(() => "The refund failed: the card is closed.", reproOf(failing));
  expect(result.reason).toMatchInlineSnapshot(
    `"no failure was found and the check holds; refund, which had failed, was not called"`,
  );
});
