import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { adapterSource, BOOKING_DOCUMENT, writeFiles } from "../testing/booking-documents.ts";
import { runCommand, type Said } from "../testing/command-line.ts";
import { readReport } from "../workflow/read-report.ts";
import type { Report } from "../workflow/report.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "twiceshy-cli-test-"));
  writeFiles(root, { "dojo/workflow.json": BOOKING_DOCUMENT, "dojo/adapter.mjs": adapterSource() });
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function run(...argv: string[]): Promise<Said> {
  return runCommand(root, ["test", ...argv]);
}

function report(name: string): Report {
  return readReport(join(root, name));
}

function labelled(label: string): unknown[] {
  return BOOKING_DOCUMENT.checks.map((check) => Object.assign({}, check, { label }));
}

function verdicts(name: string): Record<string, string> {
  return Object.fromEntries(
    report(name).trials.map(({ scenario, verdict }) => [scenario, verdict]),
  );
}

test("a document and its adapter run as they are: the control, then every scenario", async () => {
  const { code, stdout, stderr } = await run("--out", "report.jsonl");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout.split("\n").slice(0, -2).join("\n")).toMatchInlineSnapshot(`
    "Books one slot: 5 scenarios; 6 trials with the control
    passed      control
    passed      lost-confirmation
    passed      request-timeout
    passed      unavailable
    passed      malformed
    passed      permission-revoked

    passed: 5/5 fault trials passed"
  `);
  const { header, trials } = report("report.jsonl");
  expect(header).toMatchObject({
    workflow: { id: "booking", title: "Books one slot" },
    agent: { id: "booker", version: "1.0.0" },
  });
  expect(trials.every(({ faults }) => faults.every(({ reached }) => reached))).toBe(true);
  expect(trials[0]?.checks.map(({ id }) => id)).toEqual([
    "one-booking",
    "other-customer",
    "says-completed",
  ]);
  expect(trials[5]?.checks.map(({ id }) => id)).toEqual(["no-booking", "says-blocked"]);
  expect(trials[0]?.events.some(({ kind }) => kind === "model")).toBe(true);
});

test("an agent with a key for each attempt fails where the booking was made and not confirmed, and exits with 1", async () => {
  writeFiles(root, { "dojo/broken.mjs": adapterSource({ key: "per attempt" }) });
  const { code, stdout } = await run("--adapter", "dojo/broken.mjs", "--out", "report.jsonl");
  expect(code).toBe(1);
  expect(stdout).toContain("Exactly one booking: /bookings has 2 elements, and 1 is expected");
  expect(verdicts("report.jsonl")).toEqual({
    control: "passed",
    "lost-confirmation": "failed",
    "request-timeout": "passed",
    unavailable: "passed",
    malformed: "failed",
    "permission-revoked": "passed",
  });
});

test("with a virtual clock the tool's and the agent's delays take no time, and every trial starts anew", async () => {
  writeFiles(root, {
    "dojo/workflow.json": { ...BOOKING_DOCUMENT, clock: { mode: "virtual", startMs: 1000 } },
    "dojo/adapter.mjs": adapterSource({ delays: { tool: 25, rest: 1000 } }),
  });
  expect((await run("--trials", "2", "--out", "report.jsonl")).code).toBe(0);
  const ends = report("report.jsonl").trials.map(
    ({ clock }) => (clock?.endMs ?? 0) - (clock?.startMs ?? 0),
  );
  // A timeout takes the same time before and after the effect, so that nothing tells them apart.
  expect(ends).toEqual([25, 1025, 1025, 1025, 1025, 1025, 1025, 1050, 1050, 0, 0]);
});

