import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import type { AgentContext } from "../agent/agent.ts";
import { matrixFaults } from "../fault/matrix.ts";
import type { Json, JsonObject } from "../shared/json.ts";
import { defineWorld } from "../world/define.ts";
import { Chain } from "./chain.ts";
import { readReport } from "./read-report.ts";
import { runWorkflow } from "./run.ts";
import { matrixOf } from "./scenarios.ts";
import type { Workflow } from "./workflow.ts";

type Context = Pick<AgentContext, "call" | "clock">;
type Calls = { readonly call: (tool: string, args?: object) => Promise<unknown> };

const folder = mkdtempSync(join(tmpdir(), "forged-"));
let files = 0;

function place(): string {
  return join(folder, `report-${++files}.jsonl`);
}

interface Booked {
  [name: string]: Json;
  n: number;
  other: number;
  bookings: Json[];
  log: Json[];
  last: Json;
}

const START: Booked = { n: 0, other: 1, bookings: [], log: [3, 1, 2], last: null };

function worldOf(overlap = false) {
  return defineWorld({
    name: "bookings",
    state: START,
    overlap,
    rival: (state) => void (state.other += 1),
    tools: {
      book: {
        kind: "write",
        execute(args: Readonly<Record<string, unknown>>, state: Booked) {
          state.n += 1;
          state.last = { id: state.n };
          state.bookings.push({ id: state.n, ...(args as JsonObject) });
          return { id: state.n };
        },
      },
      shuffle: {
        kind: "write",
        async execute(_args: unknown, state: Booked, { clock }: Pick<Context, "clock">) {
          state.log.reverse();
          await clock.sleep(5);
          state.log.splice(1, 1);
          state.log.unshift(state.n, state.n + 1);
          if (state.bookings.length > 2) state.bookings.shift();
          Reflect.deleteProperty(state, "last");
          return state.log.length;
        },
      },
      both: {
        kind: "write",
        async execute(_args: unknown, state: Booked, context: unknown) {
          const { call } = context as Calls;
          state.n += 10;
          await call("book", { by: "both" });
          state.bookings.unshift({ id: 0 });
          await call("shuffle").catch(() => undefined);
          state.n += 1;
          return state.n;
        },
      },
      look: { kind: "read", execute: (_args: unknown, state: Booked) => state.bookings },
    },
  });
}

const CHECKS: Workflow["checks"] = [
  { id: "one", label: "One", type: "count", path: "/bookings", expected: 1 },
  { id: "other", type: "unchanged", path: "/other" },
  { id: "fn", test: (trial) => (trial.state as Booked).n === 1 },
  { id: "said", type: "equals", source: "completion", path: "/status", expected: "completed" },
];

/** Books again when it is told that it did not work. */
async function booker(_task: unknown, { call, clock }: Context): Promise<unknown> {
  for (let i = 0; i < 3; i++) {
    try {
      await call("book", { slot: "x" });
      return { status: "completed", message: "booked" };
    } catch {
      await clock.sleep(100);
    }
  }
  return { status: "blocked", message: "no" };
}

let sample: readonly string[] = [];

beforeAll(async () => {
  const report = place();
  const scenarios = [
    { id: "lost", faults: [{ type: "timeout_after", tool: "book" }] },
    { id: "before", faults: [{ type: "timeout_before", tool: "book" }] },
    { id: "unreached", faults: [{ type: "timeout_before", tool: "look" }] },
  ];
  const workflow = {
    id: "wf",
    agent: booker,
    task: { t: "x" },
    world: worldOf(),
    scenarios,
    checks: CHECKS,
  } as unknown as Workflow;
  await runWorkflow(workflow, { report, fixed: true, commit: "a".repeat(40) });
  sample = readFileSync(report, "utf8").trimEnd().split("\n");
});

function read(lines: readonly string[]): ReturnType<typeof readReport> {
  const path = place();
  writeFileSync(path, `${lines.join("\n")}\n`);
  return readReport(path);
}

// An edited record is of no type any more.
type Edited = any;

function recordsOf(lines: readonly string[]): Edited[] {
  return lines.map((line) => {
    const { digest: _, ...record } = JSON.parse(line) as JsonObject;
    return record;
  });
}

