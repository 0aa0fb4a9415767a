import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { Agent } from "../agent/agent.ts";
import { record } from "../agent/record.ts";
import { readFolder } from "../repro/folder.ts";
import type { Repro } from "../repro/repro.ts";
import type { RunResult } from "../runner/run.ts";
import { runCommand, type CommandOptions, type Said } from "../testing/command-line.ts";
import { ROOT } from "../testing/imports.ts";
import { refundDeskV1, refundDeskV2, refundTools } from "../testing/refund-desk.ts";
import { ensureBuilt } from "../../plugin-vitest/e2e/built.ts";

let root: string;

beforeAll(() => {
  ensureBuilt();
}, 180_000);
beforeEach(() => {
  // Inside the repository, so that the project finds Vitest.
  root = mkdtempSync(join(ROOT, ".tmp-run-"));
  mkdirSync(join(root, "node_modules"));
  symlinkSync(ROOT, join(root, "node_modules/twiceshy"), "dir");
  write("package.json", '{ "name": "project", "type": "module", "version": "1.0.0" }\n');
  write(
    "vitest.config.ts",
    'import twiceshy from "twiceshy/vitest/plugin";\nexport default { plugins: [twiceshy()] };\n',
  );
  write("twiceshy.config.json", '{ "agents": { "refund-desk": "./agent.ts#run" } }\n');
  agent("refundDeskV1");
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
});

function write(name: string, text: string): void {
  writeFileSync(join(root, name), text);
}

function agent(name: "refundDeskV1" | "refundDeskV2"): void {
  write("agent.ts", `export { ${name} as run } from "../src/testing/refund-desk.ts";\n`);
}

function twiceshy(argv: readonly string[], options?: CommandOptions): Promise<Said> {
  return runCommand(root, argv, options);
}

async function captured(runs: readonly (readonly [string, Agent])[]): Promise<void> {
  const lines: string[] = [];
  for (const [customer, run] of runs) {
    const trace = await record(
      run,
      { customer },
      { tools: refundTools(), agent: "refund-desk", maxToolCalls: 8 },
    );
    lines.push(`${JSON.stringify(trace)}\n`);
  }
  mkdirSync(join(root, ".twiceshy/traces"), { recursive: true });
  write(".twiceshy/traces/runs.jsonl", lines.join(""));
  expect(await twiceshy(["process"])).toMatchObject({ code: 0, stderr: "" });
}

/** The three failing customers, two of them with a later success. */
const FIVE = [
  ["Grace", refundDeskV1],
  ["grace", refundDeskV1],
  ["linus", refundDeskV1],
  ["Grace", refundDeskV2],
  ["grace", refundDeskV2],
] as const;

function repros(): Repro[] {
  return readFolder(join(root, "tests/failures")).flatMap(({ file }) => file.repros);
}

function idOf(customer: string): string {
  return (
    repros().find(({ task }) => JSON.stringify(task) === JSON.stringify({ customer }))?.id ?? ""
  );
}

function baseline(): Record<string, string> {
  const { entries } = JSON.parse(
    readFileSync(join(root, "tests/failures/refund-desk.baseline.json"), "utf8"),
  ) as {
    entries: Record<string, { verdict: string }>;
  };
  return Object.fromEntries(Object.entries(entries).map(([id, { verdict }]) => [id, verdict]));
}

test(
  "captured runs become repros that are confirmed, exported and run; the fixed agent's verdicts are the baseline, and the old agent is a regression",
  { timeout: 120_000 },
  async () => {
    await captured(FIVE);
    expect(repros()).toHaveLength(3);
    expect((await twiceshy(["annotate"], { input: ["c", "c", "c"] })).stdout).toContain(
      "3 confirmed",
    );
    expect((await twiceshy(["export", "tests.jsonl"])).stderr).toContain("3 repros written");
    agent("refundDeskV2");
    const fixed = await twiceshy(["run", "--update-baseline", "--max-tool-calls", "8"]);
    expect(fixed.stdout).toContain("2/3 passing, 1 unreplayable");
    expect(baseline()).toEqual({
      [idOf("Grace")]: "passes",
      [idOf("grace")]: "passes",
      [idOf("linus")]: "unreplayable",
    });
    agent("refundDeskV1");
    const old = await twiceshy(["run", "--max-tool-calls", "8"]);
    expect(old.code).toBe(1);
    expect(old.stdout).toContain("<- REGRESSION");
    expect(old.stdout).toContain("0/3 passing, 3 still_fails, 2 regressions");
    // Accepting what is there now does not accept a fall.
    expect((await twiceshy(["run", "--update-baseline"])).code).toBe(1);
    expect((await twiceshy(["run"])).code).toBe(1);
    expect((await twiceshy(["run", "--fail-on", "none"])).code).toBe(0);
    expect((await twiceshy(["run", "--update-baseline", "--accept-regressions"])).code).toBe(0);
    expect((await twiceshy(["run"])).code).toBe(0);
    expect((await twiceshy(["run", "--fail-on", "any"])).code).toBe(1);
  },
);