test.for([
  ["an .mjs module", "adapter.mjs", adapterSource()],
  [
    "a default export",
    "adapter.mjs",
    adapterSource({ exports: "export default { tools, createAgent };" }),
  ],
  [
    "a CommonJS module",
    "adapter.cjs",
    adapterSource({ exports: "module.exports = { tools, createAgent };" }),
  ],
  [
    "an asynchronous factory",
    "adapter.mjs",
    adapterSource({ factory: "async function createAgent() { await undefined;" }),
  ],
] as const)("an adapter may be %s", async ([, name, source]) => {
  rmSync(join(root, "dojo/adapter.mjs"));
  writeFiles(root, { [`dojo/${name}`]: source });
  const { code, stderr } = await run();
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

test(
  "an adapter may be TypeScript, read by the project's own Vite",
  { timeout: 30_000 },
  async () => {
    rmSync(join(root, "dojo/adapter.mjs"));
    execFileSync("ln", ["-s", join(process.cwd(), "node_modules"), join(root, "node_modules")]);
    const typed = adapterSource().replace(
      "function createAgent()",
      "function createAgent(): unknown",
    );
    writeFiles(root, { "package.json": '{ "type": "module" }', "dojo/adapter.ts": typed });
    const { code, stderr } = await run();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  },
);

test("existing files stop the command before the adapter is imported, and are left as they are", async () => {
  writeFiles(root, {
    "dojo/adapter.mjs": "globalThis.wasImported = true; throw new Error('never');",
  });
  for (const option of ["--out", "--summary"]) {
    writeFileSync(join(root, "kept"), "mine");
    const { code, stderr } = await run(option, "kept");
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/\[E_(?:REPORT|DESTINATION)_EXISTS\]/),
    });
    expect(readFileSync(join(root, "kept"), "utf8")).toBe("mine");
  }
  expect("wasImported" in globalThis).toBe(false);
});

test("a broken adapter is exit code 2 with its own message on one line, and no report is left", async () => {
  const message = `broken \u001B[2J ${"x".repeat(5000)}\n::error::y`;
  writeFiles(root, { "dojo/adapter.mjs": `throw new Error(${JSON.stringify(message)});` });
  const { code, stderr } = await run("--out", "report.jsonl", "--summary", "summary.md");
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /^error Failed to load the adapter \S+: it could not be imported: broken \\x1b\[2J x+…\. .*\[E_ADAPTER_IMPORT\]\n$/,
  );
  expect(stderr.length).toBeLessThan(900);
  expect(existsSync(join(root, "report.jsonl"))).toBe(false);
  expect(existsSync(join(root, "summary.md"))).toBe(false);
});

test.for([
  ["no tools", "export const createAgent = () => ({});", /its export tools is missing/],
  [
    "no factory",
    "export const tools = { a: { kind: 'read', execute() {} } };",
    /its export createAgent is missing/,
  ],
  [
    "a tool of no kind",
    "export const tools = { a: { execute() {} } }; export function createAgent() {}",
    /the tool a of the adapter \S+: its kind is missing/,
  ],
  [
    "an agent without a version",
    adapterSource().replace('version: "1.0.0"', "version: 7"),
    /the agent's version is no text/,
  ],
  [
    "a factory that throws",
    adapterSource({ factory: "function createAgent() { throw new Error('no key');" }),
    /createAgent threw: no key/,
  ],
] as const)("an adapter with %s is exit code 2 and named", async ([, source, sentence]) => {
  writeFiles(root, { "dojo/adapter.mjs": source });
  const { code, stderr } = await run("--out", "report.jsonl");
  expect(code).toBe(2);
  expect(stderr).toMatch(sentence);
  expect(existsSync(join(root, "report.jsonl"))).toBe(false);
});

test.for([
  [["--trials", "0"], /0 is no whole number from 1 to 20/],
  [["--trials", "21"], /21 is no whole number from 1 to 20/],
  [["--commit", "nothing-of-that-name"], /\[E_COMMIT_UNKNOWN\]/],
  [["--config", "dojo/other.json"], /\[E_FILE_MISSING\]/],
  [["--adapter", "dojo/other.mjs"], /there is no such file/],
  [["--adapter", "dojo/workflow.json"], /its name does not end in/],
  [["--trails", "2"], /Did you mean --trials/],
] as const)(
  "the wrong command line %j is refused before anything is imported or written",
  async ([argv, sentence]) => {
    writeFiles(root, { "dojo/adapter.mjs": "globalThis.wasImported = true;" });
    const { code, stderr } = await run("--out", "report.jsonl", ...argv);
    expect(code).toBe(2);
    expect(stderr).toMatch(sentence);
    expect(existsSync(join(root, "report.jsonl"))).toBe(false);
    expect("wasImported" in globalThis).toBe(false);
  },
);

test("a scenario for a tool that the adapter does not have is exit code 2 and leaves no report", async () => {
  const [lost] = BOOKING_DOCUMENT.scenarios;
  writeFiles(root, {
    "dojo/workflow.json": {
      ...BOOKING_DOCUMENT,
      scenarios: [{ ...lost, fault: { type: "timeout_after", tool: "reserve_slto" } }],
    },
  });
  const { code, stderr } = await run("--out", "report.jsonl");
  expect(code).toBe(2);
  expect(stderr).toContain('did you mean "reserve_slot"?');
  expect(existsSync(join(root, "report.jsonl"))).toBe(false);
});

