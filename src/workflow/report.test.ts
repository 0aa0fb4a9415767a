import { appendFileSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { AgentContext } from "../agent/agent.ts";
import type { Json, JsonObject } from "../shared/json.ts";
import { defineWorld } from "../world/define.ts";
import { readReport } from "./read-report.ts";
import type { TrialRecord } from "./report.ts";
import { finalState } from "./replay-state.ts";
import { runWorkflow, type RunOptions, type WorkflowRun } from "./run.ts";
import { runTrial } from "./trial.ts";
import type { Workflow } from "./workflow.ts";

type Context = Pick<AgentContext, "call" | "clock">;

function place(): string {
  return join(mkdtempSync(join(tmpdir(), "report-")), "report.jsonl");
}

const put = {
  kind: "write",
  execute({ at, value }: { at: string; value: Json }, state: JsonObject) {
    state[at] = value;
    return { at, value };
  },
} as const;

/** Runs one workflow over a state whose members are set, and gives its report. */
async function reported(
  about: {
    readonly state: JsonObject;
    readonly agent: (task: unknown, context: Context) => unknown;
    readonly checks: Workflow["checks"];
  } & Partial<Workflow>,
  options: RunOptions = {},
): Promise<{ readonly run: WorkflowRun; readonly path: string }> {
  const { state, ...rest } = about;
  const path = place();
  const world = defineWorld({ state, tools: { put } });
  const run = await runWorkflow(
    { id: "report", task: "put", world, scenarios: [], ...rest } as Workflow,
    { report: path, fixed: true, ...options },
  );
  return { run, path };
}

const puts =
  (...pairs: readonly (readonly [string, Json])[]) =>
  async (_task: unknown, { call }: Context): Promise<string> => {
    for (const [at, value] of pairs) await call("put", { at, value }).catch(() => undefined);
    return "put";
  };

const UNAVAILABLE = { id: "down", faults: [{ type: "unavailable", tool: "put" }] };

function edited(path: string, edit: (records: TrialRecord[]) => void): string {
  const records = readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as TrialRecord);
  edit(records);
  const other = place();
  writeFileSync(other, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  return other;
}

async function sample(): Promise<string> {
  const { path } = await reported({
    state: { a: 1, list: [1, 2, 3] },
    agent: puts(["a", 2], ["list", [1, 3]]),
    checks: [{ id: "a", type: "equals", path: "/a", expected: 2 }],
    scenarios: [
      { ...UNAVAILABLE, checks: [{ id: "list", type: "equals", path: "/list", expected: [1, 3] }] },
    ],
  });
  return path;
}

test("a report that is read back is what was written, with its header and its trials in order", async () => {
  const read = readReport(await sample());
  expect(read.header).toMatchObject({ record: "header", schemaVersion: "twiceshy.report/1" });
  expect(read.trials.map(({ scenario, number, verdict }) => [scenario, number, verdict])).toEqual([
    ["control", 1, "passed"],
    ["down", 1, "failed"],
  ]);
  expect(read.partial).toBeUndefined();
  expect(statSync(await sample()).mode & 0o777).toBe(0o600);
});

type Edit = (records: any[]) => void;

test.each<[string, Edit]>([
  ["a check that is turned to passed", ([, , trial]) => (trial.checks[0].passed = true)],
  ["a verdict", ([, , trial]) => (trial.verdict = "passed")],
  ["a reason", ([, , trial]) => (trial.reason = "all is well")],
  ["an event's id", ([, control]) => (control.events[1].id = "e7")],
  ["the first event's time", ([, control]) => (control.events[0].at -= 1)],
  ["the time of the end", ([, control]) => (control.clock.endMs -= 1)],
  ["a mutation", ([, control]) => (control.events[1].changes[0].after = 3)],
  ["the number of calls", ([, control]) => (control.toolCalls = 1)],
  ["a fault that did not happen", ([, , trial]) => (trial.faults[0].count = 2)],
  ["an issue", ([, control]) => (control.issue = { side: "agent", code: "exit", message: "x" })],
  ["a completion", ([, control]) => (control.completion.message = "done")],
  ["the start state", ([header]) => (header.initialState.list = [1])],
  ["a trial that is missing", (records) => records.splice(2, 1)],
  ["a trial that is there twice", (records) => records.splice(2, 0, records[1])],
  ["a trial of an unknown scenario", ([, , trial]) => (trial.scenario = "up")],
  ["a secret that hides nothing", ([, , trial]) => (trial.checks[0].judged = "before_redaction")],
])("a report is refused with the place when somebody edits %s", async (_what, edit) => {
  const forged = edited(await sample(), edit as (records: TrialRecord[]) => void);
  expect(() => readReport(forged)).toThrow(
    expect.objectContaining({
      code: "E_REPORT_FORGED",
      message: expect.stringContaining("does not agree"),
    }),
  );
});

test("a report without its end is partial, and so is one with a torn tail", async () => {
  const whole = readFileSync(await sample(), "utf8");
  const lines = whole.trim().split("\n");
  const cut = place();
  writeFileSync(cut, `${lines.slice(0, 2).join("\n")}\n`);
  expect(readReport(cut)).toMatchObject({ trials: [{ scenario: "control" }] });
  expect(readReport(cut).partial).toContain("no end");
  appendFileSync(cut, lines[2]?.slice(0, 50) ?? "");
  expect(readReport(cut).trials).toHaveLength(1);
});

test("what is no report is refused with the line", () => {
  const other = place();
  writeFileSync(other, "{}\n");
  expect(() => readReport(other)).toThrow(expect.objectContaining({ code: "E_REPORT_FORMAT" }));
  writeFileSync(other, "not json\n");
  expect(() => readReport(other)).toThrow(/line 1: it is not JSON/);
});

test("two addresses stay two: an agent that writes to the wrong one fails with the check, and the report can be read", async () => {
  const { run, path } = await reported({
    state: { sent: null },
    agent: puts(["sent", { to: "bob@corp.org" }]),
    checks: [{ id: "to-alice", type: "equals", path: "/sent/to", expected: "alice@corp.org" }],
  });
  expect(run.exitCode).toBe(1);
  const text = readFileSync(path, "utf8");
  expect(text).not.toMatch(/alice@|bob@/);
  const [control] = readReport(path).trials;
  expect(control).toMatchObject({ verdict: "failed", checks: [{ id: "to-alice", passed: false }] });
  expect(control?.reason).toMatch(
    /redacted:email#1.*redacted:email#2|redacted:email#2.*redacted:email#1/,
  );
});

test("a password that was changed fails the check, and neither is in the report", async () => {
  const user = defineWorld({
    state: { user: { password: "correct-horse-1" } },
    tools: {
      change: {
        kind: "write",
        execute: (_args, state) => void (state.user.password = "battery-staple-2"),
      },
    },
  });
  const { run, path } = await reported({
    state: {},
    world: user,
    agent: async (_task, { call }) => call("change"),
    checks: [{ id: "password", type: "unchanged", path: "/user/password" }],
  });
  expect(run.exitCode).toBe(1);
  expect(readFileSync(path, "utf8")).not.toMatch(/correct-horse|battery-staple/);
  expect(readReport(path).trials[0]).toMatchObject({ verdict: "failed" });
});

test("a check on a member whose name sounds like a secret passes, also in the report", async () => {
  const { run, path } = await reported({
    state: { secretary: "Grace" },
    agent: puts(["other", 1]),
    checks: [{ id: "s", type: "equals", path: "/secretary", expected: "Grace" }],
  });
  expect(run.exitCode).toBe(0);
  expect(readReport(path).trials[0]?.verdict).toBe("passed");
});

test("members that are named by addresses stay apart, and what is checked at them is found again", async () => {
  const { run, path } = await reported({
    state: { "ann@corp.org": 1, "bea@corp.org": 2 },
    agent: puts(["ann@corp.org", 5], ["bea@corp.org", 6]),
    checks: [
      { id: "ann", type: "equals", path: "/ann@corp.org", expected: 5 },
      { id: "bea", type: "equals", path: "/bea@corp.org", expected: 6 },
    ],
  });
  expect(run.exitCode).toBe(0);
  const read = readReport(path);
  expect(Object.keys(read.header.initialState as JsonObject)).toHaveLength(2);
  expect(readFileSync(path, "utf8")).not.toContain("@corp.org");
});

test("a state with a password and an address is redacted, and a check that expects the placeholder itself fails as it did", async () => {
  const { run, path } = await reported({
    state: { password: "correct-horse-1", email: "ann@corp.org" },
    agent: puts(["other", 1]),
    checks: [{ id: "p", type: "equals", path: "/password", expected: "[redacted:secret#1]" }],
  });
  expect(run.control.verdict).toBe("failed");
  const [control] = readReport(path).trials;
  expect(control?.verdict).toBe("failed");
  expect(control?.checks[0]?.judged).toBe("before_redaction");
});

test("a check that can be judged only before redaction says so, and its verdict stays", async () => {
  const { run, path } = await reported({
    state: { token: "sk-live-0123456789abcdefghijklmn" },
    agent: puts(["other", 1]),
    checks: [{ id: "prefix", type: "pattern", path: "/token", pattern: "^sk-live-" }],
  });
  expect(run.control.verdict).toBe("passed");
  const [control] = readReport(path).trials;
  expect(control).toMatchObject({ verdict: "passed", checks: [{ judged: "before_redaction" }] });
});

test("sixty kilobytes of letters and digits are redacted at once", async () => {
  const blob = "a1B2c3D4".repeat(7500);
  const started = performance.now();
  const { path } = await reported({ state: { blob }, agent: puts(["other", blob]), checks: [] });
  expect(performance.now() - started).toBeLessThan(3000);
  expect(readReport(path).trials).toHaveLength(1);
});

test("200 runs with five megabytes are written trial by trial and read back", async () => {
  const { run, path } = await reported(
    {
      state: { rows: Array.from({ length: 100 }, (_, i) => ({ i, text: "row" })) },
      agent: puts(...Array.from({ length: 12 }, (_, i) => [`at ${i}`, "x".repeat(700)] as const)),
      checks: [],
      scenarios: [UNAVAILABLE],
    },
    { trials: 200 },
  );
  expect(run.trials).toHaveLength(200);
  expect(statSync(path).size).toBeGreaterThan(5e6);
  expect(readReport(path).trials).toHaveLength(201);
}, 60_000);

test("a world that is made for each trial may begin otherwise each time, and its report can be read", async () => {
  let made = 0;
  const { path } = await reported({
    state: {},
    world: () => defineWorld({ state: { n: ++made }, tools: { put } }) as never,
    agent: puts(["m", 1]),
    checks: [{ id: "n", type: "unchanged", path: "/n" }],
    scenarios: [UNAVAILABLE],
  });
  const { trials } = readReport(path);
  expect(trials.map(({ verdict }) => verdict)).toEqual(["passed", "passed"]);
  expect(new Set(trials.map(({ initialState }) => JSON.stringify(initialState))).size).toBe(2);
});

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;
const key = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom("__proto__", "password", "a/b", "~", "ann@corp.org", "0", "constructor"),
);
const state = fc
  .dictionary(key, json, { maxKeys: 5 })
  .map((made) => structuredClone(made) as JsonObject);

