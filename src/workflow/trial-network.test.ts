import { createServer, get, type Server } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { AgentContext } from "../agent/agent.ts";
import { guardNetwork } from "../boundary/network.ts";
import { fault } from "../fault/build.ts";
import { defineWorld } from "../world/define.ts";
import { runWorkflow, type RunOptions } from "./run.ts";
import { runTrial } from "./trial.ts";

let server: Server;
let url = "";
let heard = 0;

beforeAll(async () => {
  server = createServer((_, response) => {
    heard += 1;
    response.end("live");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});

afterAll(() => void server.close());

const world = defineWorld({
  name: "weather",
  state: { asked: 0 },
  tools: {
    today: {
      kind: "write",
      execute(_: object, state) {
        state.asked += 1;
        return state.asked;
      },
    },
    live: { kind: "read", execute: async () => (await fetch(url)).text() },
  },
});
const task = "Say the weather.";

const fetches = async (): Promise<string> => (await fetch(url)).text();
const swallows = async (): Promise<string> => {
  await fetch(url).catch(() => undefined);
  return "It is sunny.";
};

test("a live call fails the trial by the name of its host, also when the agent swallows the error", async () => {
  const before = heard;
  for (const agent of [fetches, swallows]) {
    const trial = await runTrial({ agent, task, world });
    expect(trial.verdict).toBe("failed");
    expect(trial.issue).toMatchObject({ side: "agent", code: "network_blocked" });
    expect(trial.reason).toContain("reach 127.0.0.1");
    expect(trial.reason).toContain('list 127.0.0.1 under "network"');
    expect(trial.events.some((event) => event.kind === "limit")).toBe(true);
  }
  expect(heard).toBe(before);
});

test("a live call fails the trial under a fault, too", async () => {
  const agent = async (_: unknown, { call }: AgentContext): Promise<string> => {
    await call("today").catch(() => fetch(url).catch(() => undefined));
    return "done";
  };
  const trial = await runTrial({ agent, task, world, faults: [fault.timeoutAfter("today")] });
  expect(trial).toMatchObject({ verdict: "failed", issue: { code: "network_blocked" } });
});

test("a host that the user allows is reached, and the clock waits for it", async () => {
  const agent = async (_: unknown, { clock }: AgentContext): Promise<string> => {
    const winner = await Promise.race([fetches(), clock.sleep(60_000)]);
    return winner ?? "too late";
  };
  for (const network of [["localhost"], ["127.0.0.1"], [new URL(url).host]]) {
    const trial = await runTrial({ agent, task, world, network });
    expect(trial).toMatchObject({ verdict: "passed" });
    expect(trial.completion?.output).toBe("live");
  }
});

test("a live call of a simulated tool is named with its tool, and is no fault of the agent", async () => {
  const agent = async (_: unknown, { call }: AgentContext): Promise<unknown> =>
    call("live").catch(() => "done");
  const control = await runTrial({ agent, task, world });
  expect(control.issue).toMatchObject({ side: "tool", code: "network_blocked" });
  expect(control.verdict).toBe("failed");
  expect(control.reason).toMatch(/reach 127\.0\.0\.1:\d+ from the tool live/);
  const faults = [fault.slowResponse("live")];
  const trial = await runTrial({ agent, task, world, faults });
  expect(trial.verdict).toBe("inconclusive");
});

test("trials at the same time are told of their own attempts alone", async () => {
  const agents = ["a.example.com", "b.example.com"].map((host) => async (): Promise<string> => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => get(`http://${host}/`).on("error", resolve));
    return "done";
  });
  const quiet = async (): Promise<string> => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    return "done";
  };
  const trials = await Promise.all(
    [...agents, quiet].map((agent) => runTrial({ agent, task, world })),
  );
  expect(trials.map(({ verdict }) => verdict)).toEqual(["failed", "failed", "passed"]);
  expect(trials[0]?.reason).toContain("a.example.com");
  expect(trials[1]?.reason).toContain("b.example.com");
});

test("in a trial its own list counts, whatever other guards are held; outside of trials they do", async () => {
  const guard = guardNetwork([]);
  onTestFinished(() => guard.release());
  const trial = await runTrial({ agent: fetches, task, world, network: ["localhost"] });
  expect(trial.completion?.output).toBe("live");
  await expect(fetch(url)).rejects.toThrow("fetch failed");
});

test("the code around a trial reaches the network as ever", async () => {
  const agent = async (_: unknown, { clock }: AgentContext): Promise<string> => {
    await clock.sleep(1000);
    return "done";
  };
  const trial = runTrial({ agent, task, world });
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  await new Promise((resolve, reject) => socket.on("connect", resolve).on("error", reject));
  socket.destroy();
  expect((await trial).verdict).toBe("passed");
});

test("hosts that are none are refused before anything runs", async () => {
  const run = (network: unknown): Promise<unknown> =>
    runTrial({ agent: fetches, task, world, network: network as string[] });
  await expect(run(["https://api.example.com/v1"])).rejects.toThrow("network[0]: it names no host");
  await expect(run("localhost")).rejects.toThrow("network: it is no list");
});

test("the hosts of a run hold for a workflow that names none, and no longer than it lasts", async () => {
  const workflow = { id: "weather", agent: fetches, task, world, checks: [], scenarios: [] };
  const verdictOf = async (own: object, options: RunOptions): Promise<string> =>
    (await runWorkflow({ ...workflow, ...own }, options)).control.verdict;
  expect(await verdictOf({}, { network: ["localhost"] })).toBe("passed");
  expect(await verdictOf({ network: [] }, { network: ["localhost"] })).toBe("failed");
  expect(await verdictOf({ network: ["localhost"] }, {})).toBe("passed");
  expect(await verdictOf({}, {})).toBe("failed");
});