test(
  "run takes the confirmed repros, the chosen ones, or with --include-pending all; a rejected one never",
  { timeout: 60_000 },
  async () => {
    await captured(FIVE.slice(0, 3));
    const ids = async (...argv: string[]): Promise<string[]> => {
      const { stdout } = await twiceshy(["run", "--json", "-", ...argv]);
      return stdout === ""
        ? []
        : (JSON.parse(stdout) as RunResult).outcomes.map(({ repro }) => repro).sort();
    };
    const all = repros()
      .map(({ id }) => id)
      .sort();
    expect(await twiceshy(["run"])).toMatchObject({
      code: 0,
      stderr: "3 pending repros left out; --include-pending runs them\nThere is nothing to run.\n",
    });
    expect(await ids("--include-pending")).toEqual(all);
    expect(await ids(all[1]!.slice(0, 6))).toEqual([all[1]]);
    await twiceshy(["annotate"], { input: ["r", "c"] });
    const rejected = repros().find(({ status }) => status === "rejected")!.id;
    expect(await ids()).toEqual(
      repros()
        .filter(({ status }) => status === "confirmed")
        .map(({ id }) => id),
    );
    expect(await ids("--include-pending")).toEqual(all.filter((id) => id !== rejected));
    expect(await twiceshy(["run", "ffffffff"])).toMatchObject({ code: 2, stdout: "" });
  },
);

test(
  "the JSON of a run has verdicts, reasons, counts and the agent's version",
  { timeout: 60_000 },
  async () => {
    await captured(FIVE.slice(0, 3));
    const { code } = await twiceshy([
      "run",
      "--include-pending",
      "--json",
      "out/run.json",
      "--agent-version",
      "7.0.0",
    ]);
    expect(code).toBe(1);
    const result = JSON.parse(readFileSync(join(root, "out/run.json"), "utf8")) as RunResult;
    expect(result).toMatchObject({
      agentVersion: "7.0.0",
      counts: { still_fails: 3 },
      code: 1,
      broken: [],
    });
    for (const outcome of result.outcomes)
      expect(outcome).toMatchObject({
        verdict: "still_fails",
        red: true,
        reason: expect.any(String) as string,
      });
    const stats = await twiceshy(["stats"]);
    expect(stats.stdout).toMatch(/runs +1 +the latest: refund-desk 7\.0\.0, 0 of 3 pass/);
  },
);

test(
  "--baseline compares with another file, leaves the project's own alone, and keeps the entries of repros that did not run",
  { timeout: 60_000 },
  async () => {
    await captured(FIVE.slice(0, 3));
    const [first, second] = [idOf("grace"), idOf("linus")];
    write("accepted.json", JSON.stringify({ [first]: "passes", [second]: "still_fails" }));
    const run = await twiceshy(["run", "--include-pending", "--baseline", "accepted.json"]);
    expect(run.code).toBe(1);
    expect(run.stdout).toContain("3 still_fails, 1 regression");
    const accept = await twiceshy([
      "run",
      "--include-pending",
      "--baseline",
      "accepted.json",
      "--update-baseline",
      "--accept-regressions",
    ]);
    expect(accept.code).toBe(0);
    const written = JSON.parse(readFileSync(join(root, "accepted.json"), "utf8")) as {
      entries: Record<string, { verdict: string }>;
    };
    expect(Object.values(written.entries).map(({ verdict }) => verdict)).toEqual([
      "still_fails",
      "still_fails",
      "still_fails",
    ]);
    expect(() => baseline()).toThrow(/ENOENT/);
  },
);

test(
  "an agent that cannot be imported gives exit code 2 and says why, never a pass",
  { timeout: 60_000 },
  async () => {
    await captured(FIVE.slice(0, 3));
    write("agent.ts", "throw new Error('no key');\n");
    const broken = await twiceshy(["run", "--include-pending"]);
    expect(broken.code).toBe(2);
    expect(broken.stdout).toContain("no key");
  },
);

test(
  "a repro that changed since it was accepted needs a review: exit code 3, not a pass",
  { timeout: 60_000 },
  async () => {
    await captured(FIVE.slice(1, 2));
    agent("refundDeskV2");
    const path = join(root, "tests/failures/refund-desk.repros.json");
    await twiceshy(["run", "--include-pending", "--update-baseline"]);
    writeFileSync(
      path,
      readFileSync(path, "utf8").replace('"customer": "grace"', '"customer": "grace "'),
    );
    const { code, stdout } = await twiceshy(["run", "--include-pending"]);
    expect(code).toBe(3);
    expect(stdout).toMatch(/changed, needs review|unreplayable/);
  },
);

test(
  "minimise shrinks a repro with the configured agent, and the rest still fails in the runner",
  { timeout: 60_000 },
  async () => {
    await captured(FIVE.slice(0, 1));
    const [before] = repros();
    const asked = await twiceshy(["minimise", before!.id], { input: ["n"] });
    expect(asked.stderr).toMatch(/at most \d+ replays of the agent/);
    expect(repros()).toEqual([before]);
    const done = await twiceshy(["minimise", before!.id, "--yes", "--json"]);
    expect(done).toMatchObject({ code: 0 });
    expect(JSON.parse(done.stdout)).toMatchObject({
      repro: before!.id,
      removed: ["2 of 3 recorded calls"],
    });
    const [after] = repros();
    expect(after!.cassette.length).toBeLessThan(before!.cassette.length);
    expect((await twiceshy(["run", "--include-pending"])).stdout).toContain("1 still_fails");
  },
);
