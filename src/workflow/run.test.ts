import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AgentContext } from "../agent/agent.ts";
import { defineWorld } from "../world/define.ts";
import { defineWorkflow } from "./typed.ts";
import { fingerprint } from "./fingerprint.ts";
import { readReport } from "./read-report.ts";
import { reserveReport } from "./report-file.ts";
import { runWorkflow } from "./run.ts";
import { scenariosOf } from "./scenarios.ts";
import type { Workflow } from "./workflow.ts";

type Context = Pick<AgentContext, "call" | "clock">;

interface Bookings {
  bookings: { key: string }[];
  other: number;
}

const NONE: Bookings = { bookings: [], other: 0 };

function world(by = 1): ReturnType<typeof make> {
  return make(by);
}

function make(by: number) {
  return defineWorld({
    name: "bookings",
    state: NONE,
    tools: {
      book: {
        kind: "write",
        execute({ key }: { key: string }, state) {
          if (!state.bookings.some((booking) => booking.key === key)) state.bookings.push({ key });
          return { booked: key, by };
        },
      },
      list: { kind: "read", execute: (_args, state) => state.bookings.length },
    },
  });
}

/** Books with one key, and again when it was told that it failed. */
async function careful(_task: unknown, { call }: Context): Promise<string> {
  await call("book", { key: "a" }).catch(() => call("book", { key: "a" }));
  return "booked";
}

/** A key for each attempt. */
async function careless(_task: unknown, { call }: Context): Promise<string> {
  await call("book", { key: "a" }).catch(() => call("book", { key: "b" }));
  return "booked";
}

const ONE = { id: "one", type: "count", path: "/bookings", expected: 1 };

function workflow(about: Partial<Workflow> = {}): Workflow {
  return defineWorkflow({
    id: "booking",
    agent: careful,
    task: "Book a",
    world: world(),
    scenarios: [
      { id: "lost", faults: [{ type: "timeout_after", tool: "book" }] },
      { id: "unreached", faults: [{ type: "unavailable", tool: "list" }] },
      { id: "down", faults: [{ type: "unavailable", tool: "book" }] },
    ],
    checks: [ONE],
    ...about,
  });
}

function place(): string {
  return join(mkdtempSync(join(tmpdir(), "report-")), "report.jsonl");
}

test("the control runs first, then every scenario, and one that is not reached hides no other", async () => {
  const seen: string[] = [];
  const run = await runWorkflow(workflow({ agent: careless }), {
    onTrial: ({ scenario, verdict }, number) => seen.push(`${scenario.id} ${number} ${verdict}`),
  });
  expect(seen).toEqual([
    "control 1 passed",
    "lost 1 failed",
    "unreached 1 inconclusive",
    "down 1 passed",
  ]);
  expect(run).toMatchObject({ planned: 3, exitCode: 1 });
  expect(run.trials[0]?.reason).toContain('"one" does not hold');
  expect(run.trials[0]?.reason).toContain("lost confirmation of book");
});

test("a trial that could not be judged makes the run 3, and a good run is 0", async () => {
  expect((await runWorkflow(workflow())).exitCode).toBe(3);
  const reached = workflow().scenarios.slice(0, 1) as Workflow["scenarios"];
  expect((await runWorkflow(workflow({ scenarios: reached }))).exitCode).toBe(0);
});

test("a control that fails is a failure of the workflow, and no fault is tried", async () => {
  const run = await runWorkflow(workflow({ checks: [{ ...ONE, expected: 7 }] }));
  expect(run).toMatchObject({ exitCode: 1, planned: 3, trials: [] });
  expect(run.partial).toContain("the control, without any fault, is failed, so no fault was tried");
});

test("an agent that crashes under a fault has failed, and the scenarios after it run", async () => {
  const agent = async (_task: unknown, context: Context): Promise<string> => {
    const { booked } = (await context.call("book", { key: "a" })) as { booked: string };
    return booked.toUpperCase();
  };
  const run = await runWorkflow(
    workflow({
      agent,
      scenarios: [
        { id: "malformed", faults: [{ type: "malformed", tool: "book" }] },
        { id: "slow", faults: [{ type: "slow_response", tool: "book" }] },
      ],
    }),
  );
  expect(run.trials.map(({ verdict }) => verdict)).toEqual(["failed", "passed"]);
  expect(run.trials[0]?.issue?.code).toBe("agent_error");
});

