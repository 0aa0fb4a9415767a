import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { importsOf, ROOT } from "../testing/imports.ts";
import { configSchema, type UserConfig } from "./config.ts";
import { agentFor, loadConfig, loadProject } from "./load.ts";
import { isPlainlyValid, OPTION_NAMES } from "./plain.ts";
import { versionOf } from "./version.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "twiceshy-config-"));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function write(name: string, text: string): void {
  writeFileSync(join(root, name), text);
}

async function messageOf(options: unknown): Promise<string> {
  return loadConfig(root, options as UserConfig).then(
    () => "no error",
    (thrown: Error & { code?: string }) => `${thrown.code}: ${thrown.message}`,
  );
}

const words = fc.oneof(
  fc.constantFrom(
    "a",
    "./src/agent.ts#run",
    "regression",
    "any",
    "gate",
    "loose",
    "agent",
    "",
    "refuse",
  ),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
);
const values = fc.oneof(
  words,
  fc.array(words, { maxLength: 3 }),
  fc.dictionary(
    fc.constantFrom(
      "dir",
      "per",
      "toolCalls",
      "ms",
      "loopRepeat",
      "output",
      "budgetMs",
      "keys",
      "x",
    ),
    words,
    { maxKeys: 2 },
  ),
);

test("whatever is plainly valid, the schema takes as it is", () => {
  const options = fc.dictionary(fc.constantFrom(...OPTION_NAMES, "agnet"), values, { maxKeys: 3 });
  let plain = 0;
  fc.assert(
    fc.property(options, (given) => {
      fc.pre(isPlainlyValid(given));
      plain += 1;
      expect(configSchema.parse(given)).toEqual(given);
    }),
    { numRuns: 300, maxSkipsPerRun: 1000 },
  );
  expect(plain).toBeGreaterThan(200);
});

test("the table of plain values has the schema's keys", () => {
  expect([...OPTION_NAMES].sort()).toEqual(Object.keys(configSchema.shape).sort());
});

test("a project without a configuration gets every default", async () => {
  expect(await loadConfig(root)).toEqual({
    root,
    agents: {},
    agentVersion: "dev",
    traces: [`${root}/.twiceshy/traces/**/*.jsonl`],
    store: join(root, ".twiceshy/twiceshy.db"),
    specs: { dir: join(root, "tests/failures"), per: "agent" },
    repros: { most: 1000 },
    gate: "regression",
    unreviewed: "gate",
    matching: "keyed",
    volatile: [],
    limits: { toolCalls: 50, ms: 30_000 },
    network: [],
    redact: {},
    detect: {},
    threshold: 0.85,
    ci: false,
  });
});

test("an inline option wins over the file, and the environment over both", async () => {
  write("twiceshy.config.json", '{ "gate": "any", "store": "file.db", "threshold": 0.5 }');
  const config = await loadConfig(
    root,
    { store: "inline.db", gate: "none" },
    { TWICESHY_STORE: "env.db", CI: "true" },
  );
  expect(config).toMatchObject({
    gate: "none",
    store: join(root, "env.db"),
    threshold: 0.5,
    unreviewed: "report",
    ci: true,
  });
});

test("values of this machine's secret variables are hidden, and no other variable takes part", async () => {
  const env = { SHOP_API_TOKEN: "v3ry-s3cret-v4lue", HOME: "/home/grace", TERM: "xterm-256color" };
  const { redact } = await loadConfig(root, { redact: { keys: ["badge"] } }, env);
  expect(redact).toEqual({
    keys: ["badge"],
    environment: { SHOP_API_TOKEN: "v3ry-s3cret-v4lue" },
  });
  expect((await loadConfig(root, { redact: false }, env)).redact).toEqual({ off: true });
});

test("the agent of the environment replays every trace", async () => {
  const config = await loadConfig(
    root,
    { agents: { a: "./a.ts#run" } },
    { TWICESHY_AGENT: "./b.ts#run" },
  );
  expect(agentFor(config, "a")).toBe("./b.ts#run");
  expect(agentFor(config, "constructor")).toBe("./b.ts#run");
});

