import { pbkdf2, webcrypto } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { MessageChannel, Worker } from "node:worker_threads";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { expect, test } from "vitest";
import type { AgentContext } from "../agent/agent.ts";
import { fault } from "../fault/build.ts";
import { defineWorld } from "../world/define.ts";
import { runTrial } from "./trial.ts";
import type { Trial } from "./trial-result.ts";

const world = defineWorld({
  name: "counter",
  state: { n: 0 },
  tools: { add: { kind: "write", execute: (_: object, state) => ++state.n } },
});

type AgentLike = (task: unknown, context: AgentContext) => unknown;

const run = (agent: AgentLike, about: object = {}): Promise<Trial> =>
  runTrial({ agent, task: "count", world, limits: { ms: 20_000 }, ...about });

const never = (): Promise<never> => new Promise(() => undefined);

const HANGS: Readonly<Record<string, AgentLike>> = {
  "on a promise that nobody settles": never,
  "after calls and virtual waits": async (_, { call, clock }) => {
    await call("add");
    await clock.sleep(60_000);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await never();
  },
  "on an event of an emitter that is gone": () => once(new EventEmitter(), "never"),
  "on one of many": () => Promise.all([never(), Promise.race([never(), never()])]),
  "in a stream": async function* stream() {
    yield "a";
    await never();
  },
};

test.each(Object.entries(HANGS))(
  "an agent that waits for ever %s has failed by name, long before its real time is up",
  async (_, agent) => {
    const trial = await run(agent);
    expect(trial).toMatchObject({
      verdict: "failed",
      issue: { side: "agent", code: "agent_hung" },
    });
  },
);

test("an agent that waits for ever under a fault is named, too", async () => {
  const agent: AgentLike = (_, { call }) => call("add").catch(never);
  const trial = await run(agent, { faults: [fault.timeoutAfter("add")] });
  expect(trial.issue?.code).toBe("agent_hung");
});

/** Real work that nobody declared and that Node does not show; each takes longer than the first look. */
const WORKS: Readonly<Record<string, AgentLike>> = {
  "crypto.subtle": async () => {
    const { subtle } = webcrypto;
    const key = await subtle.importKey("raw", new Uint8Array(8), "PBKDF2", false, ["deriveBits"]);
    const about = { name: "PBKDF2", hash: "SHA-512", salt: new Uint8Array(8) };
    await subtle.deriveBits({ ...about, iterations: 600_000 }, key, 256);
  },
  pbkdf2: () => promisify(pbkdf2)("a", "b", 600_000, 64, "sha512"),
  zlib: () => promisify(gzip)(Buffer.alloc(60_000_000, "ab c de"), { level: 9 }),
  "another thread": () =>
    new Promise((resolve, reject) => {
      const code = `setTimeout(() => require("node:worker_threads").parentPort.postMessage("x"), 700)`;
      new Worker(code, { eval: true }).once("message", resolve).once("error", reject);
    }),
  "a message port": async () => {
    const { port1, port2 } = new MessageChannel();
    const code = `const { workerData } = require("node:worker_threads"); setTimeout(() => workerData.postMessage("x"), 700)`;
    const worker = new Worker(code, { eval: true, workerData: port2, transferList: [port2] });
    await new Promise((resolve) => {
      port1.once("message", resolve);
    });
    port1.close();
    await worker.terminate();
  },
  "Atomics.waitAsync": async () => {
    const memory = new Int32Array(new SharedArrayBuffer(4));
    const code = `const { workerData: m } = require("node:worker_threads"); setTimeout(() => Atomics.notify(m, 0), 700)`;
    const { waitAsync } = Atomics as unknown as {
      waitAsync: (memory: Int32Array, ...about: number[]) => { readonly value: unknown };
    };
    const waited = waitAsync(memory, 0, 0).value;
    const worker = new Worker(code, { eval: true, workerData: memory });
    await waited;
    await worker.terminate();
  },
  "its signal": (_, { signal }) =>
    Promise.race([once(signal, "abort"), promisify(pbkdf2)("a", "b", 600_000, 64, "sha512")]),
};

test.each(Object.entries(WORKS))(
  "an agent that waits for undeclared work, as %s, is no hung one",
  async (_, agent) => {
    const trial = await run(agent);
    expect(trial).toMatchObject({ verdict: "passed" });
  },
);

test("an agent that something of the process can still wake is waited for until its time is up", async () => {
  const shared = new EventEmitter();
  const trial = await run(() => once(shared, "never"), { limits: { ms: 600 } });
  expect(trial.issue?.code).toBe("timed_out");
  expect(shared.listenerCount("never")).toBe(1);
});
