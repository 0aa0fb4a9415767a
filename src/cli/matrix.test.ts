import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { adapterSource, BOOKING_DOCUMENT, writeFiles } from "../testing/booking-documents.ts";
import { runCommand, type Said } from "../testing/command-line.ts";
import { readReport } from "../workflow/read-report.ts";

const READ =
  'list_bookings: { kind: "read", execute: (_args, state) => ({ ok: true, data: { bookings: state.bookings } }) },';
const SIX =
  "timeout_after,duplicate_delivery,timeout_before,unavailable,malformed,permission_revoked";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "twiceshy-cli-matrix-"));
  writeFiles(root, { "dojo/workflow.json": BOOKING_DOCUMENT, "dojo/adapter.mjs": adapterSource() });
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function run(...argv: string[]): Promise<Said> {
  return runCommand(root, argv);
}

function json(name: string): {
  suites: {
    id: string;
    tool: string;
    kind: string;
    status?: string;
    report?: string;
    workflow: typeof BOOKING_DOCUMENT;
  }[];
} & Record<string, unknown> {
  return JSON.parse(readFileSync(join(root, name), "utf8"));
}

test("a matrix names the number of scenarios before anything is paid for, and calls neither factory nor tools", async () => {
  const source = adapterSource({
    tools: READ,
    factory: "function createAgent() { throw new Error('called');",
  });
  writeFiles(root, { "dojo/adapter.mjs": source });
  const { code, stdout } = await run("matrix", "--faults", `${SIX},stale_read`, "--out", "m.json");
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("10 scenarios at 2 tools: 12 trials"),
  });
  const { suites } = json("m.json");
  expect(suites.map(({ tool, kind }) => [tool, kind])).toEqual([
    ["list_bookings", "read"],
    ["reserve_slot", "write"],
  ]);
  expect(suites[0]?.workflow.scenarios.map(({ id }) => id)).toEqual(
    ["timeout_before", "unavailable", "malformed", "stale_read"].map((type) => `matrix-${type}`),
  );
  expect(suites[1]?.workflow.scenarios.map(({ id }) => id)).toEqual(
    SIX.split(",").map((type) => `matrix-${type}`),
  );
  expect(suites[1]?.workflow.scenarios[5]?.fault.type).toBe("permission_revoked");
  expect(suites[0]?.workflow.checks).toEqual(BOOKING_DOCUMENT.checks);
});

test("stale reads and injections are there only when they are asked for", async () => {
  writeFiles(root, { "dojo/adapter.mjs": adapterSource({ tools: READ }) });
  await run("matrix", "--out", "m.json");
  const types = json("m.json").suites.flatMap(({ workflow }) =>
    workflow.scenarios.map(({ fault }) => fault.type),
  );
  expect(types).toContain("delayed_commit");
  expect(types).not.toContain("stale_read");
  expect(types).not.toContain("prompt_injection");
});

test("a matrix needs no scenarios, and carries the checks of a scenario with exactly its fault", async () => {
  await run("matrix", "--faults", SIX, "--out", "a.json");
  const carried = json("a.json").suites[0]?.workflow.scenarios as {
    id: string;
    checks?: { id: string }[];
  }[];
  expect(
    carried
      .filter(({ checks }) => checks !== undefined)
      .map(({ id, checks }) => [id, checks?.[0]?.id]),
  ).toEqual([["matrix-permission_revoked", "no-booking"]]);
  const { scenarios: _, ...without } = BOOKING_DOCUMENT;
  writeFiles(root, { "dojo/workflow.json": without });
  expect((await run("matrix", "--out", "b.json")).code).toBe(0);
});

test("two scenarios of one fault with different checks are an error, as nobody could tell which ones count", async () => {
  const last = BOOKING_DOCUMENT.scenarios.at(-1);
  const again = { ...last, id: "again", checks: BOOKING_DOCUMENT.checks };
  writeFiles(root, { "dojo/workflow.json": { ...BOOKING_DOCUMENT, scenarios: [last, again] } });
  const { code, stderr } = await run("matrix", "--out", "m.json");
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("[E_MATRIX_CHECKS]"),
  });
  expect(existsSync(join(root, "m.json"))).toBe(false);
});

test.for([
  [["--tools", "reserve_slto"], /there is no tool "reserve_slto"/],
  [["--tools", "reserve_slot,reserve_slot"], /is given twice/],
  [["--faults", "timeout-after"], /Write "timeout_after" if that is meant/],
  [["--faults", "stale_read"], /\[E_MATRIX_EMPTY\]/],
] as const)("the choice %j is refused and leaves no file", async ([argv, sentence]) => {
  const { code, stderr } = await run("matrix", "--out", "m.json", ...argv);
  expect(code).toBe(2);
  expect(stderr).toMatch(sentence);
  expect(existsSync(join(root, "m.json"))).toBe(false);
});

