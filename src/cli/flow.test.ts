import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { record } from "../agent/record.ts";
import type { Agent } from "../agent/agent.ts";
import { readFolder } from "../repro/folder.ts";
import type { Repro, ReprosFile } from "../repro/repro.ts";
import { runCommand, type CommandOptions, type Said } from "../testing/command-line.ts";
import { ROOT } from "../testing/imports.ts";
import { refundDeskV1, refundTools } from "../testing/refund-desk.ts";
import type { Trace } from "../trace/trace.ts";

const DATA = join(ROOT, "../shared/data");

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "twiceshy-flow-"));
  writeFileSync(
    join(root, "package.json"),
    '{ "name": "project", "type": "module", "version": "1.0.0" }\n',
  );
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function twiceshy(argv: readonly string[], options?: CommandOptions): Promise<Said> {
  return runCommand(root, argv, options);
}

function captured(customer: string, agent: Agent = refundDeskV1): Promise<Trace> {
  return record(
    agent,
    { customer },
    { tools: refundTools(), agent: "refund-desk", agentVersion: "1", maxToolCalls: 8 },
  );
}

/** A line of text for each trace, as a user keeps them. */
async function capture(name: string, runs: readonly (readonly [string, Agent])[]): Promise<void> {
  const lines: string[] = [];
  for (const [customer, agent] of runs) lines.push(JSON.stringify(await captured(customer, agent)));
  mkdirSync(join(root, ".twiceshy/traces"), { recursive: true });
  writeFileSync(join(root, ".twiceshy/traces", name), lines.map((line) => `${line}\n`).join(""));
}

const V1 = ["ada", "ada", "Grace", "grace", "linus"].map(
  (customer) => [customer, refundDeskV1] as const,
);
function onlyFile(): { path: string; file: ReprosFile } {
  const [first] = readFolder(join(root, "tests/failures"));
  return first!;
}

async function project(): Promise<void> {
  writeFileSync(
    join(root, "twiceshy.config.json"),
    '{ "agents": { "refund-desk": "./agent.ts#run" } }',
  );
  writeFileSync(join(root, "agent.ts"), "export const run = () => 'Done.';\n");
  await capture("v1.jsonl", V1);
  expect((await twiceshy(["process"])).code).toBe(0);
}

test("process makes repros, clusters and a spec of the failing traces, and a second time writes nothing", async () => {
  writeFileSync(
    join(root, "twiceshy.config.json"),
    '{ "agents": { "refund-desk": "./agent.ts#run" } }',
  );
  writeFileSync(join(root, "agent.ts"), "export const run = () => 'Done.';\n");
  await capture("v1.jsonl", V1);
  const first = await twiceshy(["process"]);
  expect(first).toMatchObject({ code: 0, stderr: "" });
  expect(first.stdout).toMatchInlineSnapshot(`
    "traces    5
    failing   3
    repros    3  3 pending
    clusters  3
    wrote    tests/failures/refund-desk.repros.json
    wrote    tests/failures/refund-desk.agent.spec.ts
    "
  `);
  const before = readdirSync(join(root, "tests/failures")).map((name) =>
    readFileSync(join(root, "tests/failures", name), "utf8"),
  );
  const second = await twiceshy(["process"]);
  expect(second.stdout).not.toContain("wrote");
  expect(
    readdirSync(join(root, "tests/failures")).map((name) =>
      readFileSync(join(root, "tests/failures", name), "utf8"),
    ),
  ).toEqual(before);
});