test("every scenario may have its own task, limits and checks, which extend or replace the workflow's", async () => {
  const told: unknown[] = [];
  const agent = async (task: unknown, context: Context): Promise<string> => {
    told.push(task);
    return careful(task, context);
  };
  const down = { type: "unavailable", tool: "book" };
  const run = await runWorkflow(
    workflow({
      agent,
      checks: [ONE, { id: "same", type: "unchanged", path: "/other" }],
      scenarios: [
        { id: "task", faults: [down], task: { book: "b" } },
        { id: "limit", faults: [down], limits: { toolCalls: 1 } },
        {
          id: "extend",
          faults: [down],
          checks: [
            { ...ONE, expected: 2 },
            { id: "more", type: "unchanged", path: "/other" },
          ],
        },
        { id: "replace", faults: [down], checks: [ONE], checksMode: "replace" },
      ],
    }),
    { recheck: false },
  );
  expect(told).toEqual(["Book a", { book: "b" }, "Book a", "Book a", "Book a"]);
  expect(run.trials.map(({ verdict }) => verdict)).toEqual([
    "passed",
    "failed",
    "failed",
    "passed",
  ]);
  expect(run.trials[1]?.issue?.code).toBe("call_limit");
  const ids = run.trials.map(({ checks }) => checks.map(({ id }) => id));
  expect(ids).toEqual([["one", "same"], ["one", "same"], ["one", "same", "more"], ["one"]]);
});

test("trials of a scenario are numbered, each with a fresh state", async () => {
  const numbers: number[] = [];
  const scenarios = workflow().scenarios.slice(0, 1) as Workflow["scenarios"];
  const run = await runWorkflow(workflow({ scenarios }), {
    trials: 3,
    onTrial: ({ scenario }, number) => void (scenario.id === "lost" && numbers.push(number)),
  });
  expect(numbers).toEqual([1, 2, 3]);
  expect(run).toMatchObject({ planned: 3, exitCode: 0 });
});

test("an interrupt keeps what was measured, in the report, too, and marks it partial", async () => {
  const outside = new AbortController();
  const report = place();
  const run = await runWorkflow(workflow(), {
    report,
    signal: outside.signal,
    onTrial: ({ scenario }) => void (scenario.id === "lost" && outside.abort()),
  });
  expect(run.trials).toHaveLength(1);
  expect(run.exitCode).toBe(3);
  expect(run.partial).toContain("interrupted: 1 of 3");
  const read = readReport(report);
  expect(read.trials.map(({ scenario }) => scenario)).toEqual(["control", "lost"]);
  expect(read.partial).toBe(run.partial);
});

test("an agent that ends the process, loops for ever or leaves a rejection fails by name, and the others run and are reported", async () => {
  const report = place();
  const bad = new Map<unknown, () => unknown>([
    ["exit", () => process.exit(0)],
    [
      "loop",
      () => {
        for (;;);
      },
    ],
    ["stray", () => void Promise.reject(new Error("lost"))],
    ["timer", () => void setInterval(() => undefined, 10)],
  ]);
  const agent = async (task: unknown, context: Context): Promise<string> => {
    bad.get(task)?.();
    return careful(task, context);
  };
  const faults = [{ type: "unavailable", tool: "book" }];
  const scenarios = [...bad.keys(), "fine"].map((task) => ({
    id: String(task),
    faults,
    task: String(task),
  }));
  const run = await runWorkflow(workflow({ agent, scenarios, limits: { ms: 200 } }), { report });
  const found = run.trials.map(({ verdict, issue }) => [verdict, issue?.code]);
  expect(found).toEqual([
    ["failed", "exit"],
    ["failed", "agent_blocked"],
    ["failed", "stray_rejection"],
    ["failed", "leftover_timer"],
    ["passed", undefined],
  ]);
  expect(run.exitCode).toBe(1);
  expect(readReport(report).trials).toHaveLength(6);
}, 20_000);

