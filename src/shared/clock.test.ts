import { expect, test, vi } from "vitest";
import { dateAt, deadline, monotonic, now, pause, sleep } from "./clock.ts";

test("the clock counts epoch milliseconds", () => {
  expect(Math.abs(now() - Date.now())).toBeLessThan(1000);
});

test("monotonic time does not go backwards, and sleeping takes time", async () => {
  const start = monotonic();
  await sleep(20);
  expect(monotonic() - start).toBeGreaterThanOrEqual(15);
});

test("fake timers of a test stop neither sleep nor the clock", async () => {
  vi.useFakeTimers({ now: 0 });
  try {
    expect(now()).toBeGreaterThan(1e12);
    await sleep(5);
    const fired = new Promise<string>((resolve) => deadline(5, () => resolve("fired")));
    expect(await fired).toBe("fired");
  } finally {
    vi.useRealTimers();
  }
});

test("an aborted signal ends a sleep at once", async () => {
  const controller = new AbortController();
  const start = monotonic();
  const slept = sleep(60_000, controller.signal);
  controller.abort();
  await slept;
  await sleep(60_000, controller.signal);
  expect(monotonic() - start).toBeLessThan(5000);
});

test("a deadline that is called off does not fire", async () => {
  let fired = 0;
  deadline(5, () => fired++)();
  await sleep(20);
  expect(fired).toBe(0);
});

test("deadlines fire in their order, also when a later one was set first or another was called off", async () => {
  const fired: string[] = [];
  const late = new Promise<void>((resolve) => deadline(40, () => resolve(void fired.push("late"))));
  deadline(10, () => fired.push("early"));
  const off = deadline(20, () => fired.push("off"));
  off();
  off();
  deadline(25, () => fired.push("middle"));
  await late;
  expect(fired).toEqual(["early", "middle", "late"]);
});

test("a delay of more than 24 days does not fire at once", async () => {
  let fired = 0;
  const off = deadline(Number.POSITIVE_INFINITY, () => fired++);
  await sleep(20);
  off();
  expect(fired).toBe(0);
});

test("pausing blocks for the time asked", () => {
  const start = monotonic();
  pause(20);
  expect(monotonic() - start).toBeGreaterThanOrEqual(15);
});

test("a date is made from milliseconds or ISO text", () => {
  expect(dateAt(0).toISOString()).toBe("1970-01-01T00:00:00.000Z");
  expect(dateAt("1970-01-01T00:00:00.000Z").getTime()).toBe(0);
});