test("a full commit id is kept as it is, and a name is what git knows by it", async () => {
  const id = "0123456789abcdef0123456789abcdef01234567";
  expect((await run("--commit", id.toUpperCase(), "--out", "a.jsonl")).code).toBe(0);
  expect(report("a.jsonl").header.commit).toBe(id);
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
      cwd: root,
      encoding: "utf8",
    });
  git("init", "-q");
  git("commit", "-q", "--allow-empty", "-m", "x");
  expect((await run("--commit", "HEAD", "--out", "b.jsonl")).code).toBe(0);
  expect(report("b.jsonl").header.commit).toBe(git("rev-parse", "HEAD").trim());
});

test("two runs without --out give two reports", async () => {
  await run();
  await run();
  const { stdout } = await runCommand(root, ["trends", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ unlabelled: 2 });
});

test("the summary counts the trials and names what was not reached", async () => {
  const idle = adapterSource({
    first: "if (globalThis.idle) return { status: 'blocked', message: 'no' };",
  });
  writeFiles(root, { "dojo/adapter.mjs": idle });
  await run("--trials", "3", "--summary", "good.md");
  expect(readFileSync(join(root, "good.md"), "utf8")).toContain("15/15 fault trials passed");
  const scenarios = [
    {
      ...BOOKING_DOCUMENT.scenarios[0],
      fault: { type: "timeout_after", tool: "reserve_slot", occurrence: 2 },
    },
  ];
  writeFiles(root, { "dojo/workflow.json": { ...BOOKING_DOCUMENT, scenarios } });
  const { code } = await run("--summary", "unreached.md");
  expect(code).toBe(3);
  expect(readFileSync(join(root, "unreached.md"), "utf8")).toMatch(
    /\*\*incomplete\*\* \| .*was not reached: waited for the 2nd call/,
  );
});

test("a failed control is exit code 1, in bold in the summary, with the check that failed, and no fault is tried", async () => {
  writeFiles(root, {
    "dojo/adapter.mjs": adapterSource({
      first: "return { status: 'completed', message: 'Booked' };",
    }),
  });
  const { code, stdout } = await run("--out", "report.jsonl", "--summary", "summary.md");
  expect(code).toBe(1);
  expect(stdout).toContain("No fault was tried");
  expect(report("report.jsonl").trials).toHaveLength(1);
  const summary = readFileSync(join(root, "summary.md"), "utf8");
  expect(summary).toContain("Books one slot: **failed**");
  expect(summary).toContain("0/5");
  expect(summary).toMatch(/\| control \| 0\/1 \| \*\*failed\*\* \| .*Exactly one booking/);
});

test("polling is no failure where the document sets no limit, and one is where it does", async () => {
  const tools =
    'read_status: { kind: "read", execute: () => ({ ok: true, data: { status: "open" } }) },';
  const first = 'for (let i = 0; i < 6; i++) await call("read_status");';
  writeFiles(root, { "dojo/adapter.mjs": adapterSource({ tools, first }) });
  expect((await run()).code).toBe(0);
  writeFiles(root, {
    "dojo/workflow.json": { ...BOOKING_DOCUMENT, limits: { maxRepeatedCalls: 5 } },
  });
  const { code, stdout } = await run("--json", "--out", "report.jsonl");
  expect(code).toBe(1);
  expect(report("report.jsonl").trials[0]?.issue?.code).toBe("repeated_calls");
  expect(JSON.parse(stdout)).toMatchObject({
    exitCode: 1,
    report: expect.stringContaining("report.jsonl"),
  });
});

