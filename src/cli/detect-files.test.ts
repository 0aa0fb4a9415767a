import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runCommand, type Said } from "../testing/command-line.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "twiceshy-detect-"));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const talk = (answer: string): object => ({
  messages: [
    { role: "user", content: "Say hello." },
    { role: "assistant", content: answer },
  ],
});
const run = (task: number, reward: number): object => ({
  task_id: task,
  reward,
  traj: talk("Hello.")["messages" as keyof object],
});

function write(name: string, content: unknown): string {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  writeFileSync(join(root, name), text);
  return join(root, name);
}
function detect(...argv: string[]): Promise<Said> {
  return runCommand(root, ["detect", ...argv]);
}
async function reports(...files: string[]): Promise<Record<string, unknown>[]> {
  const { stdout } = await detect(...files, "--json");
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("detect of files prints one line a record, and makes no store", async () => {
  const file = write("runs.jsonl", `${JSON.stringify(talk("Hello."))}\n{"broken\n`);
  const said = await detect(file, "--json");
  expect(said.code).toBe(0);
  expect(said.stderr).toContain("1 record could not be read");
  const [first, second] = await reports(file);
  expect(first).toEqual({
    file,
    record: 0,
    format: "openai",
    failing: false,
    failures: [],
    error: null,
  });
  expect(second).toMatchObject({ file, record: 1, failing: false, failures: [] });
  expect(second?.["error"]).toContain("runs.jsonl:2");
  expect(existsSync(join(root, ".twiceshy"))).toBe(false);
});

test("a record is named as its file names it: null, its place in a list, its line, or its member", async () => {
  const whole = write("whole.json", talk("Hello."));
  const listed = write("listed.json", [run(7, 1)]);
  const two = write("two.json", [run(7, 1), run(8, 0)]);
  const line = write("line.jsonl", `${JSON.stringify(talk("Hello."))}\n`);
  const turns = { turn_history: { actions: ["ls"], observations: ["a"], rewards: [1] } };
  const member = write("member.json", { a: { ...turns, query: "List." } });
  const found = await reports(whole, listed, two, line, member);
  expect(found.map(({ record }) => record)).toEqual([null, 0, 0, 1, 0, "a"]);
  expect(found.map(({ failing }) => failing)).toEqual([false, false, false, true, false, false]);
});

test("each failure says its kind, how sure it is, where and why", async () => {
  const file = write("low.json", [run(7, 0)]);
  const [report] = await reports(file);
  expect(report?.["failures"]).toEqual([
    {
      kind: "wrong_answer",
      severity: "high",
      step: 2,
      message: "The score reward is 0 of 1: not passed.",
      confidence: "high",
    },
  ]);
});

test("without json the failures of files are shown to a person", async () => {
  const { stdout, code } = await detect(write("low.json", [run(7, 0)]));
  expect(stdout).toContain("low.json, record 0\n  high   wrong_answer at step 2");
  expect(stdout).toContain("1 trace looked at, 1 failing");
  expect(code).toBe(0);
});

test("files that cannot be read at all are invalid input, some of them incomplete evidence when that is asked for", async () => {
  const bad = write("bad.json", "{");
  const good = write("good.json", talk("Hello."));
  expect((await detect(bad, "--json")).code).toBe(2);
  expect((await detect(bad, good, "--json")).code).toBe(0);
  expect((await detect(bad, good, "--json", "--strict")).code).toBe(3);
});