/** As somebody does who makes the digests of the lines anew. */
function sealed(records: readonly Edited[]): string[] {
  const chain = new Chain();
  return records.map((record) => chain.seal(record as object));
}

/** Every place below a value. */
function placesIn(value: Json, at: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const here = at.concat(key);
    return [here].concat(placesIn(inner, here) as string[][]);
  });
}

const REPLACED = fc.oneof(
  fc.constant(undefined),
  fc.jsonValue({ maxDepth: 1 }).map((value) => value as Json),
  fc.constantFrom<Json>(
    "passed",
    "control",
    0,
    1,
    true,
    false,
    null,
    [],
    {},
    "[redacted:secret#1]",
  ),
);

test("any single edit of any member of any line is refused with that line", () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), REPLACED, (anyLine, anyPlace, value) => {
      const number = anyLine % sample.length;
      const record = JSON.parse(sample[number] ?? "") as JsonObject;
      const before = JSON.stringify(record);
      const places = placesIn(record);
      const way = [...(places[anyPlace % places.length] ?? [])];
      const last = way.pop() ?? "";
      const around = way.reduce<any>((inner, key) => inner[key], record);
      if (value === undefined && Array.isArray(around)) around.splice(Number(last), 1);
      else if (value === undefined) delete around[last];
      else around[last] = value;
      const edited = JSON.stringify(record);
      fc.pre(edited !== before);
      const lines = sample.with(number, edited);
      let told: unknown;
      try {
        read(lines);
      } catch (thrown) {
        told = thrown;
      }
      expect(told).toMatchObject({ code: expect.stringMatching(/^E_REPORT_(?:FORGED|FORMAT)$/) });
      expect((told as Error).message).toContain(`line ${number + 1}: `);
    }),
    { numRuns: 400 },
  );
});

test("a line that is taken out, put in twice or moved is refused, and a tail that is missing makes a report partial", () => {
  for (let at = 0; at < sample.length - 1; at++) {
    expect(() => read(sample.toSpliced(at, 1))).toThrow(/E_REPORT|line/);
    expect(() => read(sample.toSpliced(at, 0, sample[at] ?? ""))).toThrow(/line/);
    expect(read(sample.slice(0, at + 1)).partial).toContain("no end");
  }
  expect(() => read(sample.with(2, `${sample[2]} `))).toThrow(/line 3/);
  expect(read(sample).partial).toBeUndefined();
});

function pass(trial: Edited, checks: number): void {
  trial.verdict = "passed";
  trial.reason = `all ${checks} checks hold (lost confirmation of book)`;
}

