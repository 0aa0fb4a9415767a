import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readTraces } from "../importer/importer.ts";
import { inferSchema } from "../scaffold/infer-schema.ts";
import { canonical } from "../shared/json.ts";
import { runCommand, type Said } from "../testing/command-line.ts";
import { runScaffold, type RanScaffold } from "../testing/scaffolded.ts";
import { FIXTURES, NO_SHARED, SHARED, WHY_NO_SHARED } from "../testing/trace-fixtures.ts";
import { call, traceOf } from "../testing/traces.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "twiceshy-scaffold-"));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function twiceshy(...argv: string[]): Promise<Said> {
  return runCommand(root, argv);
}

function write(name: string, value: unknown): void {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), typeof value === "string" ? value : JSON.stringify(value));
}

function read(name: string): string {
  return readFileSync(join(root, name), "utf8");
}

function json(name: string): Record<string, unknown> {
  return JSON.parse(read(name)) as Record<string, unknown>;
}

/** Runs what was written by the real engine. */
function ran(folder: string): Promise<RanScaffold> {
  const files = readdirSync(join(root, folder)).map((name) => ({
    name,
    text: read(`${folder}/${name}`),
  }));
  return runScaffold({ files, tools: [], decisions: [] }, join(root, folder));
}

interface Run {
  readonly [key: string]: unknown;
}

/** A tool run of LangSmith, `n` seconds after the start. */
function tool(id: string, n: number, more: Run = {}): Run {
  return {
    id,
    trace_id: "r",
    parent_run_id: "r",
    name: id,
    run_type: "tool",
    start_time: `2026-03-01T10:${String(Math.floor(n / 60)).padStart(2, "0")}:${String(n % 60).padStart(2, "0")}Z`,
    end_time: "2026-03-01T11:00:00Z",
    inputs: { q: id },
    outputs: { output: `found ${id}` },
    ...more,
  };
}

function chain(more: Run = {}): Run {
  return {
    id: "r",
    trace_id: "r",
    name: "finder",
    run_type: "chain",
    start_time: "2026-03-01T10:00:00Z",
    end_time: "2026-03-01T11:00:00Z",
    inputs: { input: "Find it." },
    outputs: { output: "Found." },
    ...more,
  };
}

const TOOLS = [tool("search", 1), tool("send_mail", 2)];

test("a run of LangSmith becomes a folder with world, spec, README, tools and redacted trace, whose control passes and fault is reached", async () => {
  const secret = "sk-proj-abcdefghijklmnopqrstuvwx123456";
  write(
    "run.json",
    chain({
      inputs: { input: `Mail ada@corp.com with ${secret}` },
      child_runs: [
        tool("search", 1, { outputs: { output: `to ada@corp.com, key ${secret}` } }),
        TOOLS[1],
      ],
    }),
  );
  const { code, stdout } = await twiceshy("import-langsmith", "run.json", "--out", "cases/mail");
  expect(code).toBe(0);
  expect(stdout).toContain("Next: npx vitest run cases/mail/mail.fault.test.mjs");
  const names = readdirSync(join(root, "cases/mail"));
  expect(names).toEqual([
    "README.md",
    "mail.fault.test.mjs",
    "tools.json",
    "trace.json",
    "world.mjs",
  ]);
  for (const name of names) {
    expect(read(`cases/mail/${name}`)).not.toContain("ada@corp.com");
    expect(read(`cases/mail/${name}`)).not.toContain(secret);
  }
  for (const name of names.filter((one) => !one.endsWith(".json")))
    expect(read(`cases/mail/${name}`)).not.toMatch(/Found|found search/);
  const { run, title } = await ran("cases/mail");
  expect(title).toBe("mail");
  expect(run).toMatchObject({ exitCode: 0, control: { verdict: "passed" } });
  expect(run.trials[0]?.faults).toMatchObject([
    { reached: true, fault: { type: "timeout_after", tool: "send_mail" } },
  ]);
});

test("one nested run, a list of runs and { runs } give the same redacted draft, which needs review of at least three things", async () => {
  write("nested.json", chain({ child_runs: TOOLS }));
  write("flat.json", [chain(), ...TOOLS]);
  write("runs.json", { runs: [chain(), ...TOOLS] });
  const drafts: unknown[] = [];
  for (const name of ["nested", "flat", "runs"]) {
    expect(
      await twiceshy("import-langsmith", `${name}.json`, "--out", name, "--draft-only"),
    ).toMatchObject({ code: 0 });
    expect(readdirSync(join(root, name))).toEqual(["tools.json", "trace.json"]);
    drafts.push([read(`${name}/tools.json`), read(`${name}/trace.json`)]);
  }
  expect(drafts[1]).toEqual(drafts[0]);
  expect(drafts[2]).toEqual(drafts[0]);
  const { status, decisions } = json("flat/tools.json");
  expect(status).toBe("needs_review");
  expect((decisions as unknown[]).length).toBeGreaterThanOrEqual(3);
});

