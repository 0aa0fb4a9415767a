import { existsSync, readdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadConfig } from "../config/load.ts";
import { readFolder } from "../repro/folder.ts";
import type { Repro } from "../repro/repro.ts";
import { runCommand, type Said } from "../testing/command-line.ts";
import { ROOT } from "../testing/imports.ts";
import { readEntries } from "./run-baseline.ts";

const DATA = join(ROOT, "../shared/data");

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "twiceshy-import-"));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function write(name: string, text: string): void {
  writeFileSync(join(root, name), text);
}

function lines(...records: unknown[]): string {
  return records
    .map((record) => `${typeof record === "string" ? record : JSON.stringify(record)}\n`)
    .join("");
}

function twiceshy(...argv: string[]): Promise<Said> {
  return runCommand(root, argv);
}

function repros(): Repro[] {
  return readFolder(join(root, "tests/failures")).flatMap(({ file }) => file.repros);
}

/** A failing run in the native form of Faultspool. */
function trace(id: string, more: object = {}): Record<string, unknown> {
  return {
    schema_version: "1",
    trace_id: id,
    task_id: `task_${id}`,
    agent: "desk",
    agent_version: "1",
    input: `refund ${id}`,
    status: "ok",
    output: "Refund completed successfully.",
    steps: [
      { idx: 0, kind: "input", content: `refund ${id}` },
      { idx: 1, kind: "tool", name: "refund", args: { id }, error: "RuntimeError: card closed" },
      { idx: 2, kind: "output", content: "Refund completed successfully." },
    ],
    meta: {},
    ...more,
  };
}

const exported = {
  test_id: "t_0123456789ab",
  input: { customer: "Grace" },
  mocks: [
    {
      name: "search_orders",
      args: { customer: "Grace" },
      result: [],
      error: null,
      params: ["customer"],
    },
    { name: "refund", args: { id: "A-1" }, result: null, error: "RuntimeError: Declined" },
  ],
  assertions: [
    { type: "no_failure", kinds: ["tool_error"] },
    { type: "output_contains", value: "A-1002" },
    { type: "max_tool_calls", value: 6 },
  ],
  failures: [
    {
      kind: "tool_error",
      detector: "rule",
      message: "Declined",
      step_idx: 2,
      tool: "refund",
      severity: "medium",
      signature: "tool_error:refund",
    },
  ],
  source_trace_id: "tr_1",
  task_id: "task_1",
  agent: "desk",
  tool_names: ["refund", "search_orders"],
  status: "confirmed",
  origin: "retry",
  notes: "seen in May",
  meta: { cut_step: 2, agent_version: "1" },
};

test("exported tests become repros of the origin imported, with status, checks and calls; a second time adds none", async () => {
  write("tests.jsonl", lines(exported));
  const first = await twiceshy("ingest", "tests.jsonl");
  expect(first).toMatchObject({ code: 0, stderr: "" });
  expect(first.stdout).toContain("1 repro made of exported tests");
  const [repro] = repros();
  expect(repro).toMatchObject({
    status: "confirmed",
    origin: "imported",
    task: { customer: "Grace" },
    signatures: ["tool_error:refund"],
    tools: ["refund", "search_orders"],
    notes: "seen in May",
    source: { trace: "t_0123456789ab" },
  });
  expect(repro?.cassette.map(({ tool, args }) => [tool, args])).toEqual([
    ["search_orders", { customer: "Grace" }],
    ["refund", { id: "A-1" }],
  ]);
  expect(repro?.checks).toContainEqual({ type: "output_contains", value: "A-1002" });
  expect((await twiceshy("ingest", "tests.jsonl")).stdout).not.toContain("made of exported tests");
  expect(repros()).toHaveLength(1);
});

test("an imported repro stays when the specs are generated, and gets a cluster and a test", async () => {
  write("twiceshy.config.json", '{ "agent": "./agent.js#run" }');
  write("agent.js", "export const run = () => 'Done.';\n");
  write("tests.jsonl", lines(exported));
  await twiceshy("process", "tests.jsonl");
  const [repro] = repros();
  expect(repro?.cluster).toMatch(/^c_/);
  const spec = readdirSync(join(root, "tests/failures")).find((name) =>
    name.startsWith("desk.agent.spec."),
  );
  expect(readFileSync(join(root, "tests/failures", spec!), "utf8")).toContain(`[${repro?.id}]`);
});

test("an unknown assertion and a test without a failure are named with their line, the rest is kept", async () => {
  write(
    "tests.jsonl",
    lines(
      {
        ...exported,
        test_id: "t_1",
        assertions: [...exported.assertions, { type: "equalz", value: 1 }],
      },
      { ...exported, test_id: "t_2", failures: [] },
      "{",
    ),
  );
  const { code, stderr } = await twiceshy("ingest", "tests.jsonl", "--strict");
  expect(code).toBe(3);
  expect(stderr).toMatch(/tests\.jsonl:1.*equalz/);
  expect(stderr).toMatch(/the test t_2 names no failure/);
  expect(stderr).toMatch(/tests\.jsonl:3/);
  expect(repros()).toHaveLength(1);
});

