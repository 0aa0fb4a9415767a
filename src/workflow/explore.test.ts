import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { AgentContext } from "../agent/agent.ts";
import { defineWorld } from "../world/define.ts";
import { explore, type ExploreOptions } from "./explore.ts";
import type { Trial } from "./trial-result.ts";

interface Booking {
  readonly id: string;
  readonly customer: string;
  readonly key: string;
}

/** A booking service: a repeated key books once; another key books again. */
const desk = () =>
  defineWorld({
    name: "desk",
    state: { bookings: [] as Booking[] },
    tools: {
      list: {
        kind: "read",
        execute: (_args, state) => ({ items: state.bookings.map((booking) => ({ ...booking })) }),
      },
      reserve: {
        kind: "write",
        execute: ({ key, customer }: { key: string; customer: string }, state) => {
          const known = state.bookings.find((booking) => booking.key === key);
          if (known !== undefined) return { ...known };
          const booking = { id: `b${state.bookings.length + 1}`, customer, key };
          state.bookings.push(booking);
          return { ...booking };
        },
      },
    },
  });

type Run = (task: string, context: AgentContext) => Promise<unknown>;

async function tries(body: (attempt: number) => Promise<unknown>): Promise<unknown> {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      return await body(attempt);
    } catch {
      // The next attempt.
    }
  }
  return { status: "blocked", message: "gave up" };
}

/** A key for each attempt: books twice when a confirmation is lost. */
const careless: Run = (task, context) =>
  tries((attempt) => context.call("reserve", { key: `k${attempt}`, customer: task }));

/** Looks before it retries: falls only to a lost confirmation and a stale look. */
const looking: Run = async (task, { call }) => {
  await call("list").catch(() => undefined);
  return tries(async (attempt) => {
    if (attempt > 0) {
      const seen = (await call("list")) as { items: Booking[] };
      const mine = seen.items.find(({ customer }) => customer === task);
      if (mine !== undefined) return mine;
    }
    return call("reserve", { key: `k${attempt}`, customer: task });
  });
};

/** One key for all attempts. */
const careful: Run = (task, context) =>
  tries(() => context.call("reserve", { key: `k-${task}`, customer: task }));

const once = (trial: Trial): void => {
  expect(trial.read("/bookings")).toSatisfy((rows: unknown[]) => rows.length <= 1);
};

const search = (
  agent: Run,
  more: Partial<ExploreOptions> = {},
): Promise<Awaited<ReturnType<typeof explore>>> =>
  explore({ agent, task: "c7", world: desk, ...more }, once);

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "twiceshy-findings-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test("a key for each attempt is found by one lost confirmation, the smallest schedule", async () => {
  const { status, finding } = await search(careless);
  expect(status).toBe("found");
  expect(finding?.faults).toEqual([
    { type: "timeout_after", tool: "reserve", occurrence: 1, per: "tool" },
  ]);
  expect(finding?.schedule).toContain("reserve");
});

test("an agent that looks before it retries falls to a pair and to no single fault", async () => {
  const types = ["timeout_after", "stale_read", "unavailable"];
  const single = await search(looking, { types, maxFaults: 1 });
  expect(single.status).toBe("clean");
  const { finding } = await search(looking, { types });
  expect(finding?.faults.map(({ type, tool }) => `${type} ${tool}`)).toEqual([
    "timeout_after reserve",
    "stale_read list",
  ]);
});

test("one key for all attempts is clean in every single fault, pair and in drawn schedules", async () => {
  const { status, runs } = await search(careful, { maxFaults: 3, draws: 200, budget: 20_000 });
  expect(status).toBe("clean");
  expect(runs).toBeGreaterThan(200);
});

test("a search whose budget ends first is partial, never clean", async () => {
  const { status, runs } = await search(careful, { budget: 5 });
  expect({ status, runs }).toEqual({ status: "partial", runs: 5 });
});