test("the steps one by one give the same files as process", async () => {
  await project();
  const { path } = onlyFile();
  const whole = readFileSync(path, "utf8");
  rmSync(join(root, "tests"), { recursive: true });
  rmSync(join(root, ".twiceshy/twiceshy.db"));
  const ingested = await twiceshy(["ingest", ".twiceshy/traces"]);
  expect(ingested.stdout).toContain("5 traces read (5 twiceshy): 5 new, 0 known");
  const detected = await twiceshy(["detect"]);
  expect(detected.stdout).toContain("5 traces looked at, 3 failing");
  expect((await twiceshy(["detect"])).stdout).toContain("0 traces looked at");
  expect((await twiceshy(["detect", "--all", "--json"])).stdout).toContain('"failing": 3');
  expect((await twiceshy(["convert"])).code).toBe(0);
  expect(readFileSync(path, "utf8")).toBe(whole);
  const clusters = JSON.parse((await twiceshy(["cluster", "--json"])).stdout) as {
    repros: unknown[];
  }[];
  expect(clusters.map(({ repros }) => repros.length)).toEqual([1, 1, 1]);
});

test("reading a file a second time adds no trace", async () => {
  await capture("v1.jsonl", V1);
  await twiceshy(["ingest", ".twiceshy/traces/v1.jsonl"]);
  expect((await twiceshy(["ingest", ".twiceshy/traces/v1.jsonl"])).stdout).toContain(
    "0 new, 5 known",
  );
});

test("one broken line of ten is named with its number, nine traces are kept, and only --strict makes the exit code 3", async () => {
  await capture("v1.jsonl", [...V1, ...V1].slice(0, 9));
  const path = join(root, ".twiceshy/traces/v1.jsonl");
  const lines = readFileSync(path, "utf8").split("\n");
  writeFileSync(path, lines.toSpliced(6, 0, '{"schemaVersion": "twiceshy.tra').join("\n"));
  const loose = await twiceshy(["ingest", path]);
  expect(loose.code).toBe(0);
  expect(loose.stdout).toContain("9 traces read");
  expect(loose.stderr).toMatch(/broken .*v1\.jsonl:7: .*\[E_/);
  expect((await twiceshy(["ingest", path, "--strict"])).code).toBe(3);
  expect((await twiceshy(["process", path, "--strict"])).code).toBe(3);
});

test("a missing file, an empty one and a folder without traces are named at once with exit code 2", async () => {
  writeFileSync(join(root, "empty.jsonl"), "");
  mkdirSync(join(root, "nothing"));
  for (const path of ["missing.jsonl", "empty.jsonl", "nothing"]) {
    const { code, stderr } = await twiceshy(["ingest", path]);
    expect({ path, code }).toEqual({ path, code: 2 });
    expect(stderr).toMatch(new RegExp(`broken .*${path}`));
  }
});

test.skipIf(process.platform === "win32")(
  "a device is refused at once with exit code 2",
  async () => {
    const { code, stderr } = await twiceshy(["ingest", "/dev/zero"]);
    expect(code).toBe(2);
    expect(stderr).toContain("it is a device");
  },
);

test.skipIf(process.platform === "win32")(
  "a trace file that is a link is followed with a notice",
  async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), "twiceshy-linked-"));
    try {
      writeFileSync(join(elsewhere, "real.jsonl"), `${JSON.stringify(await captured("grace"))}\n`);
      symlinkSync(join(elsewhere, "real.jsonl"), join(root, "link.jsonl"));
      const { code, stdout, stderr } = await twiceshy(["ingest", "link.jsonl"]);
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: expect.stringMatching(/odd .*link\.jsonl.* is a link/) as string,
      });
      expect(stdout).toContain("1 trace read");
    } finally {
      rmSync(elsewhere, { recursive: true, force: true });
    }
  },
);

test("specs that cannot be written make the exit code 2, in one go and step by step", async () => {
  await capture("v1.jsonl", V1);
  writeFileSync(join(root, "tests"), "a file, no folder");
  const run = await twiceshy(["process"]);
  expect(run.code).toBe(2);
  expect(run.stderr).toContain("[E_FILE_KIND]");
  expect((await twiceshy(["convert"])).code).toBe(2);
});

test("an unknown format is an error that names those that are known", async () => {
  const { code, stderr } = await twiceshy(["ingest", ".", "--format", "antropic"]);
  expect(code).toBe(2);
  expect(stderr).toContain('Did you mean "anthropic"?');
});

