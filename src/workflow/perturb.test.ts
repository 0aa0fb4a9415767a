import { expect, test } from "vitest";
import type { AgentContext } from "../agent/agent.ts";
import { record } from "../agent/record.ts";
import { defineWorld } from "../world/define.ts";
import { perturb, type PerturbOptions } from "./perturb.ts";
import type { Trial } from "./trial-result.ts";

type Run = (task: string, context: AgentContext) => Promise<unknown>;

const booked: { key: string }[] = [];
const tools = {
  find_slot: async ({ day }: { day: string }) => ({ slot: `${day}-9`, free: true }),
  reserve_slot: async ({ slot, key }: { slot: string; key: string }) => {
    booked.push({ key });
    return { id: "b1", slot };
  },
};

const retrying =
  (keyOf: (attempt: number) => string): Run =>
  async (day, { call }) => {
    const { slot } = (await call("find_slot", { day })) as { slot: string };
    for (let attempt = 0; attempt < 3; attempt++) {
      try {
        const { id } = (await call("reserve_slot", { slot, key: keyOf(attempt) })) as {
          id: string;
        };
        if (typeof id === "string") return { status: "completed", message: `booked ${id}` };
      } catch {
        // The next attempt.
      }
    }
    return { status: "blocked", message: "not booked, as far as I know" };
  };

const stable = retrying(() => "key");
const careless = retrying((attempt) => `key-${attempt}`);

const world = () =>
  defineWorld({
    name: "slots",
    state: { bookings: [] as { key: string; slot: string }[] },
    tools: {
      find_slot: { kind: "read", execute: ({ day }: { day: string }) => ({ slot: `${day}-9` }) },
      reserve_slot: {
        kind: "write",
        execute: ({ key, slot }: { key: string; slot: string }, state) => {
          if (!state.bookings.some((booking) => booking.key === key))
            state.bookings.push({ key, slot });
          return { id: `b${state.bookings.length}`, slot };
        },
      },
    },
  });

const recorded = (agent: Run) =>
  record(agent, "monday", { tools, agent: "desk", writes: ["reserve_slot"] });

const atMostOnce = (trial: Trial): void => {
  expect(trial.mutations.length).toBeLessThanOrEqual(1);
};

const perturbed = async (agent: Run, options: PerturbOptions = {}, recordedBy = agent) =>
  perturb(await recorded(recordedBy), agent, { property: atMostOnce, options });

test("every applicable fault is put at each recorded call, and the recording goes on after it", async () => {
  const { control, trials } = await perturbed(stable);
  expect(control.verdict).toBe("passed");
  const at = new Set(trials.map(({ fault }) => `${fault.type} ${fault.tool}`));
  expect(at).toContain("timeout_before reserve_slot");
  expect(at).toContain("timeout_before find_slot");
  expect(at).not.toContain("timeout_after find_slot");
  const before = trials.find(
    ({ fault }) => fault.type === "timeout_before" && fault.tool === "reserve_slot",
  );
  expect(before?.verdict).toBe("passed");
});

test("what neither the recording nor a world can answer is inconclusive, never passed", async () => {
  const { trials } = await perturbed(careless);
  const lost = trials.find(({ fault }) => fault.type === "timeout_after");
  expect(lost).toMatchObject({
    verdict: "inconclusive",
    reason: expect.stringContaining("reserve_slot") as string,
  });
});

test("with a declared world the second booking of a lost confirmation is seen", async () => {
  const { trials } = await perturbed(careless, { world: world() });
  const lost = trials.find(({ fault }) => fault.type === "timeout_after");
  expect(lost?.verdict).toBe("failed");
  expect(lost?.trial.mutations).toHaveLength(2);
  const kept = await perturbed(stable, { world: world(), tools: ["reserve_slot"] });
  const failed = kept.trials.filter(({ verdict }) => verdict === "failed");
  expect(failed.map(({ fault, reason }) => [fault.type, reason])).toEqual([]);
});

test("an agent that leaves the recording without any fault is an error", async () => {
  const other: Run = async (_day, { call }) => call("find_slot", { day: "sunday" });
  await expect(perturbed(other, {}, stable)).rejects.toMatchObject({ code: "E_CONTROL_FAILED" });
});

test("a recording without a tool call is an error, not a pass", async () => {
  const silent: Run = async () => "nothing to do";
  const trace = await record(silent, "x", { tools, agent: "desk" });
  await expect(perturb(trace, silent, { property: atMostOnce })).rejects.toMatchObject({
    code: "E_PERTURB_NOTHING",
  });
});

test("an agent that broke before anything was missing has failed, though the recording could not answer what came later", async () => {
  const looping: Run = async (day, { call }) => {
    const { slot } = (await call("find_slot", { day })) as { slot: string };
    for (let attempt = 0; attempt < 4; attempt++) {
      const done = await call("reserve_slot", { slot, key: "key" }).catch(() => undefined);
      if (done !== undefined) return { status: "completed", message: "booked" };
    }
    await call("find_slot", { day: "never asked" });
    return { status: "blocked", message: "not booked" };
  };
  const trace = await recorded(looping);
  const options = { limits: { repeatedCalls: 2 }, types: ["permission_revoked"] };
  const { trials } = await perturb(trace, looping, { property: atMostOnce, options });
  expect(trials.map(({ verdict, reason }) => [verdict, reason])).toEqual([
    ["failed", expect.stringContaining("limits.repeatedCalls admits 2")],
  ]);
});

test("a recorded error is the tool's answer, whatever its class: a TypeError of a live tool is no crash of the world", async () => {
  const failing = (error: Error): typeof tools => ({
    ...tools,
    reserve_slot: async () => {
      throw error;
    },
  });
  const told: unknown[] = [];
  const agent: Run = async (_, { call }) => {
    await call("find_slot", { day: "monday" });
    try {
      return await call("reserve_slot", { slot: "monday-9", key: "key" });
    } catch (thrown) {
      told.push(thrown);
      return { status: "blocked", message: "not booked: the service is broken" };
    }
  };
  for (const error of [
    new TypeError("cannot read properties of undefined"),
    Object.assign(new RangeError("too far"), { code: "FAR", retryable: false, day: "monday" }),
    Object.assign(new Error("full"), { code: 409 }),
  ]) {
    told.length = 0;
    const trace = await record(agent, "monday", {
      tools: failing(error),
      agent: "desk",
      writes: ["reserve_slot"],
    });
    const { control } = await perturb(trace, agent, { property: atMostOnce });
    expect(control.verdict).toBe("passed");
    const [live] = told;
    const played = told[1];
    expect(played).toMatchObject({ name: error.name, message: error.message });
    expect({ ...(played as object) }).toEqual({ ...(live as object) });
  }
});
