import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { record } from "../agent/record.ts";
import { readFolder } from "../repro/folder.ts";
import type { Repro } from "../repro/repro.ts";
import { runCommand, type Said } from "../testing/command-line.ts";
import { refundDeskV1, refundTools } from "../testing/refund-desk.ts";

let root: string;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "twiceshy-annotate-"));
  mkdirSync(join(root, ".twiceshy/traces"), { recursive: true });
  writeFileSync(join(root, "twiceshy.config.json"), '{ "agent": "./agent.ts#run" }');
  writeFileSync(join(root, "agent.ts"), "export const run = () => 'Done.';\n");
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

async function failing(...customers: string[]): Promise<void> {
  const lines: string[] = [];
  for (const customer of customers) {
    const trace = await record(
      refundDeskV1,
      { customer },
      { tools: refundTools(), agent: "desk", maxToolCalls: 8 },
    );
    lines.push(`${JSON.stringify(trace)}\n`);
  }
  writeFileSync(join(root, ".twiceshy/traces/runs.jsonl"), lines.join(""));
  expect((await runCommand(root, ["process"])).code).toBe(0);
}

function type(...input: string[]): Promise<Said> {
  return runCommand(root, ["annotate"], { input });
}

function repros(): Repro[] {
  return readFolder(join(root, "tests/failures")).flatMap(({ file }) => file.repros);
}

function statuses(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of repros()) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

test("the keys e, c, r and s decide on three repros: one confirmed with the person's answer, one rejected, one skipped", async () => {
  await failing("Grace", "grace", "linus");
  const { code, stdout } = await type("e", "=No orders for that customer.", "c", "r", "s");
  expect(code).toBe(0);
  expect(stdout).toContain("1 confirmed, 1 rejected, 1 skipped; 1 pending repro left");
  const confirmed = repros().find(({ status }) => status === "confirmed");
  expect(confirmed?.origin).toBe("human");
  expect(confirmed?.checks).toContainEqual({
    type: "output_equals",
    value: "No orders for that customer.",
  });
});

test("an edit is saved at once, also when the repro is skipped or the session quit", async () => {
  await failing("grace");
  await type("e", "closed", "q");
  expect(repros()[0]?.checks).toContainEqual({ type: "output_contains", value: "closed" });
  await type("a", '{"type":"tool_called","name":"get_order"}', "s");
  expect(repros()[0]?.checks).toContainEqual({ type: "tool_called", name: "get_order" });
  expect(repros()[0]?.status).toBe("pending");
});

test("the end of the input is a quit, at every question", async () => {
  await failing("grace");
  for (const input of [[], ["e"], ["a"], ["x"], ["s"]]) {
    const { code, stdout, stderr } = await type(...input);
    expect({ input, code, stderr }).toEqual({ input, code: 0, stderr: "" });
    expect(stdout).toContain("1 pending repro left");
  }
});

test("a wrong answer is told and asked again, and nothing is saved", async () => {
  await failing("grace");
  const before = repros();
  const { stdout } = await type("e", "re:(", "a", '{"type":"equalz"}', "nonsense", "q");
  expect(stdout.match(/Failed to read the check/g)).toHaveLength(2);
  expect(stdout.match(/c {2}confirm/g)).toHaveLength(1);
  expect(repros()).toEqual(before);
});

test("x decides for the whole cluster and takes the edits made to the shown repro along", async () => {
  await failing("Grace", "Ada", "Linus", "grace");
  expect(repros()).toHaveLength(4);
  const { stdout } = await type("e", "no order", "x", "c", "q");
  expect(stdout).toContain("c or r for 3 pending repros of this cluster>");
  expect(statuses()).toEqual({ confirmed: 3, pending: 1 });
  for (const { checks } of repros().filter(({ status }) => status === "confirmed")) {
    expect(checks).toContainEqual({ type: "output_contains", value: "no order" });
  }
});

test("u takes back the last answer: a decision, a whole cluster, an edit, a skip", async () => {
  await failing("Grace", "Ada", "Linus", "grace");
  const path = readFolder(join(root, "tests/failures"))[0]!.path;
  const before = readFileSync(path, "utf8");
  const { stdout } = await type("c", "u", "x", "r", "u", "e", "no order", "u", "s", "u", "u", "q");
  expect(stdout).toContain("there is nothing to undo");
  expect(stdout).toContain("0 confirmed, 0 rejected, 0 skipped; 4 pending repros left");
  expect(readFileSync(path, "utf8")).toBe(before);
});

test("--limit counts decisions only, not what was skipped or decided before", async () => {
  await failing("Grace", "grace", "linus");
  await type("r", "q");
  const { stdout } = await runCommand(root, ["annotate", "--limit", "1"], {
    input: ["s", "c", "c"],
  });
  expect(stdout).toContain("1 confirmed, 0 rejected, 1 skipped");
  expect(statuses()).toEqual({ confirmed: 1, pending: 1, rejected: 1 });
});

test("a confirmed repro is not changed by generating again, a rejected one makes no test", async () => {
  await failing("grace", "linus");
  await type("e", "closed", "c", "r");
  const before = repros();
  await runCommand(root, ["process"]);
  expect(repros()).toEqual(before);
  const spec = readFileSync(join(root, "tests/failures/desk.agent.spec.ts"), "utf8");
  const rejected = before.find(({ status }) => status === "rejected");
  expect(spec).not.toContain(rejected?.id);
});

test("text of a trace is shown without control characters and never as a command of the CI", async () => {
  await failing("grace");
  const { path, file } = readFolder(join(root, "tests/failures"))[0]!;
  const evil = "\u001B[2J\u009B1m\n::error::x\u202E";
  const repro = {
    ...file.repros[0]!,
    task: evil,
    failures: [{ ...file.repros[0]!.failures[0]!, message: evil }],
  };
  writeFileSync(path, JSON.stringify({ ...file, repros: [repro] }));
  const { stdout } = await type("q");
  // oxlint-disable-next-line no-control-regex -- that is what is looked for
  expect(stdout.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u202E]/);
  expect(stdout).not.toMatch(/^\s*::/m);
});

test("a repros file with a merge conflict is an error that names the line, and nothing is written", async () => {
  await failing("grace");
  const { path } = readFolder(join(root, "tests/failures"))[0]!;
  const text = readFileSync(path, "utf8").replace('\n  "repros"', '\n<<<<<<< HEAD\n  "repros"');
  writeFileSync(path, text);
  const { code, stderr } = await type("c");
  expect(code).toBe(2);
  expect(stderr).toMatch(/line \d+ is a merge-conflict marker/);
  expect(readFileSync(path, "utf8")).toBe(text);
});