test("state that trials share is named", async () => {
  let calls = 0;
  const agent = async (_task: unknown, { call }: Context): Promise<string> => {
    calls++;
    await call("book", { key: "a" }).catch(() => call("book", { key: "a" }));
    return `booked in run ${calls}`;
  };
  const scenarios = workflow().scenarios.slice(0, 1) as Workflow["scenarios"];
  const run = await runWorkflow(workflow({ agent, scenarios }));
  expect(run.notes[0]).toContain("keeps state outside of its world");
  expect((await runWorkflow(workflow({ scenarios }))).notes).toEqual([]);
});

test("a world that cannot be made for a later trial makes that one inconclusive, and stops no other", async () => {
  let made = 0;
  const flaky = (): ReturnType<typeof world> => {
    if (++made === 4) throw new Error("no port is free");
    return world();
  };
  const run = await runWorkflow(workflow({ world: flaky, scenarios: "matrix" }));
  const broken = run.trials.filter(({ issue }) => issue?.side === "world");
  expect(broken).toHaveLength(1);
  expect(broken[0]).toMatchObject({ verdict: "inconclusive" });
  expect(broken[0]?.reason).toContain("no port is free");
  expect(run.trials).toHaveLength(run.planned);
});

test.each([2, 3, 4, 5, 6, 7])(
  "a factory of worlds that throws from its use %i on stops nothing, and the report has its end",
  async (from) => {
    let made = 0;
    const report = place();
    const flaky = (): ReturnType<typeof world> => {
      if (++made >= from) throw new Error("no port is free");
      return world();
    };
    const run = await runWorkflow(workflow({ world: flaky }), { report });
    const read = readReport(report);
    const trials = [run.control, ...run.trials];
    expect(read.trials.map(({ verdict }) => verdict)).toEqual(trials.map(({ verdict }) => verdict));
    expect(trials.filter(({ issue }) => issue?.side === "world")).toHaveLength(
      from === 2 ? 1 : Math.max(0, 6 - from),
    );
    expect(read.partial).toBe(run.partial);
    expect(read.notes).toEqual(run.notes);
  },
);

test("a report has its end when whoever is told of the trials throws", async () => {
  const report = place();
  const onTrial = ({ scenario }: { readonly scenario: { readonly id: string } }): void => {
    if (scenario.id === "lost") throw new Error("the disk is full");
  };
  await expect(runWorkflow(workflow(), { report, onTrial })).rejects.toThrow("the disk is full");
  const read = readReport(report);
  expect(read.trials).toHaveLength(2);
  expect(read.partial).toBe("the run broke off: the disk is full");
});

test("a commit is 7 to 64 hex digits, and anything else is refused before anything is run", async () => {
  const report = place();
  for (const commit of ["x\ny", "abc", "", "g".repeat(40), "a".repeat(65), 1234567 as never])
    await expect(runWorkflow(workflow(), { report, commit })).rejects.toMatchObject({
      code: "E_COMMIT_INVALID",
    });
  expect(existsSync(report)).toBe(false);
  const { header } = await runWorkflow(workflow({ scenarios: [] }), { report, commit: "ABCDEF1" });
  expect(header.commit).toBe("abcdef1");
  expect(readReport(report).header.commit).toBe("abcdef1");
});

test("a matrix is every applicable fault at every tool, with titles and ids", () => {
  const scenarios = scenariosOf(workflow({ scenarios: "matrix" }));
  expect(scenarios.map(({ id }) => id)).toContain("book-timeout_after");
  expect(scenarios.map(({ title }) => title)).toContain("lost confirmation of book");
  expect(new Set(scenarios.map(({ id }) => id)).size).toBe(scenarios.length);
});