test("a bad control is an error and nothing is searched", async () => {
  const twice: Run = async (task, { call }) => {
    await call("reserve", { key: "a", customer: task });
    return call("reserve", { key: "b", customer: task });
  };
  await expect(search(twice)).rejects.toMatchObject({ code: "E_CONTROL_FAILED" });
});

test("two searches are the same, trial by trial", async () => {
  const seen: string[][] = [[], []];
  for (const said of seen)
    await explore(
      { agent: looking, task: "c7", world: desk, maxFaults: 3, draws: 50, budget: 600 },
      (trial) => {
        said.push(JSON.stringify(trial.events));
      },
    );
  expect(seen[0]).toEqual(seen[1]);
});

test("a finding is saved as data by its content, and is tried first the next time", async () => {
  const findings = { folder: folder(), test: "books once", save: true };
  const first = await search(careless, { findings });
  expect(first.finding).toMatchObject({ known: false });
  const files = readdirSync(findings.folder);
  expect(files).toHaveLength(1);
  const text = readFileSync(join(findings.folder, files[0]!), "utf8");
  expect(JSON.parse(text)).toMatchObject({ formatVersion: 1, test: "books once" });
  const second = await search(careless, { findings });
  expect(second).toMatchObject({ status: "found", runs: 1, finding: { known: true } });
  expect(readdirSync(findings.folder)).toEqual(files);
  const fixed = await search(careful, { findings, maxFaults: 1 });
  expect(fixed.status).toBe("clean");
  const other = await search(careless, { findings: { ...findings, test: "another" } });
  expect(other.finding?.known).toBe(false);
});

test("a broken file of findings is an error with its path and nothing is lost", async () => {
  const path = folder();
  const file = join(path, "0123456789abcdef.json");
  writeFileSync(file, "<<<<<<< ours\n");
  const findings = { folder: path, test: "any", save: true };
  await expect(search(careless, { findings })).rejects.toMatchObject({
    code: "E_FINDING_READ",
    message: expect.stringContaining(file) as string,
  });
  expect(readFileSync(file, "utf8")).toBe("<<<<<<< ours\n");
});

test("a finding about a tool that is gone, or with a pick of a call that nobody makes, is an error with its path", async () => {
  const path = folder();
  const file = join(path, "0123456789abcdef.json");
  const findings = { folder: path, test: "any", save: false };
  const both: Run = async (_task, { call }) => {
    await Promise.all([call("list"), call("list")]);
    return { status: "completed", message: "looked" };
  };
  const read = (faults: unknown, order: unknown): Promise<unknown> => {
    writeFileSync(file, JSON.stringify({ formatVersion: 1, test: "any", said: "", faults, order }));
    return search(both, { findings, maxFaults: 0 });
  };
  await expect(read([{ type: "timeout_after", tool: "gone" }], [])).rejects.toMatchObject({
    code: "E_FINDING_READ",
    message: expect.stringMatching(/0123456789abcdef\.json.*gone/s) as string,
  });
  await expect(read([], [5, 9])).rejects.toMatchObject({
    code: "E_FINDING_READ",
    message: expect.stringMatching(
      /0123456789abcdef\.json.*order\/0 picks 5, and only 2 calls wait/s,
    ) as string,
  });
  await expect(read([], [1, 9])).resolves.toMatchObject({ status: "clean" });
});

test("parallel workers that check and then act book twice in some order of their calls, and no fault is needed", async () => {
  const worker = async (call: AgentContext["call"], customer: string): Promise<void> => {
    const { items } = (await call("list")) as { items: Booking[] };
    if (items.length === 0) await call("reserve", { key: customer, customer });
  };
  const serialised: Run = async (_task, { call }) => {
    await Promise.all([worker(call, "a"), worker(call, "b").catch(() => undefined)]);
    return "done";
  };
  const first: Run = async (_task, context) => {
    // Unless b overtakes, a has reserved before b looks.
    await Promise.all([
      worker(context.call, "a"),
      (async () => {
        await context.call("list");
        await context.call("list");
        await worker(context.call, "b");
      })(),
    ]);
    return "done";
  };
  await expect(search(serialised)).rejects.toMatchObject({ code: "E_CONTROL_FAILED" });
  const { finding } = await search(first);
  expect(finding?.faults).toEqual([]);
  expect(finding?.order?.some((pick) => pick > 0)).toBe(true);
  expect(finding?.trial.read("/bookings")).toHaveLength(2);
});