test("a trace's agent that is not configured is an error that names those that are", async () => {
  const config = await loadConfig(root, { agents: { support: "./a.ts#run" } });
  expect(() => agentFor(config, "toString")).toThrowErrorMatchingInlineSnapshot(
    `[TwiceshyError [E_AGENT_UNKNOWN]: Failed to find the agent "toString": only support are configured. Set "agent" to "file#export" in the configuration, or add its name to "agents".]`,
  );
});

test.each(["ts", "mts", "js", "mjs"])("a twiceshy.config.%s is read", async (extension) => {
  write("package.json", '{ "type": "module" }');
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  const type = extension.endsWith("ts") ? ": { gate: string }" : "";
  write(
    `twiceshy.config.${extension}`,
    `const config${type} = { gate: "any" };\nexport default config;\n`,
  );
  expect((await loadConfig(root)).gate).toBe("any");
});

test("a TypeScript configuration without Vite on a Node that cannot read it is an error that says what to do", async () => {
  write("twiceshy.config.ts", "export default { gate: 'any' as const };");
  const native = "typescript" in process.features && Boolean(process.features.typescript);
  expect(await messageOf({})).toMatch(
    native ? /no error/ : /^E_CONFIG_TYPESCRIPT: .* or rename the file to twiceshy\.config\.mjs/,
  );
});

test("an unknown option is an error that names the nearest one and the file", async () => {
  write("twiceshy.config.json", '{ "agnet": "./a.ts#run" }');
  expect(await messageOf({})).toMatchInlineSnapshot(
    `"E_CONFIG_UNKNOWN: Failed to read twiceshy.config.json: there is no option "agnet". Did you mean "agent"? Rename it, or leave it out."`,
  );
});

test("an unknown option inside another is found at its place", async () => {
  expect(await messageOf({ limits: { toolcall: 3 } })).toMatchInlineSnapshot(
    `"E_CONFIG_UNKNOWN: Failed to read the inline options: there is no option "toolcall" in /limits. Did you mean "toolCalls"? Rename it, or leave it out."`,
  );
  expect(await messageOf({ specs: { pre: "agent" } })).toMatchInlineSnapshot(
    `"E_CONFIG_UNKNOWN: Failed to read the inline options: there is no option "pre" in /specs. Did you mean "per"? Rename it, or leave it out."`,
  );
  expect(
    await messageOf({ redact: { patterns: [{ name: "a", patern: "x", pattern: "x" }] } }),
  ).toMatchInlineSnapshot(
    `"E_CONFIG_UNKNOWN: Failed to read the inline options: there is no option "patern" in /redact/patterns/0. Did you mean "pattern"? Rename it, or leave it out."`,
  );
});

test("a wrong value is an error with its place", async () => {
  expect(await messageOf({ limits: { toolCalls: -1 } })).toMatchInlineSnapshot(
    `"E_CONFIG_VALUE: Failed to read the inline options: the option /limits/toolCalls is wrong: too small: expected number to be >0. Correct it, or leave it out for the default."`,
  );
  expect(await messageOf({ agent: "./src/agent.ts" })).toMatchInlineSnapshot(
    `"E_CONFIG_VALUE: Failed to read the inline options: the option /agent is wrong: must be "file#export", as "./src/agent.ts#run". Correct it, or leave it out for the default."`,
  );
  expect(await messageOf({ gate: "never" })).toMatchInlineSnapshot(
    `"E_CONFIG_VALUE: Failed to read the inline options: the option /gate is wrong: invalid option: expected one of "regression"|"any"|"none". Correct it, or leave it out for the default."`,
  );
  expect(await messageOf("x")).toMatchInlineSnapshot(
    `"E_CONFIG_VALUE: Failed to read the inline options: it is wrong: invalid input: expected object, received string. Correct it, or leave it out for the default."`,
  );
});

test("a wrong value in the environment is an error", async () => {
  await expect(loadConfig(root, {}, { TWICESHY_AGENT: "agent.ts" })).rejects.toMatchObject({
    code: "E_CONFIG_VALUE",
  });
});