test.skipIf(process.platform === "win32" || process.getuid?.() !== 0)(
  "a store that cannot be written is one clear error with exit code 2",
  async () => {
    await capture("v1.jsonl", V1);
    chmodSync(root, 0o755);
    process.seteuid?.(65_534);
    try {
      const { code, stderr } = await twiceshy(["ingest", join(DATA, "tau-bench")]);
      expect(code).toBe(2);
      expect(stderr).toContain("[E_STORE_READONLY]");
      expect(stderr.trim().split("\n")).toHaveLength(1);
    } finally {
      process.seteuid?.(0);
    }
  },
);

test(
  "a store that another process writes for 30 s gives one clear error after 10 s",
  { timeout: 60_000 },
  async () => {
    await capture("v1.jsonl", V1);
    await twiceshy(["ingest", ".twiceshy/traces"]);
    // What is known already is not written, and waits for nobody.
    await capture("v2.jsonl", V1);
    const other = new Database(join(root, ".twiceshy/twiceshy.db"));
    other.exec("BEGIN IMMEDIATE");
    const start = performance.now();
    const { code, stderr } = await twiceshy(["ingest", ".twiceshy/traces"]);
    other.close();
    expect(code).toBe(2);
    expect(stderr).toMatch(/another process has been writing for 10 s.*\[E_STORE_LOCKED\]/);
    expect(performance.now() - start).toBeLessThan(15_000);
  },
);

test.each([
  ["a text file", (path: string) => writeFileSync(path, "no database")],
  [
    "one with a zeroed page",
    (path: string) => writeFileSync(path, readFileSync(path).fill(0, 0, 4096)),
  ],
])(
  "a store that is %s is never an empty one: exit code 2, the file is kept, the error says what to do",
  async (_, damage) => {
    await capture("v1.jsonl", V1);
    await twiceshy(["ingest", ".twiceshy/traces"]);
    const path = join(root, ".twiceshy/twiceshy.db");
    damage(path);
    const before = readFileSync(path);
    for (const argv of [["stats"], ["ingest", ".twiceshy/traces"], ["process"]]) {
      const { code, stderr } = await twiceshy(argv);
      expect({ argv, code }).toEqual({ argv, code: 2 });
      expect(stderr).toMatch(/Move it .* aside and run "twiceshy ingest".*\[E_STORE_DAMAGED\]/);
    }
    expect(readFileSync(path).equals(before)).toBe(true);
  },
);

test("a flipped byte in the store is found: that trace is named, the others count, exit code 3", async () => {
  await capture("v1.jsonl", V1);
  await twiceshy(["ingest", ".twiceshy/traces"]);
  const db = new Database(join(root, ".twiceshy/twiceshy.db"));
  db.exec("UPDATE traces SET body = replace(body, 'linus', 'minus') WHERE body LIKE '%linus%'");
  db.close();
  rmSync(join(root, ".twiceshy/traces"), { recursive: true });
  const { code, stderr, stdout } = await twiceshy(["detect"]);
  expect(code).toBe(3);
  expect(stderr).toMatch(/^damaged {2}tr_.*SHA-256 differs/);
  expect(stdout).toContain("4 traces looked at, 2 failing");
});

test("a store or a repros file of a newer version is refused with both versions named and nothing written", async () => {
  await project();
  const db = new Database(join(root, ".twiceshy/twiceshy.db"));
  db.pragma("user_version = 99");
  db.close();
  const store = readFileSync(join(root, ".twiceshy/twiceshy.db"));
  const newer = await twiceshy(["stats"]);
  expect(newer.code).toBe(2);
  expect(newer.stderr).toMatch(
    /it has version 99, and this twiceshy knows versions up to 2\. Nothing was written\./,
  );
  expect(readFileSync(join(root, ".twiceshy/twiceshy.db")).equals(store)).toBe(true);
  rmSync(join(root, ".twiceshy/twiceshy.db"));
  const { path } = onlyFile();
  const text = readFileSync(path, "utf8").replace('"formatVersion": 1', '"formatVersion": 99');
  writeFileSync(path, text);
  for (const argv of [["annotate"], ["export", "out.jsonl"], ["run"], ["convert"]]) {
    const { code, stderr } = await twiceshy(argv);
    expect({ argv, code }).toEqual({ argv, code: 2 });
    expect(stderr).toMatch(
      /formatVersion is 99, this package reads version 1.*\[E_REPROS_VERSION\]/,
    );
  }
  expect(readFileSync(path, "utf8")).toBe(text);
  expect(existsSync(join(root, "out.jsonl"))).toBe(false);
});

