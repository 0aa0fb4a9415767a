import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadAgent } from "./load.ts";

function project(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(path.join(tmpdir(), "twiceshy-load-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  return root;
}

const AGENT =
  "export const run = (task) => `did ${task}`; export const limit = 5; export default (task) => task;";

async function did(spec: string, root: string): Promise<unknown> {
  return ((await loadAgent(spec, root)) as (task: string) => unknown)("it");
}

test("file#export is the function that it names", async () => {
  const root = project({ "src/agent.mjs": AGENT });
  expect(await did("./src/agent.mjs#run", root)).toBe("did it");
  expect(await did("src/agent.mjs#default", root)).toBe("it");
  expect(await did(`${root}/src/agent.mjs#run`, "/")).toBe("did it");
});

/** Node's own import: the test runner's takes a URL for a path. */
const NATIVE = "module.exports = (url) => import(url)";

test("folders with #, % and spaces are only folders: the last # divides", async () => {
  const root = project({ "a #1 100%/b c.mjs": AGENT, "native.cjs": NATIVE });
  const importModule = createRequire(import.meta.url)(`${root}/native.cjs`);
  const load = (spec: string, from: string): Promise<unknown> =>
    loadAgent(spec, from, { importModule });
  const whole = await load("./a #1 100%/b c.mjs#run", root);
  expect((whole as (task: string) => string)("it")).toBe("did it");
  expect(await load("./b c.mjs#run", path.join(root, "a #1 100%"))).toBe(whole);
});

test("an ending may be left out, or be the compiled one's", async () => {
  const root = project({
    "agent.mjs": AGENT,
    "typed.ts": "export const run = (task: string) => `typed ${task}`;",
  });
  expect(await did("./agent#run", root)).toBe("did it");
  expect(await did("./typed.js#run", root)).toBe("typed it");
});

test("exports of a CommonJS module are found", async () => {
  const root = project({
    "agent.cjs": "exports.run = (task) => `did ${task}`; exports['other-name'] = 1;",
  });
  expect(await did("./agent.cjs#run", root)).toBe("did it");
});

test("a runner brings its own import", async () => {
  const root = project({ "agent.ts": "" });
  const urls: string[] = [];
  const importModule = async (url: string): Promise<unknown> => {
    urls.push(url);
    return { run: () => "by the runner" };
  };
  const agent = await loadAgent("./agent.ts#run", root, { importModule });
  expect((agent as () => unknown)()).toBe("by the runner");
  expect(urls[0]).toMatch(/^file:\/\/\/.*\/agent\.ts$/);
});

test("a missing file, export or divider is an error with its own code and what to do", async () => {
  const root = project({ "agent.mjs": AGENT, "none.mjs": "export const a = 1" });
  const message = async (spec: string): Promise<string> => {
    const error = await loadAgent(spec, root).then(
      () => undefined,
      (thrown: any) => thrown,
    );
    return `${error.code}: ${error.message.replaceAll(root, "<root>")}`;
  };
  expect(await message("./agent.mjs")).toMatchInlineSnapshot(
    `"E_AGENT_SPEC: Failed to load the agent "./agent.mjs": it does not name a file and an export. Write "file#export", as "./src/agent.ts#run"."`,
  );
  expect(await message("./nope.mjs#run")).toMatchInlineSnapshot(
    `"E_AGENT_MISSING: Failed to load the agent ./nope.mjs#run: there is no file <root>/nope.mjs. Give the path from the project's root, as ./src/agent.ts#run."`,
  );
  expect(await message("./agent.mjs#rum")).toMatchInlineSnapshot(
    `"E_AGENT_EXPORT: Failed to load the agent ./agent.mjs#rum: <root>/agent.mjs has no export rum. It exports the functions default, run: did you mean run?"`,
  );
  expect(await message("./agent.mjs#limit")).toMatchInlineSnapshot(
    `"E_AGENT_EXPORT: Failed to load the agent ./agent.mjs#limit: the export limit of <root>/agent.mjs is of type number, not a function. It exports the functions default, run."`,
  );
  expect(await message("./none.mjs#run")).toMatchInlineSnapshot(
    `"E_AGENT_EXPORT: Failed to load the agent ./none.mjs#run: <root>/none.mjs has no export run. Export the agent's function from that file; it exports none now."`,
  );
  for (const spec of ["", "#run", "a.mjs#", "a.mjs#a-b"])
    expect(await message(spec)).toMatch(/^E_AGENT_SPEC/);
  expect(await message(".#run")).toMatch(/^E_AGENT_MISSING/);
});

test("a module that fails to load is an error with its message and cause", async () => {
  const root = project({ "agent.mjs": "throw new RangeError('no key in the environment')" });
  await expect(loadAgent("./agent.mjs#run", root)).rejects.toMatchObject({
    code: "E_AGENT_IMPORT",
    message: expect.stringContaining("could not be imported: no key in the environment"),
    cause: { name: "RangeError" },
  });
});

test("TypeScript that Node cannot read is said to be so", async () => {
  const root = project({ "agent.ts": "" });
  const importModule = (): Promise<never> =>
    Promise.reject(
      Object.assign(new Error("Unknown file extension"), { code: "ERR_UNKNOWN_FILE_EXTENSION" }),
    );
  await expect(loadAgent("./agent.ts#run", root, { importModule })).rejects.toThrow(
    "Name the compiled JavaScript file",
  );
});