test("a configuration that is no JSON, throws or exports nothing is an error with the file's name", async () => {
  write("twiceshy.config.json", '{ "gate": ');
  expect(await messageOf({})).toMatch(/^E_CONFIG_READ: .*twiceshy\.config\.json/);
  rmSync(join(root, "twiceshy.config.json"));
  write("twiceshy.config.mjs", "throw new Error('no key');");
  expect(await messageOf({})).toMatch(/^E_CONFIG_READ: .*twiceshy\.config\.mjs: no key/);
  rmSync(join(root, "twiceshy.config.mjs"));
  write("twiceshy.config.js", "export const config = {};");
  write("package.json", '{ "type": "module" }');
  expect(await messageOf({})).toMatch(/^E_CONFIG_EXPORT/);
  write("twiceshy.config.ts", "");
  expect(await messageOf({})).toMatch(
    /^E_CONFIG_AMBIGUOUS: .* twiceshy\.config\.ts and twiceshy\.config\.js/,
  );
});

test("no file that plain options need imports zod by value", () => {
  const seen = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const { to, typeOnly, lazy } of importsOf(file)) {
      if (typeOnly || lazy) continue;
      if (to.endsWith(".ts")) visit(to);
      else packages.add(to);
    }
  };
  visit("src/config/load.ts");
  expect([...packages].filter((name) => !name.startsWith("node:"))).toEqual([]);
});

test("the version of an agent is the package's version and the commit, read without starting git", () => {
  expect(versionOf(root)).toBe("dev");
  write("package.json", '{ "version": "1.4.0" }');
  expect(versionOf(root)).toBe("1.4.0");
  const git = join(root, ".git");
  mkdirSync(join(git, "refs/heads"), { recursive: true });
  writeFileSync(join(git, "HEAD"), "ref: refs/heads/main\n");
  expect(versionOf(root)).toBe("1.4.0");
  writeFileSync(join(git, "packed-refs"), `# pack-refs\n${"a".repeat(40)} refs/heads/main\n`);
  expect(versionOf(root)).toBe("1.4.0+aaaaaaa");
  writeFileSync(join(git, "refs/heads/main"), `${"b".repeat(40)}\n`);
  expect(versionOf(join(root))).toBe("1.4.0+bbbbbbb");
  writeFileSync(join(git, "HEAD"), `${"c".repeat(40)}\n`);
  expect(versionOf(root)).toBe("1.4.0+ccccccc");
});

test("the version in a worktree is found through its pointer", () => {
  mkdirSync(join(root, "main/.git/worktrees/w"), { recursive: true });
  mkdirSync(join(root, "main/.git/refs/heads"), { recursive: true });
  mkdirSync(join(root, "w"));
  writeFileSync(join(root, "w/.git"), `gitdir: ${join(root, "main/.git/worktrees/w")}\n`);
  writeFileSync(join(root, "main/.git/worktrees/w/HEAD"), "ref: refs/heads/w\n");
  writeFileSync(join(root, "main/.git/worktrees/w/commondir"), "../..\n");
  writeFileSync(join(root, "main/.git/refs/heads/w"), `${"d".repeat(40)}\n`);
  expect(versionOf(join(root, "w"))).toBe("ddddddd");
});

test("a command knows the options of the plugin in the runner's configuration; they win over the file", async () => {
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  write(
    "plugin.mjs",
    'export default (options) => [[Promise.resolve({ name: "twiceshy", api: { twiceshy: options } })]];',
  );
  write("twiceshy.config.json", '{ "gate": "none", "threshold": 0.5 }');
  write(
    "vitest.config.ts",
    'import twiceshy from "./plugin.mjs"; // in place of "twiceshy/vitest/plugin"\nexport default { plugins: [false, twiceshy({ gate: "any" as const })] };',
  );
  expect(await loadProject(root)).toMatchObject({ gate: "any", threshold: 0.5 });
  expect(await loadProject(root, { gate: "regression" })).toMatchObject({ gate: "regression" });
});

test("a wrong option at the plugin is an error that names the runner's configuration", async () => {
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  write(
    "vite.config.mjs",
    '// twiceshy/vitest/plugin\nexport default () => ({ plugins: [{ name: "twiceshy", api: { twiceshy: { agnet: 1 } } }] });',
  );
  await expect(loadProject(root)).rejects.toThrow(
    /the plugin's options in vite\.config\.mjs.*Did you mean "agent"/,
  );
});

test("a runner's configuration without our plugin is not run", async () => {
  write("vitest.config.mjs", "throw new Error('run');");
  expect((await loadProject(root)).gate).toBe("regression");
});
