import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runCommand, type Said } from "../testing/command-line.ts";
import { zipOf } from "../testing/zip-files.ts";

const COMMANDS = ["ingest", "process", "detect"] as const;
const ON_WINDOWS = process.platform === "win32";
const MEGABYTE = 1024 * 1024;

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "twiceshy-bad-"));
  writeFileSync(join(root, "package.json"), '{ "name": "project", "type": "module" }\n');
  mkdirSync(join(root, "runs"));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

const talk = (text: string) => ({
  messages: [
    { role: "user", content: text },
    { role: "assistant", content: "Hello." },
  ],
});
const line = (text: string) => `${JSON.stringify(talk(text))}\n`;
const sample = { name: "samples/1_epoch_1.json", bytes: JSON.stringify({ id: 1, ...talk("hi") }) };

function write(name: string, content: string | Uint8Array): void {
  writeFileSync(join(root, "runs", name), content);
}

function twiceshy(...argv: string[]): Promise<Said> {
  return runCommand(root, argv);
}

/** Traces that a command says it has read, from what it prints for a person. */
function tracesIn({ stdout }: Said): number {
  const [, read, looked, processed] =
    /^(\d+) traces? read|^(\d+) traces? looked at|^traces +(\d+)/m.exec(stdout) ?? [];
  return Number(read ?? looked ?? processed);
}

/** Runs a command on the folder, and again asking to hear of what is missing. */
async function both(command: string): Promise<{ loose: Said; strict: Said }> {
  return {
    loose: await twiceshy(command, "runs"),
    strict: await twiceshy(command, "runs", "--strict"),
  };
}

test.skipIf(ON_WINDOWS).each(COMMANDS)(
  "%s names and counts a pickle, a pipe, links in a circle and an empty file in a folder, and reads the rest",
  async (command) => {
    write("a.pkl", Buffer.from("8004950b", "hex"));
    execFileSync("mkfifo", [join(root, "runs/pipe.jsonl")]);
    symlinkSync("two.jsonl", join(root, "runs/one.jsonl"));
    symlinkSync("one.jsonl", join(root, "runs/two.jsonl"));
    symlinkSync(".", join(root, "runs/round"));
    write("empty.jsonl", "");
    for (const good of [0, 1]) {
      if (good === 1) write("good.jsonl", line("hi"));
      const { loose, strict } = await both(command);
      expect([loose.code, strict.code]).toEqual([0, 3]);
      expect(loose.stderr).toMatch(/skipped .*a\.pkl.*pickle, which is never opened/);
      expect(loose.stderr).toMatch(/broken .*pipe\.jsonl.*a named pipe/);
      expect(loose.stderr).toMatch(/broken .*one\.jsonl.*links lead in a circle/);
      expect(loose.stderr).toMatch(/broken .*two\.jsonl.*links lead in a circle/);
      expect(loose.stderr).toMatch(/skipped .*round.*link to another folder/);
      expect(loose.stderr).toMatch(/skipped .*empty\.jsonl.*the file is empty/);
      expect(loose.stdout + loose.stderr).toContain("3 records could not be read");
      expect(tracesIn(loose)).toBe(good);
    }
  },
);

test.each(COMMANDS)(
  "%s --strict does not call a folder whole of which a pickle or an empty file was left out",
  async (command) => {
    write("good.jsonl", line("hi"));
    expect((await both(command)).strict.code).toBe(0);
    write("a.pkl", Buffer.from("8004950b", "hex"));
    const { loose, strict } = await both(command);
    expect([loose.code, strict.code]).toEqual([0, 3]);
    expect((await twiceshy(command, "runs/a.pkl", "--strict")).code).toBe(3);
    rmSync(join(root, "runs/a.pkl"));
    write("empty.jsonl", "");
    expect((await both(command)).strict.code).toBe(3);
  },
);

