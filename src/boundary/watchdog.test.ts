import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "../testing/imports.ts";

/** Runs the agents that it is given by name, one trial after the other, as a runner does. */
const PROGRAM = `
import { readFile } from "node:fs/promises";
import { inspect } from "node:util";
import { isMainThread, Worker } from "node:worker_threads";
import { openContainment } from "SRC/boundary/contain.ts";
import { VirtualClock } from "SRC/boundary/virtual-time.ts";

const boundary = { call: () => ({ ok: true, data: null }), nextId: () => "call_1" };
const loop = () => { for (;;); };
const agents = {
  synchronous: () => loop(),
  "after an await": async () => { await null; loop(); },
  "after a file": async () => { await readFile(process.execPath.slice(0, 1) + "etc/hostname").catch(() => 0); loop(); },
  "after a timer": async () => { await new Promise((resolve) => setTimeout(resolve, 40_000)); loop(); },
  "in a timer": () => new Promise(() => setTimeout(loop, 10)),
  "in an immediate": () => new Promise(() => setImmediate(loop)),
  "in a tick": () => new Promise(() => process.nextTick(loop)),
  "in a tool": async () => { const tool = { execute: () => { loop(); } }; await Promise.resolve(); return tool.execute(); },
  "of promises": async () => { for (;;) await null; },
  "that catches": async () => { await null; for (;;) { try { loop(); } catch {} } },
  fine: async () => { await new Promise((resolve) => setTimeout(resolve, 40_000)); return "fine"; },
  "long but finite": () => { const end = process.hrtime.bigint() + 150_000_000n; while (process.hrtime.bigint() < end); return "worked"; },
  garbage: async () => { const kept = []; for (let n = 0; n < 30; n++) { kept.push(Array.from({ length: 50_000 }, (_, k) => ({ k }))); globalThis.gc(); await new Promise((r) => setImmediate(r)); } return "collected"; },
};

async function trial(name) {
  const clock = new VirtualClock({ startMs: 0, budgetMs: 86_400_000 });
  let end;
  const ended = new Promise((resolve) => (end = resolve));
  let settled = false;
  const contained = openContainment({ clock, ms: 200, onBlocked: (error) => end(error.code), onUncaught: (error) => end(inspect(error)) });
  contained.run(boundary, agents[name]).then((value) => { settled = true; end(value); }, (error) => { settled = true; end(inspect(error)); });
  const patience = setTimeout(() => end("never ended"), 20_000);
  const ending = await ended;
  clearTimeout(patience);
  contained.leave();
  clock.close();
  await new Promise((resolve) => setTimeout(resolve, 20));
  process.stdout.write(JSON.stringify([name, contained.watchdog ?? ending, settled, Math.abs(Date.now() - performance.timeOrigin) < 600_000]) + "\\n");
}

if (isMainThread && process.argv[2] === "worker") new Worker(process.argv[1], { argv: process.argv.slice(3) });
else if (process.argv[2] === "together") await Promise.all(process.argv.slice(3).map((name) => trial(name)));
else for (const name of process.argv.slice(2)) await trial(name);
`;

let folder = "";
let program = "";

beforeAll(async () => {
  folder = mkdtempSync(join(ROOT, ".tmp-watchdog-"));
  mkdirSync(join(folder, "src"));
  const entry = join(folder, "src/program.ts");
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

/** What the program printed, line by line, when it has ended by itself. */
function ran(args: readonly string[], flags: readonly string[] = []): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    const { NODE_OPTIONS: _, ...env } = process.env;
    const command = [...flags, program, ...args];
    execFile(process.execPath, command, { env, timeout: 60_000 }, (error, stdout, stderr) => {
      if (error !== null) reject(new Error(`${error.message}\n${stdout}\n${stderr}`));
      // Under a debugger Node says so itself.
      else if (stderr !== "" && flags.every((flag) => !flag.startsWith("--inspect")))
        reject(new Error(`this was printed to the terminal:\n${stderr}`));
      else
        resolve(
          stdout
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line) as unknown),
        );
    });
  });
}

const LOOPS = [
  "synchronous",
  "after an await",
  "after a file",
  "after a timer",
  "in a timer",
  "in an immediate",
  "in a tick",
  "in a tool",
  "that catches",
];

test("an endless loop anywhere in an agent is ended and named, it never settles, the next trial is fine, and the process ends by itself", async () => {
  const names = LOOPS.flatMap((name) => [name, "fine"]);
  expect(await ran(names)).toEqual(
    names.map((name) =>
      name === "fine" ? [name, "fine", true, true] : [name, "E_AGENT_BLOCKED", false, true],
    ),
  );
}, 60_000);

test("trials that loop at the same time are ended one after the other, and those that do not are fine", async () => {
  const names = ["fine", "in an immediate", "synchronous", "in an immediate", "after an await"];
  const together = [...names, "in a timer", "after a timer", "fine", "in a tick", "fine"];
  const results = await ran(["together", ...together]);
  expect(results.map((result) => JSON.stringify(result)).sort()).toEqual(
    together
      .map((name) =>
        JSON.stringify(
          name === "fine" ? [name, "fine", true, true] : [name, "E_AGENT_BLOCKED", false, true],
        ),
      )
      .sort(),
  );
}, 60_000);

test("an endless loop of promises is ended, too", async () => {
  expect(await ran(["of promises", "fine"])).toEqual([
    ["of promises", "E_AGENT_BLOCKED", false, true],
    ["fine", "fine", true, true],
  ]);
}, 60_000);

test("work that is long but ends, and the collection of garbage, are not taken for loops", async () => {
  expect(await ran(["long but finite", "garbage"], ["--expose-gc"])).toEqual([
    ["long but finite", "worked", true, true],
    ["garbage", "collected", true, true],
  ]);
}, 60_000);

test("under a debugger nothing is ended", async () => {
  expect(await ran(["fine", "long but finite"], ["--inspect=127.0.0.1:0"])).toEqual([
    ["fine", "fine", true, true],
    ["long but finite", "worked", true, true],
  ]);
}, 60_000);

test("in a worker thread there is no watchdog, and that is said", async () => {
  expect(await ran(["worker", "fine"])).toEqual([["fine", "unavailable", true, true]]);
}, 60_000);