test("an agent that crashes or hangs under a fault has failed, and the other scenarios run", async () => {
  writeFiles(root, {
    "dojo/workflow.json": { ...BOOKING_DOCUMENT, limits: { timeoutMs: 300 } },
    "dojo/adapter.mjs": adapterSource()
      .replace(
        'if (typeof result !== "string") {',
        'if (typeof result === "string") throw new TypeError("no bookingId"); {',
      )
      .replace(
        "if (!result.error.retryable)",
        'if (result.error.code === "SERVICE_UNAVAILABLE") await new Promise(() => {});\n          if (!result.error.retryable)',
      ),
  });
  expect((await run("--out", "report.jsonl")).code).toBe(1);
  expect(verdicts("report.jsonl")).toMatchObject({
    "lost-confirmation": "passed",
    unavailable: "failed",
    malformed: "failed",
    "permission-revoked": "passed",
  });
  const malformed = report("report.jsonl").trials.find(({ scenario }) => scenario === "malformed");
  expect(malformed?.issue).toMatchObject({
    side: "agent",
    code: "agent_error",
    message: expect.stringContaining("no bookingId"),
  });
});

test("a tool that answers in no form of its own is named with its field, on the side of the tool", async () => {
  const tools = 'broken: { kind: "read", execute: () => ({ ok: true }) },';
  writeFiles(root, {
    "dojo/adapter.mjs": adapterSource({ tools, first: 'await call("broken");' }),
  });
  await run("--out", "report.jsonl");
  expect(report("report.jsonl").trials[0]?.issue).toMatchObject({
    side: "tool",
    message: expect.stringMatching(/the tool broken returned no "data" beside "ok"/),
  });
});

test("a document's tool may be unknown to the adapter: the agent is told, and the trial goes on", async () => {
  const first =
    'const said = await call("functions.add"); if (said.error.code !== "UNKNOWN_TOOL") throw new Error(JSON.stringify(said));';
  writeFiles(root, { "dojo/adapter.mjs": adapterSource({ first }) });
  expect((await run()).code).toBe(0);
});

test("an agent's status that is neither completed nor blocked is its error, with the field", async () => {
  writeFiles(root, {
    "dojo/adapter.mjs": adapterSource({ first: "return { status: 'done', message: '' };" }),
  });
  await run("--out", "report.jsonl");
  expect(report("report.jsonl").trials[0]?.issue).toMatchObject({
    side: "agent",
    message: expect.stringContaining("its status is neither completed nor blocked"),
  });
});

test("a changed tool changes the fingerprint, and changed titles, labels and agents do not", async () => {
  await run("--out", "a.jsonl");
  writeFiles(root, {
    "dojo/workflow.json": {
      ...BOOKING_DOCUMENT,
      title: "Renamed",
      checks: labelled("Renamed"),
    },
    "dojo/agent.mjs": adapterSource({ key: "per attempt" }),
    "dojo/tool.mjs": adapterSource().replace(
      "state.bookings.length + 1",
      "state.bookings.length + 1000",
    ),
  });
  await run("--adapter", "dojo/agent.mjs", "--out", "b.jsonl");
  await run("--adapter", "dojo/tool.mjs", "--out", "c.jsonl");
  const [a, b, c] = ["a", "b", "c"].map((name) => report(`${name}.jsonl`).header.fingerprint);
  expect(b).toBe(a);
  expect(c).not.toBe(a);
});

test("the one document of a folder is found by its name, and of two none", async () => {
  rmSync(join(root, "dojo"), { recursive: true });
  writeFiles(root, { "booking.workflow.json": BOOKING_DOCUMENT, "adapter.mjs": adapterSource() });
  expect((await run()).code).toBe(0);
  writeFiles(root, { "other.workflow.json": BOOKING_DOCUMENT });
  const { code, stderr } = await run();
  expect(code).toBe(2);
  expect(stderr).toContain("there are booking.workflow.json and other.workflow.json");
});

test("a factory is called for each trial, and one that gives the same agent again is named", async () => {
  const shared = adapterSource({
    top: "let made;",
    factory: "function createAgent() { return (made ??= fresh()); }\nfunction fresh() {",
  });
  writeFiles(root, { "dojo/adapter.mjs": shared });
  const { code } = await run("--out", "report.jsonl");
  expect(code).toBe(1);
  const { trials } = report("report.jsonl");
  expect(trials[0]?.verdict).toBe("passed");
  expect(trials[1]?.issue?.message).toContain("it gave an agent that it gave before");
  expect(trials).toHaveLength(6);
});

test("no text of a workflow or an agent reaches the terminal raw", async () => {
  const evil = "\u001B[2J\u202Ex\n::error::y";
  writeFiles(root, {
    "dojo/workflow.json": {
      ...BOOKING_DOCUMENT,
      title: evil,
      checks: labelled(evil),
    },
    "dojo/adapter.mjs": adapterSource({ first: `throw new Error(${JSON.stringify(evil)});` }),
  });
  const { stdout, stderr } = await run("--out", "report.jsonl");
  // oxlint-disable-next-line no-control-regex -- that is what is looked for
  expect((stdout + stderr).replaceAll("\n", "")).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u202E]/);
  expect(stdout).not.toMatch(/^\s*::/m);
});

