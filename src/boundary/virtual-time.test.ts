import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { VirtualClock, type VirtualClockOptions } from "./virtual-time.ts";

const delays = fc.array(fc.integer({ min: 1, max: 10_000 }), { minLength: 1, maxLength: 40 });

function clockOf(options: Partial<VirtualClockOptions> = {}): VirtualClock {
  const clock = new VirtualClock({ startMs: 1000, budgetMs: 86_400_000, ...options });
  onTestFinished(() => clock.close());
  return clock;
}

/** Real time in which a clock comes to rest. */
async function rest(clock: VirtualClock): Promise<void> {
  let made = -1;
  while (made !== clock.stats.fired) {
    made = clock.stats.fired;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

test("timers of any schedule come due in the order of their times, equal ones in the order they were made", async () => {
  await fc.assert(
    fc.asyncProperty(delays, async (schedule) => {
      const clock = new VirtualClock({ startMs: 0, budgetMs: 1e9 });
      const seen: number[] = [];
      await Promise.all(
        schedule.map((ms, n) =>
          n % 2 === 0
            ? clock.sleep(ms).then(() => seen.push(n))
            : new Promise<void>((resolve) => {
                clock.schedule(() => {
                  seen.push(n);
                  resolve();
                }, ms);
              }),
        ),
      );
      const wanted = schedule.map((_, n) => n).sort((a, b) => schedule[a]! - schedule[b]! || a - b);
      expect(seen).toEqual(wanted);
    }),
    { numRuns: 100 },
  );
});

test("a sleep ends at exactly its time, and now never goes backwards", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(delays, { minLength: 1, maxLength: 5 }), async (tasks) => {
      const clock = new VirtualClock({ startMs: 500, budgetMs: 1e9 });
      const times: number[] = [];
      await Promise.all(
        tasks.map(async (task) => {
          for (const ms of task) {
            const due = clock.now() + ms;
            await clock.sleep(ms);
            expect(clock.now()).toBe(due);
            times.push(clock.now());
          }
        }),
      );
      expect(times).toEqual([...times].sort((a, b) => a - b));
    }),
    { numRuns: 50 },
  );
});

test("clocks that run at the same time know nothing of each other", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(delays, { minLength: 2, maxLength: 6 }), async (schedules) => {
      const ends = await Promise.all(
        schedules.map(async (schedule, n) => {
          const clock = new VirtualClock({ startMs: n, budgetMs: 1e9 });
          for (const ms of schedule) await clock.sleep(ms);
          return clock.now();
        }),
      );
      expect(ends).toEqual(schedules.map((all, n) => all.reduce((sum, ms) => sum + ms, n)));
    }),
    { numRuns: 50 },
  );
});

test("time never goes beyond the budget, and its end is told once", async () => {
  await fc.assert(
    fc.asyncProperty(delays, fc.integer({ min: 0, max: 20_000 }), async (schedule, budgetMs) => {
      let told = 0;
      const done: number[] = [];
      const clock = new VirtualClock({ startMs: 0, budgetMs, onBudget: () => (told += 1) });
      for (const ms of schedule) clock.schedule(() => done.push(clock.now()), ms);
      await rest(clock);
      const within = schedule.filter((ms) => ms <= budgetMs);
      expect(done).toEqual(within.sort((a, b) => a - b));
      expect(told).toBe(within.length < schedule.length ? 1 : 0);
      expect(clock.now()).toBe(told === 1 ? budgetMs : Math.max(...schedule));
      clock.close();
    }),
    { numRuns: 50 },
  );
});

test("cancelled and restarted timers leave the others in their order", async () => {
  await fc.assert(
    fc.asyncProperty(
      delays,
      fc.infiniteStream(fc.integer({ min: 0, max: 2 })),
      async (all, what) => {
        const clock = new VirtualClock({ startMs: 0, budgetMs: 1e9 });
        const seen: number[] = [];
        const wanted: number[] = [];
        for (const ms of all) {
          const timer = clock.schedule(() => seen.push(ms), ms);
          const action = what.next().value;
          if (action === 1) timer.refresh();
          if (action === 2) clock.cancel(timer);
          else wanted.push(ms);
        }
        await rest(clock);
        expect(seen).toEqual(wanted.sort((a, b) => a - b));
        expect(clock.pending()).toEqual([]);
      },
    ),
    { numRuns: 50 },
  );
});

