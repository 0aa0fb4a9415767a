import { EventEmitter } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { within } from "./ambient.ts";
import { liveAnswer, type Boundary } from "./boundary.ts";
import { realClock } from "./clock.ts";
import { guardProcess } from "./process-guard.ts";
import { runningTrials, withHandlers, type TrialHandlers } from "./trial-handlers.ts";

const boundary: Boundary = { call: liveAnswer, nextId: () => "call_1" };

interface Told {
  readonly run: <T>(run: () => T) => T;
  readonly events: string[];
}

function trialOf(): Told {
  const events: string[] = [];
  const say = (what: string) => (error: unknown, about?: { certainty: string }) =>
    void events.push(`${what}: ${(error as Error).message}${about ? ` (${about.certainty})` : ""}`);
  const handlers: TrialHandlers = {
    onExit: say("exit"),
    onRejection: say("rejection"),
    onUncaught: say("uncaught"),
  };
  const clock = withHandlers(
    realClock(() => new AbortController().signal),
    handlers,
  );
  runningTrials().add(handlers);
  onTestFinished(() => void runningTrials().delete(handlers));
  return { run: (run) => within(boundary, run, clock), events };
}

function guarded(): void {
  const guard = guardProcess();
  onTestFinished(() => guard.release());
}

/** What listeners that were there before see. */
function seenByOthers(event: "unhandledRejection" | "uncaughtException"): unknown[] {
  const seen: unknown[] = [];
  const see = (error: unknown): void => void seen.push(error);
  process.on(event, see);
  onTestFinished(() => void process.off(event, see));
  return seen;
}

const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10));

test("an agent that ends the process does not, and the trial is told although the agent catches the error", () => {
  guarded();
  const { run, events } = trialOf();
  const ways: (() => unknown)[] = [
    () => process.exit(0),
    () => (process as unknown as { reallyExit(code: number): void }).reallyExit(1),
    () => process.abort(),
    () => process.kill(process.pid),
    () => process.kill(process.pid, "SIGKILL"),
  ];
  for (const way of ways)
    expect(() => run(way)).toThrow(expect.objectContaining({ code: "E_PROCESS_EXIT" }));
  expect(run(() => process.kill(process.pid, 0))).toBe(true);
  expect(events).toHaveLength(ways.length);
  expect(events[0]).toMatchInlineSnapshot(
    `"exit: Failed to run process.exit(0) in a trial: it would end the test runner and all other trials. Return a completion, or throw an error, where the agent wants to stop."`,
  );
});

test("outside of trials process.exit goes its way as before", () => {
  const before = Object.getOwnPropertyDescriptor(process, "exit") ?? {};
  const calls: unknown[] = [];
  process.exit = ((code: unknown) => void calls.push(code)) as typeof process.exit;
  onTestFinished(() => void Object.defineProperty(process, "exit", before));
  const mine: unknown = Reflect.get(process, "exit");
  const guard = guardProcess();
  (process.exit as (code: number) => void)(7);
  guard.release();
  guard.release();
  expect(calls).toEqual([7]);
  expect(Reflect.get(process, "exit")).toBe(mine);
});

test("a rejection that nobody waits for is told to the trial that made it, and to nobody else", async () => {
  guarded();
  const others = seenByOthers("unhandledRejection");
  const first = trialOf();
  const second = trialOf();
  first.run(() => void Promise.reject(new Error("direct")));
  second.run(
    () =>
      void (async () => {
        await rest();
        throw new Error("later");
      })(),
  );
  await rest();
  await rest();
  expect(first.events).toEqual(["rejection: direct (own)"]);
  expect(second.events).toEqual(["rejection: later (own)"]);
  expect(others).toEqual([]);
});

test("a rejection that is nobody's own is put down to the only trial that runs, else to each of them", async () => {
  guarded();
  const others = seenByOthers("unhandledRejection");
  const first = trialOf();
  void Promise.reject(new Error("whose"));
  await rest();
  const second = trialOf();
  void Promise.reject(new Error("both's"));
  await rest();
  expect(first.events).toEqual(["rejection: whose (likely)", "rejection: both's (one of)"]);
  expect(second.events).toEqual(["rejection: both's (one of)"]);
  expect(others).toEqual([]);
});

test("without a trial a stray rejection is seen as before", async () => {
  guarded();
  const listeners = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  onTestFinished(() => {
    for (const listener of listeners) process.on("unhandledRejection", listener);
  });
  const others = seenByOthers("unhandledRejection");
  void Promise.reject(new Error("mine"));
  await rest();
  expect(others).toEqual([new Error("mine")]);
});

test("what a timer, a tick or an event handler of an agent throws is told to its trial", async () => {
  guarded();
  const others = seenByOthers("uncaughtException");
  const { run, events } = trialOf();
  const other = trialOf();
  run(() => {
    setTimeout(() => {
      throw new Error("timer");
    }, 1);
    process.nextTick(() => {
      throw new Error("tick");
    });
    const emitter = new EventEmitter();
    setImmediate(() => emitter.emit("error", new Error("event")));
  });
  await rest();
  expect(events.sort()).toEqual([
    "uncaught: event (own)",
    "uncaught: tick (own)",
    "uncaught: timer (own)",
  ]);
  expect(other.events).toEqual([]);
  expect(others).toEqual([]);
});
