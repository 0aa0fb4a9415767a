import { AsyncLocalStorage } from "node:async_hooks";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import timers, { setTimeout as namedTimeout } from "node:timers";
import { scheduler, setInterval as everyLater, setTimeout as later } from "node:timers/promises";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { within } from "./ambient.ts";
import { bindTime } from "./bound-time.ts";
import { liveAnswer, type Boundary } from "./boundary.ts";
import { VirtualClock } from "./virtual-time.ts";

const START = 1_767_225_600_000;
const boundary: Boundary = { call: liveAnswer, nextId: () => "call_1" };
const RealDate = Date;
const realTimeout = setTimeout;

let release: () => void = () => undefined;
beforeEach(() => {
  release = bindTime();
});
afterEach(() => release());

function inTrial<T>(run: (clock: VirtualClock) => T, startMs = START): T {
  const clock = new VirtualClock({ startMs, budgetMs: 86_400_000 });
  onTestFinished(() => clock.close());
  return within(boundary, () => run(clock), clock);
}

test("a back-off of 40 seconds takes milliseconds by every kind of timer, and Date and performance go with it", async () => {
  const before = performance.now();
  const waits: (() => Promise<unknown>)[] = [
    () => new Promise((resolve) => setTimeout(resolve, 40_000)),
    () => new Promise((resolve) => namedTimeout(resolve, 40_000)),
    () => new Promise((resolve) => timers.setTimeout(resolve, 40_000)),
    () => promisify(setTimeout)(40_000),
    () => later(40_000),
    () => scheduler.wait(40_000),
  ];
  for (const wait of waits)
    await inTrial(async (clock) => {
      const started = { date: Date.now(), performance: performance.now() };
      await wait();
      expect(Date.now() - started.date).toBe(40_000);
      expect(performance.now() - started.performance).toBe(40_000);
      expect(clock.now()).toBe(START + 40_000);
    });
  expect(performance.now() - before).toBeLessThan(2000);
});

test("a retry loop goes by the seconds of Retry-After", async () => {
  const answers = [429, 429, 200];
  const ask = (): Response =>
    new Response("{}", { status: answers.shift() ?? 200, headers: { "retry-after": "40" } });
  await inTrial(async (clock) => {
    let response = ask();
    while (response.status === 429) {
      const ms = Number(response.headers.get("retry-after")) * 1000;
      await new Promise((resolve) => setTimeout(resolve, ms));
      response = ask();
    }
    expect(clock.now() - START).toBe(80_000);
  });
});

test("outside of a trial timers and dates are the real ones", async () => {
  const before = RealDate.now();
  await new Promise((resolve) => setTimeout(resolve, 15));
  expect(Date.now() - before).toBeGreaterThanOrEqual(14);
  expect(setTimeout(() => undefined, 0)).not.toHaveProperty("clock");
  expect(Math.abs(new Date().getTime() - RealDate.now())).toBeLessThan(1000);
});

test("trials at the same time keep separate clocks", async () => {
  const ends = await Promise.all(
    [1, 10, 100].map((factor) =>
      inTrial(async () => {
        for (let n = 0; n < 5; n += 1) await later(factor);
        return Date.now();
      }, factor),
    ),
  );
  expect(ends).toEqual([6, 60, 600]);
});

test("dates are dates of the class before and after, with the time of the clock", () => {
  inTrial(() => {
    class Stamp extends Date {
      readonly kind = "stamp";
    }
    const date = new Date();
    expect(date.toISOString()).toBe("2026-01-01T00:00:00.000Z");
    expect(Date()).toBe(date.toString());
    expect([
      date instanceof Date,
      date instanceof RealDate,
      new RealDate() instanceof Date,
    ]).toEqual([true, true, true]);
    expect(new RealDate(0).constructor).toBe(Date);
    expect(new Stamp()).toBeInstanceOf(Stamp);
    expect(new Stamp().getTime()).toBe(START);
    expect(new Stamp().kind).toBe("stamp");
    expect(new Date(0).getTime()).toBe(0);
    expect(new Date("2020-02-02").getUTCFullYear()).toBe(2020);
    expect(new Date(2020, 1, 2).getMonth()).toBe(1);
    expect(Date.UTC(1970, 0, 1)).toBe(0);
    expect(Date.parse("1970-01-01T00:00:00Z")).toBe(0);
    expect(Date.name).toBe("Date");
    expect(Date.length).toBe(7);
    expect(structuredClone(date)).toEqual(date);
  });
});

test("a timer's handle is like Node's", async () => {
  await inTrial(async () => {
    const seen: unknown[] = [];
    const timeout = setTimeout(
      function (this: unknown, ...args: string[]) {
        seen.push(this === timeout, ...args);
      },
      10,
      "a",
      "b",
    );
    expect(timeout.hasRef()).toBe(true);
    expect(timeout.unref().hasRef()).toBe(false);
    expect(timeout.ref()).toBe(timeout);
    expect(timeout.refresh()).toBe(timeout);
    const number = +timeout;
    expect(number).toBeGreaterThan(2 ** 40);
    await later(10);
    expect(seen).toEqual([true, "a", "b"]);
    expect(timeout.hasRef()).toBe(false);

    const gone = [1, 2, 3, 4, 5].map((n) => setTimeout(() => seen.push(n), 5));
    clearTimeout(gone[0]);
    clearInterval(+gone[1]!);
    clearTimeout(String(+gone[2]!));
    gone[3]!.close();
    gone[4]![Symbol.dispose]();
    clearTimeout(undefined);
    await later(20);
    expect(seen).toHaveLength(3);
    const bad = ["code", 1] as never as [() => void];
    expect(() => setTimeout(...bad)).toThrow(/callback/);
  });
});