test("whatever the state and the writes are, the mutations lead from the start to the end", async () => {
  await fc.assert(
    fc.asyncProperty(
      state,
      fc.array(fc.tuple(key, json), { maxLength: 4 }),
      async (start, pairs) => {
        const trial = await runTrial({
          agent: puts(...pairs),
          task: "put",
          world: defineWorld({ state: start, tools: { put } }),
        });
        expect(finalState(trial.initialState as Json, trial.events)).toEqual(trial.state);
      },
    ),
    { numRuns: 60 },
  );
}, 60_000);

test("whatever the state, the writes and the checks are, a report can be read back and no verdict has changed", async () => {
  await fc.assert(
    fc.asyncProperty(
      state,
      fc.array(fc.tuple(key, json), { maxLength: 4 }),
      fc.tuple(key, json),
      async (start, pairs, [name, expected]) => {
        const path = `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
        const { run, path: report } = await reported({
          state: start,
          agent: puts(...pairs),
          checks: [
            { id: "equals", type: "equals", path, expected },
            { id: "same", type: "unchanged", path },
          ],
          scenarios: [UNAVAILABLE],
        });
        const read = readReport(report).trials.map(({ verdict }) => verdict);
        expect(read).toEqual([run.control, ...run.trials].map(({ verdict }) => verdict));
      },
    ),
    { numRuns: 60 },
  );
}, 60_000);

test("a deep state is written and read back", async () => {
  let deep: Json = 1;
  for (let i = 0; i < 90; i++) deep = { deep };
  const { path } = await reported({
    state: { deep },
    agent: puts(["other", deep]),
    checks: [{ id: "same", type: "unchanged", path: "/deep" }],
  });
  expect(readReport(path).trials[0]?.verdict).toBe("passed");
});