test("an existing file stops a matrix before the adapter is imported", async () => {
  writeFiles(root, { "m.json": "mine", "dojo/adapter.mjs": "globalThis.wasImported = true;" });
  expect((await run("matrix", "--out", "m.json")).code).toBe(2);
  expect((await run("test-matrix", "--out", "m.json")).code).toBe(2);
  expect(readFileSync(join(root, "m.json"), "utf8")).toBe("mine");
  expect("wasImported" in globalThis).toBe(false);
});

test("tools of long and odd names have suites of their own names", async () => {
  const tools = ["a".repeat(99), "a".repeat(98) + "b", "fs.read/x:y"]
    .map(
      (name) =>
        `${JSON.stringify(name)}: { kind: "read", execute: () => ({ ok: true, data: 1 }) },`,
    )
    .join("\n");
  writeFiles(root, { "dojo/adapter.mjs": adapterSource({ tools }) });
  expect((await run("matrix", "--out", "m.json")).code).toBe(0);
  const ids = json("m.json").suites.map(({ id }) => id);
  expect(new Set(ids).size).toBe(4);
  expect(ids.every((id) => /^[A-Za-z0-9][\w-]{0,99}$/.test(id))).toBe(true);
});

test("a matrix file runs as one report for each tool with an index, and a broken agent shows in a comparison", async () => {
  writeFiles(root, {
    "dojo/adapter.mjs": adapterSource({ tools: READ, first: 'await call("list_bookings");' }),
    "dojo/broken.mjs": adapterSource({
      tools: READ,
      first: 'await call("list_bookings");',
      key: "per attempt",
    }),
  });
  await run("matrix", "--faults", SIX, "--out", "m.json");
  const good = await run(
    "test-matrix",
    "m.json",
    "--adapter",
    "dojo/adapter.mjs",
    "--trials",
    "2",
    "--out",
    "good",
  );
  expect(good.code).toBe(0);
  expect(good.stdout).toContain("2 tools, 9 scenarios; 20 trials with the controls");
  expect(json("good/index.json")).toMatchObject({
    status: "passed",
    exitCode: 0,
    planned: 2,
    completed: 2,
  });
  const broken = await run(
    "test-matrix",
    "m.json",
    "--adapter",
    "dojo/broken.mjs",
    "--trials",
    "2",
    "--out",
    "bad",
  );
  expect(broken.code).toBe(1);
  expect(json("bad/index.json").suites.map(({ status }) => status)).toEqual(["passed", "failed"]);
  const report = json("bad/index.json").suites[1]?.report ?? "";
  expect(readReport(join(root, "bad", report)).trials).toHaveLength(13);
  const compared = await run("compare", "--base", `good/${report}`, "--candidate", `bad/${report}`);
  expect(compared.code).toBe(1);
  expect(compared.stdout).toContain("Exactly one booking: 0 before, 2 now");
});

test("one command runs the matrix of all tools with one control into one report", async () => {
  writeFiles(root, {
    "dojo/adapter.mjs": adapterSource({ tools: READ, first: 'await call("list_bookings");' }),
  });
  const { code } = await run(
    "test-matrix",
    "--faults",
    SIX,
    "--out",
    "all.jsonl",
    "--summary",
    "all.md",
  );
  expect(code).toBe(0);
  const { header, trials } = readReport(join(root, "all.jsonl"));
  expect(header.scenarios).toHaveLength(10);
  expect(trials.filter(({ scenario }) => scenario === "control")).toHaveLength(1);
  expect(readFileSync(join(root, "all.md"), "utf8")).toContain("9/9 fault trials passed");
});

test("a suite whose agent cannot be made is an error by name, and the others' reports are kept", async () => {
  const tools = `${READ}\nlook: { kind: "read", execute: () => ({ ok: true, data: 1 }) },`;
  const top = "let calls = 0;";
  const factory =
    "function createAgent() { if (++calls === 4) throw new Error('no key for call 4');";
  writeFiles(root, {
    "dojo/adapter.mjs": adapterSource({
      tools,
      top,
      factory,
      first: 'await call("list_bookings"); await call("look");',
    }),
  });
  await run("matrix", "--faults", "unavailable", "--out", "m.json");
  const { code, stderr } = await run(
    "test-matrix",
    "m.json",
    "--adapter",
    "dojo/adapter.mjs",
    "--out",
    "out",
  );
  const { suites, completed } = json("out/index.json");
  expect(suites.filter(({ status }) => status === "error")).toHaveLength(1);
  expect(completed).toBe(2);
  expect(code).toBe(3);
  expect(stderr).toContain("createAgent threw: no key for call 4");
  expect(readdirSync(join(root, "out"))).toHaveLength(3);
});

