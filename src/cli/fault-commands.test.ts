import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import * as fixtures from "../../fixtures/builtin.ts";
import { adapterSource, BOOKING_DOCUMENT, writeFiles } from "../testing/booking-documents.ts";
import { runCommand, type Said } from "../testing/command-line.ts";
import { runWorkflow } from "../workflow/run.ts";
import { readReport } from "../workflow/read-report.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "twiceshy-cli-faults-"));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function run(...argv: string[]): Promise<Said> {
  return runCommand(root, argv);
}

/** Reports of a good and of a broken agent, with commits. */
async function reports(): Promise<void> {
  writeFiles(root, {
    "dojo/workflow.json": BOOKING_DOCUMENT,
    "dojo/good.mjs": adapterSource(),
    "dojo/broken.mjs": adapterSource({ key: "per attempt" }),
    "dojo/blocked.mjs": adapterSource({ first: "return { status: 'blocked', message: 'no' };" }),
  });
  for (const [name, commit] of [
    ["good", "a"],
    ["broken", "b"],
    ["blocked", "c"],
  ] as const)
    await run(
      "test",
      "--adapter",
      `dojo/${name}.mjs`,
      "--out",
      `${name}.jsonl`,
      "--commit",
      commit.repeat(40),
      "--trials",
      "3",
    );
}

test(
  "reports are compared: a regression is 1, an improvement and the same are 0, a missing one is 3",
  { timeout: 30_000 },
  async () => {
    await reports();
    const compare = (base: string, candidate: string, ...more: string[]): Promise<Said> =>
      run("compare", "--base", `${base}.jsonl`, "--candidate", `${candidate}.jsonl`, ...more);
    const fell = await compare("good", "broken", "--out", "out.json", "--summary", "out.md");
    expect(fell.code).toBe(1);
    expect(fell.stdout).toMatchInlineSnapshot(`
      "regressed  lost-confirmation   0/3 -> 3/3 failed
          failed trials: 0 before, 3 now
          Exactly one booking: 0 before, 3 now
      unchanged  request-timeout     0/3 -> 0/3 failed
      unchanged  unavailable         0/3 -> 0/3 failed
      regressed  malformed           0/3 -> 3/3 failed
          failed trials: 0 before, 3 now
          Exactly one booking: 0 before, 3 now
      unchanged  permission-revoked  0/3 -> 0/3 failed

      regressed: 2 scenarios regressed
      "
    `);
    expect(JSON.parse(readFileSync(join(root, "out.json"), "utf8"))).toMatchObject({
      status: "regressed",
      source: { baseSha: "a".repeat(40), headSha: "b".repeat(40) },
    });
    expect(readFileSync(join(root, "out.md"), "utf8")).toContain("Fault tests: **regressed**");
    expect((await compare("broken", "broken")).code).toBe(0);
    expect((await compare("broken", "good")).stdout).toContain("improved   lost-confirmation");
    expect(await compare("good", "blocked")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("the candidate's control failed"),
    });
    expect(await compare("blocked", "good")).toMatchObject({ code: 3 });
    expect(await compare("nothing", "good", "--out", "missing.json")).toMatchObject({
      code: 3,
      stdout: expect.stringContaining("the base report is missing"),
    });
    expect(existsSync(join(root, "missing.json"))).toBe(true);

    // Nothing is overwritten, and nothing new is left when something cannot be written.
    expect((await compare("good", "good", "--out", "out.json")).code).toBe(2);
    expect((await compare("good", "good", "--out", "new.json", "--summary", "out.md")).code).toBe(
      2,
    );
    expect(existsSync(join(root, "new.json"))).toBe(false);

    const trends = await run("trends", "good.jsonl", "broken.jsonl", "good.jsonl", "--json");
    const { series, duplicates } = JSON.parse(trends.stdout) as {
      series: { points: { passRate: number }[] }[];
      duplicates: number;
    };
    expect(duplicates).toBe(1);
    expect(series).toHaveLength(5);
    expect(series[0]?.points.map(({ passRate }) => passRate)).toEqual([100, 0]);
    expect((await run("trends", "good.jsonl", "broken.jsonl", "blocked.jsonl")).stdout).toContain(
      "a control did not pass",
    );
  },
);

test("a comparison without a side, and one of a file that is no report, are exit code 2", async () => {
  writeFiles(root, { "x.jsonl": "{}" });
  expect(await run("compare", "--base", "x.jsonl")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--candidate is missing"),
  });
  expect(
    await run("compare", "--base", "x.jsonl", "--candidate", "x.jsonl", "--out", "o.json"),
  ).toMatchObject({ code: 2, stderr: expect.stringContaining("x.jsonl") });
  expect(existsSync(join(root, "o.json"))).toBe(false);
});