test.each<[string, RegExp, (records: Edited[]) => void]>([
  [
    "the failing checks of a trial",
    /line 3: .*its checks are not those/,
    ([, , lost]) => {
      lost.checks = lost.checks.filter((check: Edited) => check.passed);
      pass(lost, lost.checks.length);
    },
  ],
  [
    "what a check of a trial expects",
    /line 3: .*its checks are not those/,
    ([, , lost]) => {
      Object.assign(lost.checks[0], { passed: true, expected: 2 });
      lost.checks[0].check.expected = 2;
    },
  ],
  [
    "what a check of a scenario expects, in the header, too",
    /line 1: .*scenario "lost": its digest/,
    ([header]) => (header.scenarios[1].checks[0].expected = 2),
  ],
  [
    "the faults of an unreached trial",
    /line 5: .*its faults are not those/,
    ([, , , , unreached]) => (unreached.faults = []),
  ],
  ["a scenario's faults", /line 1: .*its digest/, ([header]) => (header.scenarios[3].faults = [])],
  ["the limits of the workflow", /its fingerprint/, ([h]) => (h.workflow.limits.toolCalls = 9)],
  ["the world's digest", /its fingerprint/, ([h]) => (h.world.digest = "0".repeat(16))],
  ["the start state", /its start state/, ([h]) => (h.initialState.other = 2)],
  ["the commit", /its commit/, ([h]) => (h.commit = "x")],
  ["the number of trials", /has 1 of 2 trials/, ([h]) => (h.scenarios[1].trials = 2)],
  ["the number of a trial", /line 3: .*trial 2 .*comes where 1/, ([, , lost]) => (lost.number = 2)],
  ["the end of the clock", /line 2: .*clock\.endMs/, ([, control]) => (control.clock.endMs += 1)],
  ["the start of the clock", /clock\.startMs/, ([, control]) => (control.clock.startMs -= 1)],
  ["the clock", /its clock is missing/, ([, control]) => delete control.clock],
  ["the kind of an event", /e2 is of no known kind/, ([, c]) => delete c.events[1].kind],
  ["the call of a result", /e3 belongs to a call/, ([, c]) => (c.events[2].callId = "call_9")],
  ["the tool of a result", /e3 names another tool/, ([, c]) => (c.events[2].tool = "look")],
  ["who writes", /e1 says otherwise/, ([, c]) => delete c.events[0].write],
  [
    "what was there before a change",
    /e2 changes\[0\] says that something else was at/,
    ([, c]) => (c.events[1].changes[0].before = 7),
  ],
  [
    "the place of a change",
    /changes\[2\] puts an item at/,
    ([, c]) => (c.events[1].changes[2].path = "/bookings/4"),
  ],
  [
    "that a function judged a check",
    /it does not say that a function judged it/,
    ([, c]) => delete c.checks[2].judged,
  ],
  [
    "a check that says that a function judged it",
    /checks\[0\]/,
    ([, c]) => (c.checks[0].judged = "by_function"),
  ],
])(
  "a report is refused although its digests were made anew when somebody edits %s",
  (_what, message, edit) => {
    const records = recordsOf(sample);
    expect(read(sealed(records)).partial).toBeUndefined();
    edit(records);
    expect(() => read(sealed(records))).toThrow(message);
  },
);

test("a report says of a function that nobody can judge its result again, and holds the digest of its source", () => {
  const { header, trials } = read(sample);
  const verdicts = trials.map(({ verdict }) => verdict);
  expect(verdicts).toEqual(["passed", "failed", "passed", "inconclusive"]);
  const digest = expect.stringMatching(/^[0-9a-f]{16}$/);
  expect(header.workflow.checks[2]).toEqual({ id: "fn", type: "function", digest });
  for (const { checks } of trials)
    expect(checks[2]).toMatchObject({
      check: { type: "function", digest },
      judged: "by_function",
    });
});

const MATRIX = matrixOf(matrixFaults(worldOf()));

const step = fc.tuple(
  fc.constantFrom("book", "shuffle", "both", "look", "nothing"),
  fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom("ann@corp.org", 1e21, -0, 1e300)),
  fc.constantFrom("await", "together", "later"),
);

test("whatever is called, in order, together or unawaited, under any fault, a report can be read back and no verdict has changed", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 5 }),
      fc.record({
        overlap: fc.boolean(),
        ends: fc.boolean(),
        real: fc.boolean(),
        scenarios: fc.subarray(MATRIX, { maxLength: 3 }),
      }),
      async (steps, { overlap, ends, real, scenarios }) => {
        const agent = async (_task: unknown, { call, clock }: Context): Promise<unknown> => {
          const open: Promise<unknown>[] = [];
          for (const [tool, value, how] of steps) {
            const made = call(tool, { value, password: "correct-horse-1" }).catch(() => undefined);
            if (how === "await") await made;
            else if (how === "together") open.push(made);
            else if (!real) await clock.sleep(1);
          }
          await Promise.all(open);
          if (!real) void clock.sleep(50).catch(() => undefined);
          return ends ? "done" : undefined;
        };
        const report = place();
        const run = await runWorkflow(
          {
            id: "any",
            agent,
            task: "any",
            world: worldOf(overlap),
            scenarios,
            checks: [{ id: "fn", test: () => true }],
            ...(real ? { clock: "real" } : {}),
            limits: { ms: 2000 },
          } as unknown as Workflow,
          { report, fixed: true },
        );
        const verdicts = readReport(report).trials.map(({ verdict }) => verdict);
        expect(verdicts).toEqual([run.control, ...run.trials].map(({ verdict }) => verdict));
      },
    ),
    { numRuns: 25 },
  );
}, 60_000);