test("each trial starts at the clock's start and ends where its tools and back-offs have brought it", async () => {
  const trial = async (lost: number): Promise<{ calls: number[]; end: number }> => {
    const clock = clockOf();
    const calls: number[] = [];
    const tool = async (): Promise<void> => {
      calls.push(clock.now());
      if (calls.length <= lost) throw new Error("timed out");
      await clock.sleep(25);
    };
    try {
      await tool();
    } catch {
      await clock.sleep(1000);
      await tool();
    }
    return { calls, end: clock.now() };
  };
  expect([await trial(0), await trial(0), await trial(1), await trial(1)]).toEqual([
    { calls: [1000], end: 1025 },
    { calls: [1000], end: 1025 },
    { calls: [1000, 2000], end: 2025 },
    { calls: [1000, 2000], end: 2025 },
  ]);
});

/** What a sleep was refused with, and whether all is as it should be then. */
async function refusal(ms: unknown): Promise<{ error: unknown; told: boolean; now: number }> {
  const told: unknown[] = [];
  const clock = clockOf({ onMisuse: (error) => told.push(error) });
  const error: unknown = await clock.sleep(ms as number).catch((thrown: unknown) => thrown);
  return { error, told: told.length === 1 && told[0] === error, now: clock.now() };
}

test("a sleep of -1 is a RangeError that the trial is told of although it is caught", async () => {
  const { error, told, now } = await refusal(-1);
  expect(error).toBeInstanceOf(RangeError);
  expect({ told, now }).toEqual({ told: true, now: 1000 });
  expect((error as Error).message).toMatchInlineSnapshot(
    `"Failed to sleep for -1 ms: a delay is a finite number of milliseconds from 0. Compute the delay so that it is never negative."`,
  );
});

test("a sleep of what is no finite number is refused in the same way", async () => {
  for (const ms of [Number.NaN, Infinity, -Infinity, "5", undefined, null]) {
    const { error, told, now } = await refusal(ms);
    expect(error).toBeInstanceOf(RangeError);
    expect({ told, now }).toEqual({ told: true, now: 1000 });
  }
});

test("a trial that is ended during a virtual sleep ends at the time that it was", async () => {
  const clock = clockOf();
  const slept = clock.sleep(5000).catch((error: unknown) => error);
  clock.close();
  expect(await slept).toMatchObject({ code: "E_CLOCK_CLOSED" });
  await rest(clock);
  expect(clock.now()).toBe(1000);
});

test("parallel sleeps and a call of a tool take turns by their times", async () => {
  const clock = clockOf();
  const times: number[] = [];
  await Promise.all([
    clock.sleep(500).then(() => times.push(clock.now())),
    (async () => {
      await clock.sleep(100);
      times.push(clock.now());
      await clock.sleep(25);
      times.push(clock.now());
    })(),
  ]);
  expect(times).toEqual([1100, 1125, 1500]);
});

test("a sleep beyond the budget stands at the budget's end, and never returns", async () => {
  let told = 0;
  const clock = clockOf({ budgetMs: 10_000, onBudget: () => (told += 1) });
  let woken = false;
  void clock.sleep(20_000).then(
    () => (woken = true),
    () => undefined,
  );
  await rest(clock);
  expect({ told, woken, now: clock.now() }).toEqual({ told: 1, woken: false, now: 11_000 });
});

test("a loop of empty sleeps that catches every error meets the limit of timers, and then waits", async () => {
  const told: string[] = [];
  const clock = clockOf({
    maxTimers: 1000,
    onMisuse: (error) => told.push((error as Error & { code: string }).code),
  });
  let rounds = 0;
  void (async () => {
    for (;;) {
      rounds += 1;
      await clock.sleep(0).catch(() => undefined);
    }
  })();
  await rest(clock);
  expect(rounds).toBe(1101);
  expect(new Set(told)).toEqual(new Set(["E_CLOCK_TIMERS"]));
});

test("an agent that sleeps again and again after its trial's end is left waiting", async () => {
  const clock = clockOf();
  clock.close();
  let rounds = 0;
  void (async () => {
    for (;;) {
      rounds += 1;
      await clock.sleep(10).catch(() => undefined);
    }
  })();
  await rest(clock);
  expect(rounds).toBe(101);
});

test("a loop of empty sleeps lets the event loop go round", async () => {
  const clock = clockOf();
  const loop = { stop: false };
  const looped = (async () => {
    while (!loop.stop) await clock.sleep(0);
  })();
  await new Promise((resolve) => setTimeout(resolve, 20));
  loop.stop = true;
  await looped;
  expect(clock.now()).toBe(1000);
});

