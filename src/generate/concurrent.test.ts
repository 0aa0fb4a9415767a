import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readRepros } from "../repro/file.ts";
import { ROOT } from "../testing/imports.ts";
import { projectOf, type Project } from "../testing/project.ts";
import { call, failed, traceOf } from "../testing/traces.ts";
import { generate } from "./generate.ts";
import { isUntouched } from "./spec.ts";

const REPROS = "tests/failures/support-bot.repros.json";
const SPEC = "tests/failures/support-bot.agent.spec.ts";

/** A program that captures runs into a file of its own and generates after each. */
const PROGRAM = `
import { appendFileSync } from "node:fs";
import { generate } from "SRC/generate/generate.ts";
import { resolveConfig } from "SRC/config/load.ts";
const [root, name, rounds] = process.argv.slice(2);
const config = resolveConfig(root, { agent: "./src/agent.ts#run" });
for (let i = 0; i < Number(rounds); i++) {
  const trace = JSON.parse(process.env.TRACE);
  const id = name + "-" + i;
  appendFileSync(root + "/.twiceshy/traces/" + name + ".jsonl", JSON.stringify({ ...trace, id, taskId: id, task: "refund " + id }) + "\\n");
  const { problems } = generate(config);
  for (const { severity, message } of problems) if (severity === "error") throw new Error(message);
  process.stdout.write("done\\n");
}
`;

const TRACE = traceOf([call("get", {}), failed("refund", {}, "card closed")], {
  agent: "support-bot",
  output: "Refunded successfully.",
});

let folder = "";
let program = "";

beforeAll(async () => {
  folder = mkdtempSync(join(ROOT, ".tmp-concurrent-"));
  mkdirSync(join(folder, "src"));
  const entry = join(folder, "src/program.ts");
  const { writeFileSync } = await import("node:fs");
  writeFileSync(entry, PROGRAM.replaceAll("SRC", join(ROOT, "src").replaceAll("\\", "/")));
  await build({
    root: folder,
    configFile: false,
    logLevel: "silent",
    build: {
      ssr: entry,
      outDir: join(folder, "out"),
      rollupOptions: { output: { entryFileNames: "program.mjs" } },
    },
  });
  program = join(folder, "out/program.mjs");
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(project: Project, name: string, rounds: number): ChildProcess {
  return spawn(process.execPath, [program, project.root, name, String(rounds)], {
    env: { ...process.env, CI: "", TRACE: JSON.stringify(TRACE) },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once("close", resolve));
}

test(
  "four processes that capture and generate at once lose no repro",
  { timeout: 180_000 },
  async () => {
    const project = projectOf({ ".twiceshy/traces/.keep": "" });
    const children = ["a", "b", "c", "d"].map((name) => start(project, name, 5));
    expect(await Promise.all(children.map((child) => ended(child)))).toEqual([0, 0, 0, 0]);
    expect(readRepros(join(project.root, REPROS)).repros).toHaveLength(20);
    generate(project.config);
    expect(generate(project.config)).toMatchObject({ written: [], problems: [] });
    expect(project.read(SPEC).match(/ {2}test\(/g)).toHaveLength(20);
    expect(readdirSync(join(project.root, "tests/failures")).sort()).toEqual([
      "support-bot.agent.spec.ts",
      "support-bot.repros.json",
    ]);
  },
);

test(
  "a process killed at any moment leaves whole files and blocks nobody",
  { timeout: 180_000 },
  async () => {
    const project = projectOf({ ".twiceshy/traces/.keep": "" });
    for (let round = 0; round < 8; round++) {
      const child = start(project, `k${String(round)}`, 1000);
      await new Promise((resolve) => child.stdout?.once("data", resolve));
      await new Promise((resolve) => setTimeout(resolve, (round * 37) % 120));
      child.kill("SIGKILL");
      await ended(child);
      expect(readRepros(join(project.root, REPROS)).repros.length).toBeGreaterThan(round);
      expect(isUntouched(project.read(SPEC))).toBe(true);
    }
    const before = performance.now();
    const { problems } = generate(project.config);
    expect(performance.now() - before).toBeLessThan(15_000);
    expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
    const { repros } = readRepros(join(project.root, REPROS));
    for (const { id } of repros) expect(project.read(SPEC)).toContain(`[${id}]`);
  },
);