test.for([
  ["an empty file", "", "E_FILE_EMPTY"],
  ["an object without members", {}, "E_RECORD_FORMAT"],
  ["an empty list", [], "E_FILE_FORMAT"],
  ["runs without a tool", [chain()], "E_SCAFFOLD_EMPTY"],
  [
    "runs that hold each other",
    [chain(), tool("a", 1, { parent_run_id: "b" }), tool("b", 2, { parent_run_id: "a" })],
    "E_SCAFFOLD_EMPTY",
  ],
  ["runs of two traces", [chain(), ...TOOLS, chain({ id: "s", trace_id: "s" })], "E_TRACE_CHOICE"],
  [
    "a run of another format",
    {
      messages: [
        { role: "user", content: "hi" },
        { role: "assistant", content: "hello" },
      ],
    },
    "E_RECORD_FORMAT",
  ],
] as const)(
  "%s of LangSmith is refused by its code, and no folder is left",
  async ([, value, wanted]) => {
    write("run.json", value);
    const { code, stdout, stderr } = await twiceshy("import-langsmith", "run.json", "--out", "a/b");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(`[${wanted}]`);
    expect(existsSync(join(root, "a"))).toBe(false);
  },
);

test.for([
  [
    "whose parent is missing",
    [chain(), tool("search", 1), tool("lost", 2, { parent_run_id: "gone" })],
    /1 run names a parent that the record does not hold/,
  ],
  [
    "without a parent beside the first",
    [chain(), chain({ id: "r2" }), tool("search", 1)],
    /2 runs have no parent/,
  ],
] as const)(
  "a run of LangSmith %s is said, and kept as something to decide",
  async ([, value, wanted]) => {
    write("run.json", value);
    const { code, stderr } = await twiceshy("import-langsmith", "run.json", "--out", "odd");
    expect(code).toBe(0);
    expect(stderr).toMatch(wanted);
    expect((json("odd/tools.json")["warnings"] as string[])[0]).toMatch(wanted);
    expect(read("odd/README.md")).toContain("The record was odd");
  },
);

test("an output of six million characters is scaffolded", async () => {
  write(
    "run.json",
    chain({ child_runs: [tool("search", 1, { outputs: { output: "x".repeat(6_000_000) } })] }),
  );
  expect(await twiceshy("import-langsmith", "run.json", "--out", "big")).toMatchObject({ code: 0 });
});

test("times without a zone, times as numbers, and inputs that are null are read", async () => {
  write(
    "run.json",
    chain({
      start_time: "2026-03-01T10:00:00",
      inputs: null,
      child_runs: [
        tool("second", 0, { start_time: 1_772_359_202_000, end_time: 1_772_359_203_000 }),
        tool("first", 0, { start_time: 1_772_359_201_000, end_time: 1_772_359_202_000 }),
      ],
    }),
  );
  expect(await twiceshy("import-langsmith", "run.json", "--out", "times")).toMatchObject({
    code: 0,
  });
  const steps = json("times/trace.json")["steps"] as { kind: string; name?: string }[];
  expect(steps.filter(({ kind }) => kind === "tool").map(({ name }) => name)).toEqual([
    "first",
    "second",
  ]);
  expect(read("times/README.md")).toContain("does not tell what was asked");
});

test("runs without any time keep the order of the export", async () => {
  const untimed = ["c", "a", "b"].map((id) => tool(id, 0, { start_time: null, end_time: null }));
  write("run.json", chain({ start_time: null, end_time: null, child_runs: untimed }));
  await twiceshy("import-langsmith", "run.json", "--out", "order");
  const steps = json("order/trace.json")["steps"] as { kind: string; name?: string }[];
  expect(steps.filter(({ kind }) => kind === "tool").map(({ name }) => name)).toEqual([
    "c",
    "a",
    "b",
  ]);
});

