import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadConfig, loadProject } from "./load.ts";

function rootWith(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "twiceshy-jest-config-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  return root;
}

/** What withTwiceshy gives, of which a command only asks the options. */
const CONFIG = `// in place of "twiceshy/jest/config"
module.exports = Object.assign(() => { throw new Error("run"); }, { twiceshy: { gate: "any" } });
`;

test("a command knows the options in Jest's configuration, and that Jest's specs are wanted", async () => {
  const root = rootWith({ "jest.config.cjs": CONFIG });
  expect(await loadProject(root)).toMatchObject({ gate: "any", runner: "jest" });
  expect(await loadProject(root, { gate: "none" })).toMatchObject({ gate: "none", runner: "jest" });
});

test("a wrong option there is an error that names the file", async () => {
  const root = rootWith({ "jest.config.cjs": CONFIG.replace("gate", "gaet") });
  await expect(loadProject(root)).rejects.toThrow(/the options in jest\.config\.cjs.*"gate"/);
});

test("without our door Jest's configuration is not run, and beside Vitest's plugin it does not count", async () => {
  const foreign = rootWith({ "jest.config.cjs": "throw new Error('run');" });
  expect((await loadProject(foreign)).runner).toBeUndefined();
  const both = rootWith({
    "jest.config.cjs": CONFIG,
    "vitest.config.mjs": '// "twiceshy/vitest/plugin"\nexport default {};\n',
  });
  expect((await loadProject(both)).runner).toBeUndefined();
});

test("the option names the runner too, and Vitest is the one where nothing is said", async () => {
  const root = rootWith({ "twiceshy.config.json": '{ "runner": "jest" }' });
  expect((await loadConfig(root)).runner).toBe("jest");
  expect((await loadConfig(root, { runner: "vitest" })).runner).toBeUndefined();
});
