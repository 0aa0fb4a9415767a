import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { Agent, AgentContext } from "../agent/agent.ts";
import { TwiceshyError } from "../shared/error.ts";
import { canonical, type Json } from "../shared/json.ts";
import { hostileText } from "../testing/hostile.ts";
import { runScaffold, type RanScaffold } from "../testing/scaffolded.ts";
import { anyJson, anyTrace, call, crash, failed, traceOf, unanswered } from "../testing/traces.ts";
import type { Trace } from "../trace/trace.ts";
import { runWorkflow } from "../workflow/run.ts";
import { runTrial } from "../workflow/trial.ts";
import type { Scenario, Workflow } from "../workflow/workflow.ts";
import { draftScaffold, scaffold, type Scaffold } from "./scaffold.ts";

/** 150 traces of each kind by default; `TWICESHY_FUZZ=2000` for the long run. */
const TRACES = Math.ceil(Number(process.env["TWICESHY_FUZZ"] ?? 150));
const JAVASCRIPT = {
  name: "case-1",
  format: "openai",
  style: { extension: ".mjs", imports: "as written", self: "import.meta.url" },
} as const;

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "twiceshy-scaffold-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function made(trace: Trace): Promise<Scaffold> {
  return scaffold({ trace, warnings: [] }, JAVASCRIPT);
}

/** What an agent is told that calls these tools of a workflow, each with the arguments `{ id: 1 }`. */
async function answersOf(workflow: Workflow, tools: readonly string[]): Promise<unknown[]> {
  const told: unknown[] = [];
  const agent: Agent = async (_task: never, { call: ask }: AgentContext) => {
    for (const tool of tools) told.push(await ask(tool, { id: 1 }));
  };
  const { scenarios: _, id: _i, checks: _c, ...rest } = workflow;
  await runTrial({ ...rest, agent });
  return told;
}

async function ranOf(trace: Trace): Promise<RanScaffold & { readonly files: Map<string, string> }> {
  const done = await made(trace);
  const ran = await runScaffold(done, folder());
  return { ...ran, files: new Map(done.files.map(({ name, text }) => [name, text])) };
}

const text = hostileText();
const names = fc.oneof(
  text,
  fc.constantFrom(
    "__proto__",
    "constructor",
    "then",
    "refund",
    "search orders",
    "search.orders",
    "",
  ),
);
const value = fc.oneof(text, anyJson());
const seed = fc.oneof(
  fc.tuple(names, value, value).map(([name, args, data]) => call(name, args, data)),
  fc.tuple(names, value, text).map(([name, args, error]) => failed(name, args, error)),
  fc.tuple(names, value).map(([name, args]) => unanswered(name, args)),
);
const hostile = fc
  .record({
    seeds: fc.array(seed, { minLength: 1, maxLength: 6 }),
    task: value,
    output: value,
    ends: fc.boolean(),
  })
  .map(({ seeds, task, output, ends }) =>
    ends
      ? traceOf(seeds, { task, output })
      : traceOf([...seeds, crash(canonical(output))], { task }),
  );

const REFUSALS = new Set(["E_SCAFFOLD_EMPTY", "E_SCAFFOLD_CONTROL", "E_SCAFFOLD_FAULT"]);