test("delays of a timer that are no delays are taken for one millisecond, as in Node", async () => {
  await inTrial(async (clock) => {
    for (const ms of [-5, Number.NaN, Infinity, 2 ** 31, 0, undefined, "x"] as number[])
      await new Promise((resolve) => setTimeout(resolve, ms));
    expect(clock.now() - START).toBe(7);
  });
});

test("intervals repeat until they are cleared, also those that are awaited", async () => {
  await inTrial(async (clock) => {
    let count = 0;
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        count += 1;
        if (count < 3) return;
        clearInterval(timer);
        resolve();
      }, 1000);
    });
    const values: string[] = [];
    for await (const value of everyLater(500, "tick")) {
      values.push(value);
      if (values.length === 4) break;
    }
    expect(values).toEqual(["tick", "tick", "tick", "tick"]);
    expect(clock.now() - START).toBe(5000);
    expect(clock.pending()).toEqual([]);
  });
});

test("an aborted wait rejects as Node's does", async () => {
  await inTrial(async (clock) => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error("why")), 20);
    await expect(later(1000, undefined, { signal: stop.signal })).rejects.toMatchObject({
      name: "AbortError",
      code: "ABORT_ERR",
      cause: { message: "why" },
    });
    await expect(scheduler.wait(1000, { signal: stop.signal })).rejects.toThrow(/aborted/);
    expect(await later(5, "value")).toBe("value");
    expect(clock.now() - START).toBe(25);
    expect(clock.pending()).toEqual([]);
  });
});

test("AbortSignal.timeout aborts at its virtual time", async () => {
  await inTrial(async (clock) => {
    const signal = AbortSignal.timeout(30_000);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    expect(signal.reason).toMatchObject({ name: "TimeoutError" });
    expect(clock.now() - START).toBe(30_000);
    expect(() => AbortSignal.timeout(-1)).toThrow(RangeError);
  });
});

test("a callback runs in the context in which its timer was made", async () => {
  const user = new AsyncLocalStorage<string>();
  await inTrial(async () => {
    const seen: unknown[] = [];
    user.run("a", () => setTimeout(() => seen.push(user.getStore()), 10));
    user.run("b", () => setInterval(() => seen.push(user.getStore()), 4).unref());
    await later(11);
    expect(seen).toEqual(["b", "b", "a"]);
  });
});

test("streams and the race of a tool against a timeout go by virtual time", async () => {
  await inTrial(async () => {
    const stream = new ReadableStream<string>({
      async start(controller) {
        for (const chunk of "abc") {
          await later(1000);
          controller.enqueue(chunk);
        }
        controller.close();
      },
    });
    let text = "";
    for await (const chunk of stream) text += chunk;
    expect(text).toBe("abc");
    const race = await Promise.race([later(5000, "tool"), later(3000, "timeout")]);
    expect(race).toBe("timeout");
    expect(Date.now() - START).toBe(6000);
  });
});

test("fetch works inside a trial, wins against a virtual timeout, and keeps the timers of its connections out of it", async () => {
  const server = createServer((_request, response) => {
    setTimeout(() => response.end("hello"), 20);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => void server.close());
  onTestFinished(() => server.closeAllConnections());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const ask = async (): Promise<string> => (await fetch(url)).text();
  await inTrial(async (clock) => {
    expect(await Promise.race([ask(), later(30_000, "timeout")])).toBe("hello");
    expect(clock.now()).toBe(START);
    expect(clock.stats.made).toBe(1);
    await later(1000);
    expect(await Promise.race([ask(), later(30_000, "timeout")])).toBe("hello");
    expect(clock.now()).toBe(START + 1000);
  });
});

test("immediates, ticks and microtasks stay real, and a timer waits for them", async () => {
  await inTrial(async () => {
    const order: string[] = [];
    setTimeout(() => order.push("timeout"), 0);
    setImmediate(() => order.push("immediate"));
    process.nextTick(() => order.push("tick"));
    queueMicrotask(() => order.push("microtask"));
    await later(2);
    expect(order.slice(2)).toEqual(["immediate", "timeout"]);
    expect(order.slice(0, 2).sort()).toEqual(["microtask", "tick"]);
  });
});

test("the last release restores everything, the others nothing", () => {
  const second = bindTime();
  second();
  second();
  expect(setTimeout).not.toBe(realTimeout);
  release();
  expect(setTimeout).toBe(realTimeout);
  expect(timers.setTimeout).toBe(namedTimeout);
  expect(Date).toBe(RealDate);
  expect(new Date().constructor).toBe(RealDate);
  expect(Object.hasOwn(performance, "now")).toBe(false);
});

test("fake timers that a test installs meanwhile are not destroyed", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const fake = setTimeout;
  let called = false;
  setTimeout(() => (called = true), 1000);
  release();
  expect(setTimeout).toBe(fake);
  vi.advanceTimersByTime(1000);
  expect(called).toBe(true);
  // They put back what they found, which passes through.
  vi.useRealTimers();
  release = bindTime();
  inTrial(() => expect(Date.now()).toBe(START));
});