test("the fingerprint holds the code of the tools and the checks, and no titles, labels or scenarios", () => {
  const plain = fingerprint(workflow());
  const label = { ...ONE, label: "Exactly one booking" };
  expect(fingerprint(workflow({ title: "Another", checks: [label], scenarios: [] }))).toBe(plain);
  expect(fingerprint(workflow({ agent: careless }))).toBe(plain);
  expect(fingerprint(workflow({ checks: [{ ...ONE, expected: 2 }] }))).not.toBe(plain);
  expect(fingerprint(workflow({ limits: { toolCalls: 9 } }))).not.toBe(plain);
  const changed = defineWorld({
    name: "bookings",
    state: NONE,
    tools: {
      book: { kind: "write", execute: (_args, state) => void (state.other += 1000) },
      list: { kind: "read", execute: (_args, state) => state.bookings.length },
    },
  });
  expect(fingerprint(workflow({ world: changed }))).not.toBe(plain);
});

test("a report's place is taken before anything is run, and nothing is ever overwritten", async () => {
  const report = place();
  writeFileSync(report, "mine");
  let ran = false;
  const agent = (): void => void (ran = true);
  await expect(runWorkflow(workflow({ agent }), { report })).rejects.toMatchObject({
    code: "E_REPORT_EXISTS",
  });
  expect(ran).toBe(false);
  expect(readFileSync(report, "utf8")).toBe("mine");
  const reserved = reserveReport(place());
  await expect(runWorkflow(workflow(), { report: reserved.path })).rejects.toMatchObject({
    code: "E_REPORT_EXISTS",
  });
  await runWorkflow(workflow(), { report: reserved });
  expect(readReport(reserved.path).trials).toHaveLength(4);
});

test("a thousand runs in one process give one report, also when several run at once", async () => {
  const good = workflow({ scenarios: workflow().scenarios.slice(0, 1) as Workflow["scenarios"] });
  const once = async (): Promise<string> => {
    const report = place();
    await runWorkflow(good, { report, fixed: true, recheck: false });
    return readFileSync(report, "utf8");
  };
  const texts = new Set<string>();
  for (let i = 0; i < 60; i++) texts.add(await once());
  for (let i = 0; i < 47; i++)
    for (const text of await Promise.all(Array.from({ length: 20 }, once))) texts.add(text);
  expect(texts.size).toBe(1);
}, 120_000);

test("everything that is wrong with a workflow is said at once, with the field and the remedy", async () => {
  const bad = {
    id: "bad id",
    agent: careful,
    task: undefined,
    world: world(),
    trails: 3,
    trials: 0,
    checks: [
      { id: "a", type: "equals", path: "/a~", expected: 1 },
      { id: "a", type: "equal", path: "/a" },
    ],
    scenarios: [
      { id: "control", faults: [{ type: "timeout_after", tool: "bok" }] },
      { id: "x", faults: [{ type: "duplicate_delivery", tool: "list" }] },
      { id: "x", faults: [{ type: "unavailable", tool: "book", occurrence: 51 }], chekcs: [] },
      { id: "empty", faults: [] },
    ],
  };
  const error = (await runWorkflow(bad as never).catch((thrown: unknown) => thrown)) as Error;
  expect(error).toMatchObject({ code: "E_WORKFLOW_INVALID" });
  for (const part of [
    'id: "bad id" is no name',
    'trails: is unknown; did you mean "trials"?',
    "trials: 0 is no number from 1",
    "task: is missing",
    "checks[0].path",
    'checks[1].id: "a" is the id of checks[0], too',
    "checks[1].type",
    "scenarios[0].id",
    "scenarios[0].faults[0].tool",
    "scenarios[1].faults[0].tool",
    'scenarios[2].id: "x" is the id of scenarios[1], too',
    'scenarios[2].chekcs: is unknown; did you mean "checks"?',
    "scenarios[2].faults[0].occurrence: call 51",
    "scenarios[3].faults: is empty",
  ])
    expect(error.message).toContain(part);
});

test("a path of many slashes and tildes is judged at once", async () => {
  const path = `/${"~1/".repeat(20_000)}~`;
  const bad = workflow({ checks: [{ id: "a", type: "equals", path, expected: 1 }] });
  const started = performance.now();
  await expect(runWorkflow(bad)).rejects.toMatchObject({ code: "E_WORKFLOW_INVALID" });
  expect(performance.now() - started).toBeLessThan(1000);
});