test("a forged verdict is refused by a comparison", async () => {
  await reports();
  const text = readFileSync(join(root, "broken.jsonl"), "utf8");
  writeFiles(root, { "forged.jsonl": text.replaceAll('"verdict":"failed"', '"verdict":"passed"') });
  const { code, stdout, stderr } = await run(
    "compare",
    "--base",
    "good.jsonl",
    "--candidate",
    "forged.jsonl",
  );
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain("verdict is passed, and its evidence says failed");
});

test("trends without reports say how to write some, and keep what can be read beside a broken file", async () => {
  expect(await run("trends")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('"twiceshy test --commit HEAD"'),
  });
  writeFiles(root, { "reports/x.jsonl": "no report" });
  expect(await run("trends", "reports")).toMatchObject({
    code: 3,
    stdout: "No report names its commit.\n",
  });
});

test("the templates are the ten worlds and the three fault fixtures", async () => {
  const { code, stdout } = await run("templates", "--json");
  expect(code).toBe(0);
  const all = JSON.parse(stdout) as { name: string; export: string; tools: string[] }[];
  expect(all.map(({ name }) => name).sort()).toEqual([
    "calendar",
    "crm",
    "duplicate-delivery",
    "email",
    "files",
    "inventory",
    "payments",
    "prompt-injection",
    "refunds",
    "sql",
    "stale-read",
    "subscriptions",
    "webhooks",
  ]);
  for (const template of all) expect(template.export in fixtures).toBe(true);
  expect(
    (await run("templates")).stdout.split("\n").filter((line) => /^[a-z-]+ {2,}\S/.test(line)),
  ).toHaveLength(13);
});

test("a template becomes a test of the project, and nothing is overwritten", async () => {
  const first = await run("init", "--template", "calendar");
  expect(first.code).toBe(0);
  expect(first.stdout).toContain("wrote    tests/calendar.fault.test.");
  const name =
    ["mjs", "js", "ts"]
      .map((ending) => `tests/calendar.fault.test.${ending}`)
      .find((file) => existsSync(join(root, file))) ?? "";
  expect(readFileSync(join(root, name), "utf8")).toMatchInlineSnapshot(`
    "import { calendar } from "twiceshy/fixtures";
    import { describeWorkflow } from "twiceshy/vitest";

    // One test for the control, and one for each fault at each tool that the task needs. The shipped agent is safe.
    // Put your own in its place: calendar.workflow({ agent: run }), where run(task, { tools }) works the task.
    // To see it fail: calendar.workflow({ agent: calendar.planted }).
    // Its bug: \`booker(keyPerAttempt)\` instead of \`booker(stableKey)\`: an attempt that lost its confirmation is booked again.
    describeWorkflow("A calendar books one slot", calendar.workflow());
    "
  `);
  writeFiles(root, { [name]: "mine" });
  const second = await run("init", "--template", "calendar");
  expect(second).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("[E_DESTINATION_EXISTS]"),
  });
  expect(readFileSync(join(root, name), "utf8")).toBe("mine");
});

test("a template that there is not, and virtual time without one, are refused before anything is written", async () => {
  expect(await run("init", "--template", "calender")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Write calendar if that is meant"),
  });
  expect(await run("init", "--virtual-time")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Add --template"),
  });
  expect(existsSync(join(root, ".twiceshy"))).toBe(false);
  expect(existsSync(join(root, "vitest.config.ts"))).toBe(false);
});

test(
  "demo --faults shows the bug and its fix with both reports, and never writes where something is",
  { timeout: 60_000 },
  async () => {
    const { code, stdout } = await run("demo", "--faults", "--out", "story");
    expect(code).toBe(0);
    expect(stdout).toContain("failed lost confirmation of reserve_slot");
    const before = readReport(join(root, "story/before.jsonl"));
    const after = readReport(join(root, "story/after.jsonl"));
    expect(before.trials.some(({ verdict }) => verdict === "failed")).toBe(true);
    expect(after.trials.every(({ verdict }) => verdict === "passed")).toBe(true);
    const text = readFileSync(join(root, "story/before.jsonl"), "utf8");
    expect((await run("demo", "--faults", "--out", "story")).code).toBe(2);
    expect(readFileSync(join(root, "story/before.jsonl"), "utf8")).toBe(text);
  },
);

const { staleRead, duplicateDelivery, promptInjection } = fixtures;
const FAULT_FIXTURES = [staleRead, duplicateDelivery, promptInjection].map(
  (one) => [one.id, one] as const,
);

test.for(FAULT_FIXTURES)(
  "the agent of the fault fixture %s is safe, and its planted bug shows under that fault",
  async ([, fixture]) => {
    const shown = { scenarios: [{ id: "shown", faults: [fixture.shownBy] }] };
    const safe = await runWorkflow({ ...fixture.workflow(), ...shown });
    const unsafe = await runWorkflow({ ...fixture.workflow({ agent: fixture.planted }), ...shown });
    expect([safe.exitCode, unsafe.control.verdict, unsafe.exitCode]).toEqual([0, "passed", 1]);
  },
);