test("export writes confirmed repros by default, pending or all on demand, one a cluster with --dedup", async () => {
  await project();
  expect((await twiceshy(["export", "out.jsonl"])).stderr).toContain("0 repros written");
  await twiceshy(["annotate"], { input: ["c", "s", "r"] });
  const count = async (...options: string[]): Promise<number> => {
    await twiceshy(["export", "out.jsonl", ...options]);
    return readFileSync(join(root, "out.jsonl"), "utf8")
      .split("\n")
      .filter((line) => line !== "").length;
  };
  expect([
    await count(),
    await count("--status", "pending"),
    await count("--status", "all"),
  ]).toEqual([1, 1, 3]);
  const { path, file } = onlyFile();
  const [home] = Object.keys(file.clusters);
  const merged = file.repros.map((repro) => ({ ...repro, cluster: home, status: "confirmed" }));
  writeFileSync(path, JSON.stringify({ ...file, repros: merged }));
  expect(await count("--dedup")).toBe(1);
  const { repro } = JSON.parse(readFileSync(join(root, "out.jsonl"), "utf8")) as { repro: Repro };
  expect(repro.id).toBe(file.clusters[home!]?.representative);
  expect((await twiceshy(["export", "-"])).stdout.split("\n")).toHaveLength(4);
});

test.skipIf(process.platform === "win32")(
  "an output file that is a link is refused and what it points to stays as it was",
  async () => {
    await project();
    writeFileSync(join(root, "victim.txt"), "mine");
    symlinkSync(join(root, "victim.txt"), join(root, "out.jsonl"));
    const { code, stderr } = await twiceshy(["export", "out.jsonl", "--status", "all"]);
    expect(code).toBe(2);
    expect(stderr).toContain("[E_FILE_SYMLINK]");
    expect(readFileSync(join(root, "victim.txt"), "utf8")).toBe("mine");
  },
);

test("run in a project without Vitest is an error that says what to install", async () => {
  await project();
  const { code, stderr } = await twiceshy(["run", "--include-pending"]);
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /Vitest is not installed there\. Run "npm install --save-dev vitest"\. \[E_RUNNER_MISSING\]/,
  );
});

test("long work shows its progress on a terminal only, and takes the line away at the end", async () => {
  await capture("v1.jsonl", V1);
  const line = readFileSync(join(root, ".twiceshy/traces/v1.jsonl"), "utf8");
  writeFileSync(join(root, "many.jsonl"), line.repeat(400));
  const watched = await twiceshy(["ingest", "many.jsonl"], { tty: true });
  expect(watched.stderr).toContain("\r\u001B[2Kreading record ");
  expect(watched.stderr.endsWith("\r\u001B[2K")).toBe(true);
  expect((await twiceshy(["ingest", "many.jsonl"])).stderr).toBe("");
});

test.skipIf(!existsSync(DATA))(
  "process reads every OpenAI-style record of the samples, or names file, record and reason",
  { timeout: 60_000 },
  async () => {
    const { code, stdout, stderr } = await twiceshy([
      "process",
      join(DATA, "openai-chat"),
      join(DATA, "tau-bench"),
      "--json",
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const result = JSON.parse(stdout) as {
      read: { traces: number; broken: unknown[] }[];
      counts: { traces: number; failing: number; repros: number };
    };
    expect(result.read[0]?.broken).toEqual([]);
    expect(result.counts.traces).toBe(result.read[0]?.traces);
    expect(result.counts.traces).toBeGreaterThanOrEqual(8);
    expect(result.counts.repros).toBeGreaterThanOrEqual(4);
  },
);
