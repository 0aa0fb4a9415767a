import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { ensureBuilt } from "../../plugin-vitest/e2e/built.ts";
import { ROOT } from "../testing/imports.ts";
import { call, traceOf } from "../testing/traces.ts";
import { openStore } from "./store.ts";

let folder: string;

beforeAll(() => {
  ensureBuilt();
}, 180_000);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "twiceshy-processes-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a module in a process of its own and gives what it said. */
function run(code: string): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", code]);
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
    child.once("close", () => {
      resolve(said);
    });
  });
}

test(
  "processes that open a new store at once and write into it lose and mix no trace",
  { timeout: 60_000 },
  async () => {
    const path = join(folder, "store.db");
    const store = JSON.stringify(pathToFileURL(join(ROOT, "dist/src/store/store.js")).href);
    const trace = traceOf([call("a")], { output: "ok" });
    const writer = (name: string): string => `
    import { openStore } from ${store};
    const store = openStore(${JSON.stringify(path)});
    for (let i = 0; i < 10; i++) store.add({ ...${JSON.stringify(trace)}, id: "${name}-" + i });
    store.close();`;
    const names = ["p0", "p1", "p2", "p3", "p4", "p5"];
    expect(await Promise.all(names.map((name) => run(writer(name))))).toEqual(names.map(() => ""));
    const opened = openStore(path);
    expect([...opened.traces()].map(({ id }) => id)).toEqual(
      names.flatMap((name) => Array.from({ length: 10 }, (_, i) => `${name}-${i}`)),
    );
    opened.close();
  },
);

/** Node has a driver of its own from 22.13 on; `scripts/compat` tries the store with it. */
const HAS_DRIVER = isBuiltin("node:sqlite");

test.skipIf(HAS_DRIVER)(
  "without better-sqlite3 a store is an error that says what to do, and nothing is written",
  { timeout: 60_000 },
  async () => {
    expect(await openFarAway()).toMatch(/^E_STORE_DRIVER .*npm rebuild better-sqlite3.* false\n$/);
  },
);

test.skipIf(HAS_DRIVER)(
  "a better-sqlite3 whose install script did not run is the same error, in one line",
  { timeout: 60_000 },
  async () => {
    for (const name of ["better-sqlite3", "bindings", "file-uri-to-path"])
      cpSync(join(ROOT, "node_modules", name), join(folder, "node_modules", name), {
        recursive: true,
        filter: (path) => !/better-sqlite3.(?:build|deps)$/.test(path),
      });
    expect(await openFarAway()).toMatch(
      /^E_STORE_DRIVER .*\(it was never compiled here\)\. Run "npm rebuild better-sqlite3".* false\n$/,
    );
  },
);

/** Opens a store from a copy of the package that is far from any other node_modules; gives the error, and whether a file was made. */
function openFarAway(): Promise<string> {
  cpSync(join(ROOT, "dist/src"), join(folder, "src"), { recursive: true });
  cpSync(join(ROOT, "package.json"), join(folder, "package.json"));
  const store = JSON.stringify(pathToFileURL(join(folder, "src/store/store.js")).href);
  const path = JSON.stringify(join(folder, "made/store.db"));
  return run(`
    import { existsSync } from "node:fs";
    import { openStore } from ${store};
    try { openStore(${path}); } catch (error) { console.log(error.code, error.message, existsSync(${path})); }`);
}
