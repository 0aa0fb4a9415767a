import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadAgent } from "../agent/load.ts";
import { ROOT } from "../testing/imports.ts";
import { openModules } from "./import-module.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "twiceshy-modules-"));
  mkdirSync(join(root, "src"));
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

test("a file and an export give that very function, in TypeScript too", async () => {
  writeFileSync(join(root, "src/tools.ts"), "export const answer: number = 42;\n");
  writeFileSync(
    join(root, "src/agent.ts"),
    'import { answer } from "./tools.ts";\nexport const run = (): number => answer;\n',
  );
  const modules = openModules(root);
  try {
    const agent = (await loadAgent("./src/agent.ts#run", root, modules)) as () => number;
    expect(agent()).toBe(42);
  } finally {
    await modules.close();
  }
});

test("a module can import others after it was loaded, until the modules are closed", async () => {
  writeFileSync(join(root, "src/late.ts"), "export const late: string = 'late';\n");
  writeFileSync(
    join(root, "src/agent.ts"),
    'export const run = async (): Promise<string> => (await import("./late.ts")).late;\n',
  );
  const modules = openModules(root);
  try {
    const agent = (await loadAgent("./src/agent.ts#run", root, modules)) as () => Promise<string>;
    expect(await agent()).toBe("late");
  } finally {
    await modules.close();
  }
});

test("a missing export is an error that names those that are there", async () => {
  writeFileSync(join(root, "src/agent.ts"), "export const walk = (): void => {};\n");
  const modules = openModules(root);
  try {
    await expect(loadAgent("./src/agent.ts#run", root, modules)).rejects.toMatchObject({
      code: "E_AGENT_EXPORT",
    });
  } finally {
    await modules.close();
  }
});