test("a tool that was polled with other answers, an error and a missing answer are played back as recorded, and the control passes", async () => {
  const poll = { name: "get_status", inputs: { id: 1 } };
  write(
    "run.json",
    chain({
      child_runs: [
        tool("p1", 1, { ...poll, outputs: { output: "queued" } }),
        tool("p2", 2, { ...poll, outputs: { output: "done" } }),
        tool("broken", 3, { outputs: null, error: "RuntimeError: no such thing" }),
        tool("open", 4, { outputs: null, end_time: null }),
      ],
    }),
  );
  await twiceshy("import-langsmith", "run.json", "--out", "poll");
  const { run } = await ran("poll");
  expect(run.control).toMatchObject({ verdict: "passed" });
  const results = run.control.events.flatMap((event) =>
    event.kind === "result" ? [event.result] : [],
  );
  expect(results).toMatchObject([
    { ok: true, data: "queued" },
    { ok: true, data: "done" },
    { ok: false, error: { message: expect.stringContaining("no such thing") } },
  ]);
  expect(read("poll/README.md")).toMatch(
    /`get_status` were answered differently[^]*`broken` ended in an error[^]*`open` were never answered/,
  );
});

test("a run with 150 calls is scaffolded", async () => {
  write(
    "run.json",
    chain({
      child_runs: Array.from({ length: 150 }, (_, n) =>
        tool(`t${n}`, n, { name: "search", inputs: { n } }),
      ),
    }),
  );
  expect(await twiceshy("import-langsmith", "run.json", "--out", "many")).toMatchObject({
    code: 0,
  });
  expect((await ran("many")).run).toMatchObject({ exitCode: 0, control: { toolCalls: 150 } });
});

test("arguments of several types are anyOf, lists are nested, and a member is required when every call has it", () => {
  expect(
    inferSchema([
      { id: 1, tags: [["a"], []], note: null },
      { id: "x", tags: [[1.5, 2]] },
    ]),
  ).toEqual({
    type: "object",
    properties: {
      id: { anyOf: [{ type: "integer" }, { type: "string" }] },
      note: { type: "null" },
      tags: {
        type: "array",
        items: { type: "array", items: { anyOf: [{ type: "number" }, { type: "string" }] } },
      },
    },
    required: ["id", "tags"],
  });
});

test("a folder that exists is never written to, and a second run changes nothing", async () => {
  write("run.json", chain({ child_runs: TOOLS }));
  await twiceshy("scaffold", "run.json", "--out", "case");
  const before = read("case/world.mjs");
  write("case/world.mjs", `${before}// mine\n`);
  const { code, stderr } = await twiceshy("scaffold", "run.json", "--out", "case");
  expect(code).toBe(2);
  expect(stderr).toContain("[E_DESTINATION_EXISTS]");
  expect(read("case/world.mjs")).toBe(`${before}// mine\n`);
  expect((await twiceshy("scaffold", "run.json", "--out", ".")).stderr).toContain(
    "[E_DESTINATION_EXISTS]",
  );
});

const THREE = [
  traceOf([call("search", { q: 1 }, "a")], { id: "tr_one", task: "Find a.", output: "a" }),
  traceOf([call("search", { q: 2 }, "b")], {
    id: "tr_two",
    task: "Find b.\n::error::",
    output: "b",
  }),
  traceOf([], { id: "tr_three", task: "Say hi.", output: "hi" }),
];

test("a file with several traces lists them, and --record takes one by number or id", async () => {
  write("runs.jsonl", THREE.map((trace) => `${JSON.stringify(trace)}\n`).join(""));
  const { code, stderr } = await twiceshy("scaffold", "runs.jsonl", "--out", "none");
  expect(code).toBe(2);
  expect(stderr.replace(/\S*runs\.jsonl/, "runs.jsonl")).toMatchInlineSnapshot(`
    "error Failed to choose a trace of runs.jsonl: it holds 3 traces. Say which with --record, by the number or the id:
      0  tr_one  1 tool call  Find a.
      1  tr_two  1 tool call  Find b. ::error::
      2  tr_three  0 tool calls  Say hi.
     [E_TRACE_CHOICE]
    "
  `);
  expect(existsSync(join(root, "none"))).toBe(false);
  for (const record of ["1", "tr_two"]) {
    expect(
      await twiceshy("scaffold", "runs.jsonl", "--out", record, "--record", record),
    ).toMatchObject({ code: 0 });
    expect(json(`${record}/trace.json`)["id"]).toBe("tr_two");
  }
  const missing = await twiceshy("scaffold", "runs.jsonl", "--out", "none", "--record", "9");
  expect(missing).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--record 9 is none of its traces"),
  });
  const without = await twiceshy("scaffold", "runs.jsonl", "--out", "none", "--record", "2");
  expect(without.stderr).toContain("[E_SCAFFOLD_EMPTY]");
});