test.each(COMMANDS)(
  "%s names a line that is too long by its number, and reads the lines around it",
  async (command) => {
    write("long.jsonl", line("a"));
    truncateSync(join(root, "runs/long.jsonl"), 40 * MEGABYTE);
    appendFileSync(join(root, "runs/long.jsonl"), `\n${line("b")}`);
    const { loose, strict } = await both(command);
    expect([loose.code, strict.code]).toEqual([0, 3]);
    expect(loose.stderr).toMatch(/broken .*long\.jsonl:2: .*longer than 32 MiB/);
    expect(tracesIn(loose)).toBe(2);
  },
);

interface Bad {
  readonly what: string;
  readonly bytes: string | Uint8Array;
  readonly reason: RegExp;
  readonly traces?: number;
}

test.each<Bad>([
  {
    what: "is no zip archive",
    bytes: "no archive",
    reason: /it is no zip archive, or its end is missing/,
  },
  {
    what: "is cut off",
    bytes: zipOf([sample]).subarray(0, 60),
    reason: /it is no zip archive, or its end is missing/,
  },
  { what: "is encrypted", bytes: zipOf([{ ...sample, flags: 1 }]), reason: /it is encrypted/ },
  {
    what: "unpacks to more than it says",
    bytes: zipOf([{ ...sample, size: 5 }]),
    reason: /more than the directory says/,
  },
  {
    what: "tries to leave its folder",
    bytes: zipOf([{ name: "../../evil.json", bytes: "{}" }, sample]),
    reason: /\.\.\/\.\.\/evil\.json.*its name leads out/,
    traces: 1,
  },
])(
  "an .eval that $what is named, skipped and counted, by its folder and alone",
  async ({ bytes, reason, traces = 0 }) => {
    write("log.eval", bytes);
    for (const command of COMMANDS) {
      for (const path of ["runs", "runs/log.eval"]) {
        const loose = await twiceshy(command, path);
        const strict = await twiceshy(command, path, "--strict");
        expect({ command, path, codes: [loose.code, strict.code] }).toEqual({
          command,
          path,
          codes: [0, 3],
        });
        expect(loose.stderr).toMatch(/broken .*log\.eval/);
        expect(loose.stderr).toMatch(reason);
        expect(tracesIn(loose)).toBe(traces);
        expect(loose.stdout + loose.stderr).toContain("1 record could not be read");
      }
    }
  },
);

test.each(["ingest", "process"])(
  "%s names a thousand records of a file that is mostly something else, and counts them all",
  async (command) => {
    write("log.jsonl", line("a") + '{"level":"info"}\n'.repeat(1500) + line("b"));
    const { code, stderr, stdout } = await twiceshy(command, "runs");
    expect(code).toBe(0);
    expect(stderr.match(/^broken /gm)).toHaveLength(1001);
    expect(stderr).toMatch(/broken .*log\.jsonl: 500 more records could not be read/);
    expect(stdout).toContain("1500 records could not be read");
    expect(stdout).toMatch(/^2 traces read|^traces +2/m);
  },
);

test("a path that is no trace file at all is invalid input, unless another one was read", async () => {
  write("notes.txt", "Dear diary,\n");
  write("good.jsonl", line("hi"));
  for (const command of COMMANDS) {
    expect((await twiceshy(command, "runs/notes.txt")).code).toBe(2);
    expect((await twiceshy(command, "runs/nothing.jsonl")).code).toBe(2);
    expect((await twiceshy(command, "runs/nothing.jsonl", "runs/good.jsonl")).code).toBe(0);
    expect(
      (await twiceshy(command, "runs/nothing.jsonl", "runs/good.jsonl", "--strict")).code,
    ).toBe(3);
  }
});

test("what could not be read is said again by a second process, which changes nothing", async () => {
  write("bad.jsonl", `${line("a")}{"messages": [\n${line("b")}`);
  const first = await twiceshy("process", "runs", "--strict");
  const second = await twiceshy("process", "runs", "--strict");
  expect(first.code).toBe(3);
  expect(first.stderr).toMatch(/broken .*bad\.jsonl:2: /);
  expect(second).toEqual(first);
});