test("an arbitrary of tasks is searched too, and the task of a finding is shrunk", async () => {
  const agent: Run = async (task, context) => {
    if (task.length > 3) await context.call("reserve", { key: "extra", customer: task });
    return context.call("reserve", { key: "one", customer: task });
  };
  // The control takes what the seed draws first; this one draws a short text.
  const task = fc.string({ maxLength: 20, unit: fc.constant("a") }).map(String);
  const seed = Array.from({ length: 100 }, (_, n) => n).find(
    (n) => fc.sample(task, { seed: n, numRuns: 1 })[0]!.length <= 3,
  )!;
  const { finding } = await search(agent, { task, seed, maxFaults: 0 });
  expect(finding?.task).toBe("aaaa");
});

test("what a search finds is bad again when it is run alone, whatever the agent does", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom("list", "reserve"), { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      async (calls, stable) => {
        const agent: Run = async (task, { call }) => {
          for (const [n, tool] of calls.entries())
            await tries((attempt) =>
              call(
                tool,
                tool === "list"
                  ? {}
                  : { key: stable ? "k" : `k${n === 0 ? attempt : 0}`, customer: task },
              ),
            );
          return "done";
        };
        const explored = await search(agent, { maxFaults: 2, budget: 150 }).catch(() => undefined);
        if (explored?.finding === undefined) return;
        const { faults } = explored.finding;
        for (let leave = 0; leave < faults.length; leave++) {
          const fewer = faults.filter((_, n) => n !== leave);
          const { runTrial } = await import("./trial.ts");
          const trial = await runTrial({
            agent,
            task: "c7",
            world: desk(),
            faults: fewer,
          });
          expect((trial.read("/bookings") as unknown[]).length).toBeLessThanOrEqual(1);
        }
      },
    ),
    { numRuns: 10 },
  );
}, 60_000);

test("trials in which the simulation breaks, or a search without a call, are partial and never clean", async () => {
  const fragile = () =>
    defineWorld({
      state: { writes: 0 },
      tools: {
        reserve: {
          kind: "write",
          execute: (_args: object, state) => {
            if (state.writes > 0) throw new TypeError("no second one");
            state.writes++;
            return { id: "b1" };
          },
        },
      },
    });
  const broken = await explore(
    { agent: careless, task: "c7", world: fragile, maxFaults: 1 },
    () => true,
  );
  expect(broken).toMatchObject({ status: "partial", because: expect.stringContaining("broke") });
  const idle = await explore({ agent: async () => "done", task: "c7", world: desk }, () => true);
  expect(idle).toMatchObject({ status: "partial", because: expect.stringContaining("no call") });
});

test("a property may answer with a text that says why not, and nothing else than true is taken for yes", async () => {
  const say = (answer: unknown) =>
    explore({ agent: careful, task: "c7", world: desk, maxFaults: 1 }, (trial) =>
      trial.faults.length === 0 ? true : answer,
    );
  expect((await say("too many")).finding?.said).toBe("too many");
  expect((await say(0)).finding?.said).toContain("a value of type number");
  expect((await say(undefined)).status).toBe("clean");
});

test("a search without a property or with a budget that is none is refused", async () => {
  const options = { agent: careful, task: "c7", world: desk };
  await expect(explore(options, undefined as never)).rejects.toMatchObject({
    code: "E_EXPLORE_OPTIONS",
  });
  await expect(explore({ ...options, budget: -1 }, once)).rejects.toMatchObject({
    code: "E_EXPLORE_OPTIONS",
  });
  await expect(explore({ ...options, maxFaults: "x" as never }, once)).rejects.toMatchObject({
    code: "E_EXPLORE_OPTIONS",
  });
});
