import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { record } from "../../src/agent/record.ts";
import type { Agent } from "../../src/agent/agent.ts";
import { refundDeskV1, refundDeskV2, refundTools } from "../../src/testing/refund-desk.ts";
import type { Trace } from "../../src/trace/trace.ts";
import { ROOT } from "./built.ts";
import { BASELINE, config, entriesIn, jsonl, REPROS } from "./desk.ts";
import { project, type Project } from "./project.ts";

/** The agent file of a version. */
function version(name: "refundDeskV1" | "refundDeskV2"): Record<string, string> {
  const from = JSON.stringify(path.join(ROOT, "src/testing/refund-desk.ts"));
  return { "src/agent.ts": `export { ${name} as run } from ${from};\n` };
}

async function run(agent: Agent, customer: string): Promise<Trace> {
  return record(
    agent,
    { customer },
    { tools: refundTools(), agent: "desk", agentVersion: "1", maxToolCalls: 8 },
  );
}

const traces: Trace[] = [];
beforeAll(async () => {
  for (const customer of ["Grace", "grace", "linus"])
    traces.push(await run(refundDeskV1, customer));
  // Two later successes; linus has none, so nothing tells what a refund would answer.
  for (const customer of ["Grace", "grace"]) traces.push(await run(refundDeskV2, customer));
});

function recorded(options = "limits: { toolCalls: 8 }"): Project {
  return project({
    "vitest.config.ts": config(options),
    ...version("refundDeskV1"),
    ".twiceshy/traces/runs.jsonl": jsonl(traces),
  });
}

function verdictsIn(p: Project): string[] {
  const { repros } = JSON.parse(p.read(REPROS)) as {
    repros: { id: string; task: { customer: string } }[];
  };
  const order = ["Grace", "grace", "linus"];
  const sorted = repros.toSorted(
    (a, b) => order.indexOf(a.task.customer) - order.indexOf(b.task.customer),
  );
  const entries = entriesIn(p.read(BASELINE));
  return sorted.map(({ id }) => entries[id]?.verdict ?? "none");
}

test("the fixed version is accepted with -u as passes, passes and unreplayable, and then the old version is a regression", async () => {
  const p = recorded();
  const first = await p.run();
  expect(first.json).toMatchObject({ numFailedTests: 3 });
  expect(first.output.match(/still_fails/g)?.length).toBeGreaterThanOrEqual(3);
  p.write(version("refundDeskV2"));
  expect((await p.run({ args: ["-u"] })).code).toBe(0);
  expect(verdictsIn(p)).toEqual(["passes", "passes", "unreplayable"]);
  p.write(version("refundDeskV1"));
  const worse = await p.run();
  expect(worse.code).toBe(1);
  expect(worse.output).toContain("regression: passed before, now still_fails");
});

test("a version that falls back on every accepted repro fails under gate regression and not under none, and -u does not lower the baseline", async () => {
  const p = recorded();
  const passing = (): void => {
    const file = JSON.parse(p.read(BASELINE)) as {
      entries: Record<string, { verdict: string; signatures?: string[] }>;
    };
    for (const entry of Object.values(file.entries)) {
      entry.verdict = "passes";
      delete entry.signatures;
    }
    p.write({ [BASELINE]: `${JSON.stringify(file, null, 2)}\n` });
  };
  await p.run({ args: ["-u"] });
  passing();
  const gated = await p.run();
  expect(gated.code).toBe(1);
  expect(gated.output.match(/regression: passed before/g)).toHaveLength(3);
  for (let again = 0; again < 2; again++) {
    expect((await p.run({ args: ["-u"] })).code).toBe(1);
    expect(verdictsIn(p)).toEqual(["passes", "passes", "passes"]);
  }
  p.write({ "vitest.config.ts": config('limits: { toolCalls: 8 }, gate: "none"') });
  const free = await p.run();
  expect(free.code).toBe(0);
  expect(free.output).toContain("3 expected fail");
});