test("an idle agent leaves every tool incomplete, and a failed control stops the rest", async () => {
  const tools = READ;
  writeFiles(root, {
    "dojo/workflow.json": {
      ...BOOKING_DOCUMENT,
      checks: [BOOKING_DOCUMENT.checks[1]],
      scenarios: undefined,
    },
    "dojo/adapter.mjs": adapterSource({
      tools,
      first: "return { status: 'blocked', message: 'no' };",
    }),
    "dojo/broken.mjs": adapterSource({ tools, first: "throw new Error('broken');" }),
  });
  await run("matrix", "--faults", "unavailable", "--out", "m.json");
  const idle = await run("test-matrix", "m.json", "--adapter", "dojo/adapter.mjs", "--out", "idle");
  expect(idle.code).toBe(3);
  expect(json("idle/index.json").suites.map(({ status }) => status)).toEqual([
    "incomplete",
    "incomplete",
  ]);
  expect(readdirSync(join(root, "idle"))).toHaveLength(3);
  const broken = await run(
    "test-matrix",
    "m.json",
    "--adapter",
    "dojo/broken.mjs",
    "--out",
    "broken",
  );
  expect(broken.code).toBe(1);
  expect(json("broken/index.json").suites.map(({ status }) => status)).toEqual([
    "failed",
    "not_run",
  ]);
  expect(readdirSync(join(root, "broken"))).toHaveLength(2);
});

test("a matrix that was made for other tools is refused, and its folder is gone", async () => {
  await run("matrix", "--out", "m.json");
  const source = adapterSource().replace('kind: "write"', 'kind: "read"');
  writeFiles(root, { "dojo/read.mjs": source });
  const { code, stderr } = await run(
    "test-matrix",
    "m.json",
    "--adapter",
    "dojo/read.mjs",
    "--out",
    "out",
  );
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("[E_MATRIX_TOOL]"),
  });
  expect(existsSync(join(root, "out"))).toBe(false);
});

test.for(["--config", "--tools", "--faults", "--summary"])(
  "%s beside a matrix file is refused, as the file says itself what is run",
  async (option) => {
    const { code, stderr } = await run("test-matrix", "m.json", option, "x");
    expect(code).toBe(2);
    expect(stderr).toContain("a matrix file was given");
  },
);

test("an interrupt between two tools leaves the rest not run, with the reports that there are", async () => {
  writeFiles(root, {
    "dojo/adapter.mjs": adapterSource({
      tools: READ,
      first: 'await call("list_bookings"); process.emit("SIGTERM");',
    }),
  });
  await run("matrix", "--faults", "unavailable", "--out", "m.json");
  const { code } = await run(
    "test-matrix",
    "m.json",
    "--adapter",
    "dojo/adapter.mjs",
    "--out",
    "out",
  );
  expect(code).toBe(3);
  expect(json("out/index.json").suites.map(({ status }) => status)).toEqual([
    "incomplete",
    "not_run",
  ]);
});

const WORKFLOW = `
const world = {
  name: "counter", overlap: false, digest: "0123456789abcdef", state: { count: 0 },
  tools: { add: { kind: "write", execute: (_args, state) => { state.count += 1; return state.count; } } },
};
export const counting = { id: "counting", title: "Counts once", task: "count", agent: async () => {}, world, scenarios: "matrix", checks: [] };
`;

test("a module with a workflow gets a spec beside it, with literal titles, and nothing is written twice", async () => {
  writeFiles(root, { "counting.workflow.mjs": WORKFLOW });
  const { code, stdout } = await run("matrix", "counting.workflow.mjs");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^\d+ scenarios: \d+ tests with the control\nwrote /);
  const spec = join(root, "counting.workflow.spec.mjs");
  expect(readFileSync(spec, "utf8")).toContain(
    'test("lost confirmation of add", async ({ skip }) => {',
  );
  expect((await run("matrix", "counting.workflow.mjs")).stdout).toContain("unchanged");
  writeFileSync(spec, `${readFileSync(spec, "utf8")}// mine\n`);
  const edited = await run("matrix", "counting.workflow.mjs");
  expect({ code: edited.code, stderr: edited.stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("[E_SPEC_EDITED]"),
  });
});

test.for([
  ["export const nothing = 1;", /it has no export that is a workflow/],
  [`${WORKFLOW} export const other = { ...counting };`, /it exports counting and other/],
  ["throw new Error('broken');", /it could not be imported: broken/],
] as const)("a module %j has no one workflow and is refused", async ([source, sentence]) => {
  writeFiles(root, { "x.workflow.mjs": source });
  const { code, stderr } = await run("matrix", "x.workflow.mjs");
  expect(code).toBe(2);
  expect(stderr).toMatch(sentence);
});