test("a clock that leaks out of its trial rejects and stands still, and nothing of it is a stray rejection", async () => {
  const strays: unknown[] = [];
  const see = (reason: unknown): void => void strays.push(reason);
  process.on("unhandledRejection", see);
  onTestFinished(() => void process.off("unhandledRejection", see));
  const clock = clockOf();
  void clock.sleep(50);
  clock.close();
  void clock.sleep(1);
  await expect(clock.sleep(1)).rejects.toMatchObject({ code: "E_CLOCK_CLOSED" });
  await turns(3);
  expect(clock.now()).toBe(1000);
  expect(clock.pending()).toEqual([]);
  expect(strays).toEqual([]);
});

test("a clock on which nobody waits costs no turns, so that only real time ends an agent that hangs", async () => {
  const clock = clockOf();
  const hung = new Promise<string>(() => undefined);
  const real = new Promise<string>((resolve) => setTimeout(() => resolve("timed out"), 20));
  expect(await Promise.race([hung, real])).toBe("timed out");
  expect(clock.stats).toEqual({ made: 0, fired: 0, elapsedMs: 0 });
});

test("the clock stands still while declared real work is pending, so that a timeout does not win against it", async () => {
  const clock = clockOf();
  const model = clock.real(
    new Promise<string>((resolve) => setTimeout(() => resolve("answer"), 5)),
  );
  expect(await Promise.race([model, clock.sleep(30_000).then(() => "timeout")])).toBe("answer");
  expect(clock.now()).toBe(1000);
  await clock.sleep(1000);
  await clock.sleep(1000);
  expect(clock.now()).toBe(3000);
});

test("declared real work is given back as it is, and its failure lets the clock go on", async () => {
  const clock = clockOf();
  const work = Promise.reject(new Error("no"));
  const real = clock.real(work);
  expect(real).toBe(work);
  await expect(real).rejects.toThrow("no");
  await clock.sleep(7);
  expect(clock.now()).toBe(1007);
});

test("a hold stops the clock until it is released, however often that is done", async () => {
  const clock = clockOf();
  const release = clock.hold();
  const other = clock.hold();
  let woken = false;
  const slept = clock.sleep(10).then(() => (woken = true));
  release();
  release();
  await rest(clock);
  expect(woken).toBe(false);
  other();
  await slept;
  expect(clock.now()).toBe(1010);
});

test("what waits is listed in the order of its times", () => {
  const clock = clockOf();
  clock.every(() => undefined, 30);
  clock.schedule(() => undefined, 20);
  void clock.sleep(10);
  expect(clock.pending()).toEqual([
    { kind: "sleep", due: 1010 },
    { kind: "timeout", due: 1020 },
    { kind: "interval", due: 1030 },
  ]);
});

test("an interval goes on until it is cancelled, also by its own callback", async () => {
  const clock = clockOf();
  const times: number[] = [];
  const timer = clock.every(
    (step: number) => {
      times.push(clock.now() + step);
      if (times.length === 3) timer.cancel();
    },
    100,
    [0],
  );
  await rest(clock);
  expect(times).toEqual([1100, 1200, 1300]);
  expect(timer.pending).toBe(false);
});

async function server(delayMs: number): Promise<string> {
  const made = createServer((_request, response) => {
    setTimeout(() => response.end("hello"), delayMs);
  });
  await new Promise<void>((resolve) => {
    made.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => made.closeAllConnections());
  onTestFinished(() => void made.close());
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}/`;
}

test("undeclared requests, files and turns of the event loop are seen, and win against a virtual timeout", async () => {
  const url = await server(40);
  const works = [
    async () => (await fetch(url)).text(),
    async () => (await readFile(new URL(import.meta.url))).length > 0 && "hello",
    async () => {
      await turns(10);
      return "hello";
    },
  ];
  for (const work of works) {
    const clock = clockOf();
    const timeout = clock.sleep(30_000).then(() => "timeout");
    expect(await Promise.race([work(), timeout])).toBe("hello");
    expect(clock.now()).toBe(1000);
  }
});

test("a request that is never answered holds the clock no longer than its patience", async () => {
  const url = await server(60_000);
  const clock = clockOf({ realWaitMs: 50 });
  const stop = new AbortController();
  const asked = fetch(url, { signal: stop.signal }).then(
    () => "answer",
    () => "aborted",
  );
  expect(await Promise.race([asked, clock.sleep(30_000).then(() => "timeout")])).toBe("timeout");
  stop.abort();
  await asked;
});

test("a connection that was given up waiting for does not hold the sleeps that come after", async () => {
  const url = await server(300);
  const clock = clockOf({ realWaitMs: 50 });
  const asked = fetch(url).then((response) => response.text());
  const before = performance.now();
  for (let n = 0; n < 20; n += 1) await clock.sleep(1000);
  expect(performance.now() - before).toBeLessThan(250);
  expect(await asked).toBe("hello");
});