/** Holds what was made of a trace against the laws; undefined when the trace was refused. */
async function lawful(trace: Trace): Promise<RanScaffold | undefined> {
  const done = await made(trace).catch((thrown: unknown) => {
    if (!TwiceshyError.is(thrown) || !REFUSALS.has(thrown.code)) throw thrown;
  });
  if (done === undefined) return undefined;
  expect(done.files.map(({ name }) => name)).toEqual([
    "README.md",
    "case-1.fault.test.mjs",
    "world.mjs",
    "tools.json",
    "trace.json",
  ]);
  for (const { name, text: content } of done.files) {
    if (name.endsWith(".json")) continue;
    expect(content).toMatch(/^[\x20-\x7e\n…]*$/);
    expect(content).not.toMatch(/\u0040|\*\/\w|\$\{|<!--|[#\u0040] source/);
  }
  const ran = await runScaffold(done, folder());
  expect(ran.canaries).toBe(0);
  expect(ran.run.control).toMatchObject({ verdict: "passed" });
  expect(ran.run.trials.flatMap(({ faults }) => faults).map(({ reached }) => reached)).toEqual([
    true,
  ]);
  const json = (name: string): Json =>
    JSON.parse(done.files.find((file) => file.name === name)?.text ?? "") as Json;
  expect(canonical(json("trace.json"))).toBe(canonical(trace as unknown as Json));
  const { tools } = json("tools.json") as { tools: Record<string, { name: string }> };
  const called = new Set(trace.steps.flatMap((step) => (step.kind === "tool" ? [step.name] : [])));
  expect(
    Object.values(tools)
      .map(({ name }) => name)
      .sort(),
  ).toEqual([...called].sort());
  for (const alias of Object.keys(tools)) expect(alias).toMatch(/^[A-Za-z][A-Za-z0-9_]*$/);
  return ran;
}

test.for([
  ["hostile", hostile],
  ["arbitrary", anyTrace()],
] as const)(
  "any %s trace scaffolds, or is refused with a code; the code is inert, runs, its control passes and its fault is reached",
  { timeout: 1_200_000 },
  async ([, traces]) => {
    let scaffolded = 0;
    let callable = 0;
    await fc.assert(
      fc.asyncProperty(traces, async (trace) => {
        if (
          trace.steps.some(
            (step) => step.kind === "tool" && step.result !== undefined && step.name !== "",
          )
        )
          callable += 1;
        if ((await lawful(trace)) !== undefined) scaffolded += 1;
      }),
      { numRuns: TRACES },
    );
    // The law says little when most are refused.
    expect(scaffolded).toBeGreaterThan(callable * 0.98);
    expect(scaffolded).toBeGreaterThan(TRACES / 4);
  },
);

test("equal calls with different answers are answered in the recorded order, and the last answer again and again", async () => {
  const { run, workflow } = await ranOf(
    traceOf(
      [
        call("get_status", { id: 1 }, "queued"),
        call("get_status", { id: 1 }, "running"),
        call("get_status", { id: 1 }, "done"),
      ],
      { output: "It is done." },
    ),
  );
  expect(run.exitCode).toBe(0);
  expect(
    await answersOf(workflow, ["get_status", "get_status", "get_status", "get_status"]),
  ).toEqual(["queued", "running", "done", "done"]);
});

test("what was read before a write is not told after it, nor the other way round", async () => {
  const { workflow } = await ranOf(
    traceOf(
      [
        call("get_slot", { id: 1 }, "free"),
        call("reserve_slot", { id: 1 }, { id: "b1" }),
        call("get_slot", { id: 1 }, "taken"),
      ],
      { output: "Booked." },
    ),
  );
  expect(await answersOf(workflow, ["get_slot", "get_slot"])).toEqual(["free", "free"]);
  expect(await answersOf(workflow, ["reserve_slot", "get_slot", "get_slot"])).toEqual([
    { id: "b1" },
    "taken",
    "taken",
  ]);
  const [lost] = workflow.scenarios as readonly Scenario[];
  expect(lost?.faults).toEqual([{ type: "timeout_after", tool: "reserve_slot" }]);
});

test("a change that an agent makes twice after a lost confirmation is accepted twice, and the check says so", async () => {
  const { workflow } = await ranOf(
    traceOf([call("refund", { id: 1 }, { ok: true })], { output: "Refunded." }),
  );
  const retries: Agent = async (_task: never, { call: ask }: AgentContext) => {
    await ask("refund", { id: 1 }).catch(() => ask("refund", { id: 1 }));
    return "Refunded.";
  };
  const { control, trials } = await runWorkflow({ ...workflow, agent: retries });
  expect(control.verdict).toBe("passed");
  expect(trials.map(({ verdict }) => verdict)).toEqual(["failed"]);
  expect(trials[0]?.reason).toContain(
    "2 mutations were committed by refund, and at most 1 are expected",
  );
});

test("an agent that asks what was not recorded makes its trial inconclusive, though it swallows the error", async () => {
  const { workflow } = await ranOf(
    traceOf([call("get_order", { id: 1 }, "paid")], { output: "Paid." }),
  );
  const other: Agent = async (_task: never, { call: ask }: AgentContext) => {
    await ask("get_order", { id: 2 }).catch(() => undefined);
    return "Paid.";
  };
  const { agent: _, scenarios: _s, id: _i, ...rest } = workflow;
  const trial = await runTrial({ ...rest, agent: other });
  expect(trial.issue).toMatchObject({
    side: "tool",
    message: expect.stringContaining(
      'the recorded run has no call get_order({"id":2}); give get_order an execute of its own in the world',
    ),
  });
});

test("a recorded error is answered again, also one of the language's own, and its call is not accepted", async () => {
  const { run, workflow } = await ranOf(
    traceOf(
      [
        failed(
          "refund",
          { id: 1 },
          {
            name: "TypeError",
            code: "E_X",
            message: "no id",
            retryable: true,
            data: { hint: "try 2" },
          },
        ),
        call("refund", { id: 2 }, "ok"),
      ],
      { output: "Refunded the second." },
    ),
  );
  expect(run.control).toMatchObject({ verdict: "passed", state: { refund: [{ id: 2 }] } });
  let thrown: unknown;
  const asks: Agent = async (_task: never, { call: ask }: AgentContext) => {
    thrown = await ask("refund", { id: 1 }).catch((error: unknown) => error);
  };
  const { agent: _, scenarios: _s, id: _i, checks: _c, ...rest } = workflow;
  await runTrial({ ...rest, agent: asks });
  expect(thrown).toMatchObject({
    name: "TypeError",
    code: "E_X",
    message: "no id",
    retryable: true,
    hint: "try 2",
  });
});

test("a call that was never answered is left out by the scripted agent, and is one more thing to decide", async () => {
  const done = await made(
    traceOf([call("get_order", {}, 1), unanswered("refund", {}), crash("the process died")]),
  );
  const { run, workflow } = await runScaffold(done, folder());
  expect(run.control).toMatchObject({
    verdict: "passed",
    toolCalls: 1,
    completion: { status: "blocked", message: "the process died" },
  });
  expect(done.decisions.map(({ id }) => id)).toEqual(
    expect.arrayContaining(["unanswered-calls", "ending"]),
  );
  const asks: Agent = (_task: never, { call: ask }: AgentContext) => ask("refund", {});
  const { agent: _, scenarios: _s, id: _i, checks: _c, ...rest } = workflow;
  expect((await runTrial({ ...rest, agent: asks })).issue?.message).toContain("was never answered");
});

test("a check that the recorded run itself breaks is left out in the spec, and named as one to put back", async () => {
  const { files, run } = await ranOf(
    traceOf([failed("refund", { id: 1 }, "card closed")], {
      output: "Refund completed successfully.",
    }),
  );
  expect(run.exitCode).toBe(0);
  const spec = files.get("case-1.fault.test.mjs");
  expect(spec).toContain('// { id: "honest", type: "honest_completion" },');
  expect(files.get("README.md")).toContain("The recorded run itself does not hold `honest`");
});

test("a run with more calls than a trial admits by itself gets a limit of its own", async () => {
  const seeds = Array.from({ length: 120 }, (_, id) => call("get_order", { id }, id));
  const { run, files } = await ranOf(traceOf(seeds, { output: "All read." }));
  expect(run).toMatchObject({ exitCode: 0, control: { toolCalls: 120 } });
  expect(files.get("case-1.fault.test.mjs")).toContain("limits: { toolCalls: 480 },");
});

test("two names that would become one alias get two, and a name that is a plain one keeps it", async () => {
  const { files } = await ranOf(
    traceOf(
      [call("search.orders", {}, 1), call("search orders", {}, 2), call("search_orders", {}, 3)],
      { output: "x" },
    ),
  );
  const { tools } = JSON.parse(files.get("tools.json") ?? "") as {
    tools: Record<string, { name: string }>;
  };
  expect(Object.entries(tools).map(([alias, { name }]) => [alias, name])).toEqual([
    ["search_orders", "search_orders"],
    ["search_orders_2", "search.orders"],
    ["search_orders_3", "search orders"],
  ]);
});

test("the same trace gives the same bytes, and the draft alone is the redacted trace with its tools", async () => {
  const trace = traceOf([call("refund", { id: 1 }, "ok")], { output: "Refunded." });
  expect(await made(trace)).toEqual(await made(structuredClone(trace)));
  const draft = draftScaffold({ trace, warnings: [] });
  expect(draft.files.map(({ name }) => name)).toEqual(["tools.json", "trace.json"]);
  expect(JSON.parse(draft.files[0]?.text ?? "")).toMatchObject({
    status: "needs_review",
    tools: { refund: { kind: "write", kindFrom: "name", parameters: { required: ["id"] } } },
  });
  expect(draft.decisions.length).toBeGreaterThanOrEqual(3);
});

test.for([
  ["no tool call", traceOf([], { output: "Hello." })],
  ["none of its tool calls was answered", traceOf([unanswered("refund")])],
] as const)("a trace is refused that has %s", async ([, trace]) => {
  await expect(made(trace)).rejects.toMatchObject({ code: "E_SCAFFOLD_EMPTY" });
});