test("an interrupt ends the run, keeps what was measured and marks it partial", async () => {
  const first = 'if (globalThis.interruptAt-- === 0) process.emit("SIGINT");';
  (globalThis as { interruptAt?: number }).interruptAt = 2;
  writeFiles(root, { "dojo/adapter.mjs": adapterSource({ first }) });
  const listeners = process.listenerCount("SIGINT");
  const { code } = await run("--out", "report.jsonl");
  expect(code).toBe(3);
  const { trials, partial } = report("report.jsonl");
  expect(trials.slice(0, 2).map(({ verdict }) => verdict)).toEqual(["passed", "passed"]);
  expect(partial).toContain("the run was interrupted");
  expect(process.listenerCount("SIGINT")).toBe(listeners);
});

test(
  "two hundred trials of twenty calls with large results are kept, and read again by a comparison",
  { timeout: 60_000 },
  async () => {
    const tools =
      'look: { kind: "read", execute: () => ({ ok: true, data: "x y ".repeat(300) }) },';
    const first = 'for (let i = 0; i < 20; i++) await call("look");';
    const scenarios = Array.from({ length: 10 }, (_, at) => ({
      id: `s${at}`,
      title: `Scenario ${at}`,
      fault: { type: "unavailable", tool: "look", occurrence: at + 1 },
    }));
    writeFiles(root, {
      "dojo/workflow.json": { ...BOOKING_DOCUMENT, scenarios, limits: { maxToolCalls: 100 } },
      "dojo/adapter.mjs": adapterSource({ tools, first }),
    });
    expect((await run("--trials", "20", "--out", "report.jsonl")).code).toBe(0);
    expect(statSync(join(root, "report.jsonl")).size).toBeGreaterThan(5_000_000);
    expect(report("report.jsonl").trials).toHaveLength(201);
    const compared = await runCommand(root, [
      "compare",
      "--base",
      "report.jsonl",
      "--candidate",
      "report.jsonl",
    ]);
    expect(compared.code).toBe(0);
  },
);

test("secrets of the state are in no report, and change no verdict", async () => {
  const initialState = {
    ...BOOKING_DOCUMENT.initialState,
    user: { email: "alice.jones@corp.example.org", password: "correct-horse-battery" },
  };
  const unchanged = {
    id: "user",
    label: "The user stays",
    type: "unchanged",
    path: "/user/password",
  };
  const literal = {
    id: "literal",
    label: "Literal",
    type: "equals",
    path: "/user/password",
    expected: "[redacted:key#1]",
  };
  const document = (more: unknown): unknown => ({
    ...BOOKING_DOCUMENT,
    initialState,
    checks: [...BOOKING_DOCUMENT.checks, more],
  });
  writeFiles(root, { "dojo/workflow.json": document(unchanged) });
  expect((await run("--out", "a.jsonl")).code).toBe(0);
  const text = readFileSync(join(root, "a.jsonl"), "utf8");
  expect(text).not.toMatch(/alice\.jones|correct-horse/);
  expect(report("a.jsonl").trials.every(({ verdict }) => verdict === "passed")).toBe(true);
  writeFiles(root, { "dojo/workflow.json": document(literal) });
  expect((await run("--out", "b.jsonl")).code).toBe(1);
  expect(report("b.jsonl").trials[0]?.verdict).toBe("failed");
});

test("a check of a tool that the world does not have is told after the trials and in the summary", async () => {
  const checks = [
    ...BOOKING_DOCUMENT.checks,
    { id: "no-refund", label: "No refund", type: "forbidden_tool", tool: "reserve_slott" },
  ];
  writeFiles(root, { "dojo/workflow.json": { ...BOOKING_DOCUMENT, checks } });
  const { code, stderr } = await run("--out", "report.jsonl", "--summary", "summary.md");
  const note = 'the check "No refund": the world has no tool "reserve_slott"';
  expect(code).toBe(0);
  expect(stderr.split(note)).toHaveLength(2);
  expect(readFileSync(join(root, "summary.md"), "utf8")).toContain('has no tool "reserve\\_slott"');
});