test("outcomes of an earlier baseline are found by the ids of the imported tests", async () => {
  write("tests.jsonl", lines(exported));
  await twiceshy("ingest", "tests.jsonl");
  write("baseline.json", JSON.stringify({ t_0123456789ab: "still_fails", t_other: "passes" }));
  const config = await loadConfig(root);
  const entries = readEntries(join(root, "baseline.json"), readFolder(config.specs.dir));
  expect([...entries].map(([id, { verdict }]) => [id, verdict])).toEqual([
    [repros()[0]?.id, "still_fails"],
  ]);
});

test("a union type in an output schema stops neither its own trace nor the others", async () => {
  const schema = { meta: { output_schema: { type: ["string", "null"] } } };
  write("runs.jsonl", lines(trace("a", schema), trace("b")));
  const { code, stdout } = await twiceshy("process", "runs.jsonl");
  expect(code).toBe(0);
  expect(stdout).toMatch(/traces +2\nfailing +2\nrepros +2/);
});

test("arguments that were recorded as a list are read", async () => {
  const steps = [
    { idx: 0, kind: "tool", name: "create_user", args: ["ada"], content: 1 },
    { idx: 1, kind: "tool", name: "delete_user", args: ["ada"], error: "KeyError: ada" },
  ];
  write("runs.jsonl", lines(trace("a", { steps, output: "Done.", status: "ok" })));
  expect((await twiceshy("process", "runs.jsonl")).stdout).toMatch(/traces +1\n/);
});

test("one broken line of three is named with its number and the other two are kept", async () => {
  write("runs.jsonl", lines(trace("a"), '{"schema_version": "1", "steps": [', trace("b")));
  const { code, stdout, stderr } = await twiceshy("process", "runs.jsonl");
  expect(code).toBe(0);
  expect(stdout).toMatch(/traces +2 /);
  expect(stderr).toMatch(/broken .*runs\.jsonl:2/);
});

test("one line of an unknown format of three is named with its number and the other two are kept", async () => {
  write("runs.jsonl", lines(trace("a"), { what: "ever" }, trace("b")));
  const { stdout, stderr } = await twiceshy("process", "runs.jsonl");
  expect(stdout).toMatch(/traces +2 /);
  expect(stderr).toMatch(/broken .*runs\.jsonl:2.*E_RECORD_FORMAT/);
});

test("a raw U+2028 inside a string does not end a line", async () => {
  write(
    "runs.jsonl",
    lines(
      trace("a", { input: "one\u2028two\u2029three\u0085four\u000Cfive".replace("\u000C", "") }),
    ),
  );
  expect((await twiceshy("process", "runs.jsonl")).stdout).toMatch(/traces +1\n/);
  expect(repros()[0]?.task).toContain("one\u2028two");
});

test("a byte order mark before the first record is taken off", async () => {
  write("runs.jsonl", `\uFEFF${lines(trace("a"))}`);
  expect(await twiceshy("process", "runs.jsonl")).toMatchObject({ code: 0 });
  expect(repros()).toHaveLength(1);
});

test("a step of an unknown kind is kept and stops nothing", async () => {
  const steps = [
    ...(trace("a")["steps"] as unknown[]),
    { idx: 3, kind: "retriever", content: "x" },
  ];
  write("runs.jsonl", lines(trace("a", { steps })));
  expect((await twiceshy("process", "runs.jsonl")).stdout).toMatch(/traces +1\nfailing +1/);
});

test("a message part whose text is null counts as empty", async () => {
  write(
    "chat.json",
    JSON.stringify({
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: null },
            { type: "text", text: "hi" },
          ],
        },
        { role: "assistant", content: "hello" },
      ],
    }),
  );
  expect((await twiceshy("process", "chat.json")).stdout).toMatch(/traces +1\n/);
});

test("a bare list of messages, and a lone conversation with an id, are read", async () => {
  const messages = [
    { role: "user", content: "hi" },
    { role: "assistant", content: "hello" },
  ];
  write("bare.json", JSON.stringify(messages));
  write("lone.json", JSON.stringify({ id: "x", conversation: messages }));
  const { code, stdout } = await twiceshy("process", "bare.json", "lone.json", "--json");
  expect(code).toBe(0);
  expect((JSON.parse(stdout) as { counts: { traces: number } }).counts.traces).toBe(2);
});

test("a trajectory with a task id and without an intent is read or named", async () => {
  write(
    "web.json",
    JSON.stringify({ task_id: 7, trajectory: [{ action: "click", observation: "x" }] }),
  );
  const { code, stderr } = await twiceshy("process", "web.json");
  expect(code === 0 || /broken .*web\.json.*E_/.test(stderr)).toBe(true);
});

test.skipIf(!existsSync(DATA))(
  "process over every folder of the samples reads traces or names file and reason, and never stops",
  { timeout: 120_000 },
  async () => {
    const { code, stdout } = await twiceshy("process", DATA, "--json");
    expect(code).toBe(0);
    const result = JSON.parse(stdout) as {
      read: { traces: number; broken: { message: string }[] }[];
      counts: Record<string, number>;
    };
    expect(result.counts["traces"]).toBeGreaterThanOrEqual(8);
    expect(result.counts["repros"]).toBeGreaterThanOrEqual(4);
    expect(result.counts["clusters"]).toBeGreaterThan(0);
    for (const { message } of result.read[0]!.broken) expect(message).toMatch(/shared\/data\//);
  },
);