test("more than twenty traces are not all listed", async () => {
  const many = Array.from({ length: 30 }, (_, n) => ({
    ...THREE[0],
    id: `tr_${n}`,
    task: `Find ${n}.`,
  }));
  write("runs.jsonl", many.map((trace) => `${JSON.stringify(trace)}\n`).join(""));
  const { stderr } = await twiceshy("scaffold", "runs.jsonl", "--out", "none");
  expect(stderr).toContain("it holds more than 20 traces");
  expect(stderr.match(/tool call/g)).toHaveLength(20);
  expect(stderr).toContain("and others");
});

test("the record of a file that also holds broken ones is taken, and the broken ones are counted", async () => {
  write("runs.jsonl", `${JSON.stringify(THREE[0])}\n{"what":"ever"}\n{\n`);
  const { code, stderr } = await twiceshy("scaffold", "runs.jsonl", "--out", "case");
  expect(code).toBe(0);
  expect(stderr).toContain("2 other records could not be read");
});

test("--name is title and file name, made safe; a name without any letter is refused", async () => {
  write("run.json", chain({ child_runs: TOOLS }));
  await twiceshy("scaffold", "run.json", "--out", "a", "--name", "../Über `${x}` */ \u2028Test");
  expect(readdirSync(join(root, "a"))).toContain("uber-x-test.fault.test.mjs");
  expect((await ran("a")).title).toBe("uber-x-test");
  const { code, stderr } = await twiceshy("scaffold", "run.json", "--out", "b", "--name", "../..");
  expect(code).toBe(2);
  expect(stderr).toContain("[E_OPTION_VALUE]");
  expect(existsSync(join(root, "b"))).toBe(false);
});

test("a project with a tsconfig gets TypeScript, with the endings that its compiler wants", async () => {
  write("run.json", chain({ child_runs: TOOLS }));
  write("tsconfig.json", '{ "compilerOptions": { "module": "nodenext" } }');
  write("package.json", '{ "type": "module" }');
  await twiceshy("scaffold", "run.json", "--out", "case");
  expect(read("case/case.fault.test.ts")).toContain('from "./world.js";');
  expect(read("case/world.ts")).toContain("} as const;");
  write("sub/tsconfig.json", '{ "compilerOptions": { "module": "commonjs" } }');
  await twiceshy("scaffold", "run.json", "--out", "sub/case");
  expect(read("sub/case/case.fault.test.ts")).toContain('from "./world";');
  expect(read("sub/case/world.ts")).toContain("openTrace(__filename, kinds)");
});

test("the spec says where the configured agent is, in a comment", async () => {
  write("run.json", chain({ child_runs: TOOLS }));
  write("twiceshy.config.json", '{ "agent": "./src/agent.ts#run" }');
  await twiceshy("scaffold", "run.json", "--out", "tests/case");
  expect(read("tests/case/case.fault.test.mjs")).toContain(
    'put your own agent here: import { run } from "../../src/agent.ts".',
  );
});

test("--json tells folder, files, tools and decisions; a missing --out and an unknown format are told", async () => {
  write("run.json", chain({ child_runs: TOOLS }));
  const { stdout } = await twiceshy("scaffold", "run.json", "--out", "case", "--json");
  expect(JSON.parse(stdout)).toMatchObject({
    folder: "case",
    files: ["README.md", "case.fault.test.mjs", "world.mjs", "tools.json", "trace.json"],
    tools: [
      { alias: "search", kind: "read" },
      { alias: "send_mail", kind: "write" },
    ],
  });
  expect((await twiceshy("scaffold", "run.json")).stderr).toContain("Add --out FOLDER");
  expect(
    (await twiceshy("scaffold", "run.json", "--out", "x", "--format", "langsmit")).stderr,
  ).toContain('Did you mean "langsmith"?');
});

test.for([
  ["our samples", FIXTURES, false],
  [`the public files${NO_SHARED ? `; ${WHY_NO_SHARED}` : ""}`, SHARED, NO_SHARED],
] as const)(
  "every trace of %s with an answered tool call scaffolds",
  { timeout: 600_000 },
  async ([, folder, missing], { skip }) => {
    if (missing) skip(WHY_NO_SHARED);
    const { scaffold } = await import("../scaffold/scaffold.ts");
    const style = { extension: ".mjs", imports: "as written", self: "import.meta.url" } as const;
    let made = 0;
    for (const item of readTraces([folder])) {
      if (!("trace" in item)) continue;
      const answered = item.trace.steps.some(
        (step) => step.kind === "tool" && step.result !== undefined,
      );
      if (!answered) continue;
      const { files } = await scaffold(item, { name: "x", format: item.format ?? "", style });
      const written = files.find(({ name }) => name === "trace.json")?.text ?? "";
      expect(canonical(JSON.parse(written))).toBe(canonical(item.trace as never));
      made += 1;
    }
    expect(made).toBeGreaterThan(50);
  },
);
