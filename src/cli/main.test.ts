import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runCommand } from "../testing/command-line.ts";
import { COMMANDS } from "./commands.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "twiceshy-cli-"));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

test("the help lists every command on a line of its own", async () => {
  const { code, stdout, stderr } = await runCommand(root, ["--help"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  for (const name of Object.keys(COMMANDS))
    expect(stdout).toMatch(new RegExp(`^  ${name} +\\S`, "m"));
  expect(await runCommand(root, [])).toMatchObject({ code: 0, stdout });
});

test.for(Object.keys(COMMANDS).filter((name) => name !== "demo"))(
  "%s --help tells its usage and every option",
  async (name) => {
    const { command } = await COMMANDS[name]!.load();
    const { code, stdout } = await runCommand(root, [name, "--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain(`Usage: twiceshy ${name}`);
    for (const option of Object.keys(command.options)) expect(stdout).toContain(`--${option}`);
    expect(stdout.split("\n").every((line) => line.length < 160)).toBe(true);
  },
);

test("the version is that of the package", async () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  expect((await runCommand(root, ["--version"])).stdout).toBe(`${manifest.version}\n`);
});

test("an unknown command is an error that names the nearest one", async () => {
  const { code, stderr } = await runCommand(root, ["proces"]);
  expect(code).toBe(2);
  expect(stderr).toMatchInlineSnapshot(`
    "error Failed to run twiceshy proces: there is no such command. Did you mean "twiceshy process"? See "twiceshy --help". [E_COMMAND_UNKNOWN]
    "
  `);
});

test("an unknown option is an error that names the nearest one", async () => {
  const { code, stderr } = await runCommand(root, ["run", "--includ-pending"]);
  expect(code).toBe(2);
  expect(stderr).toMatchInlineSnapshot(`
    "error Failed to run twiceshy run: there is no option --includ-pending. Did you mean --include-pending? See "twiceshy run --help". [E_OPTION_UNKNOWN]
    "
  `);
});

test.for([
  [["run", "--fail-on", "always"], /"always" is none of regression, any, none/],
  [["annotate", "--limit", "many"], /"many" is not a number/],
  [["export", "out.jsonl", "--status"], /it needs a value/],
  [["export", "out.jsonl", "--status", "--dedup"], /it needs a value/],
  [["stats", "--json=yes"], /it takes no value/],
  [["export"], /an argument is missing/],
  [["stats", "now"], /"now" is one argument too many/],
  [["stats", "-x"], /there is no option -x/],
] as const)(
  "the wrong command line %j is refused with a sentence and exit code 2",
  async ([argv, sentence]) => {
    const { code, stderr, stdout } = await runCommand(root, argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(sentence);
  },
);

test("text of the user reaches the terminal without any control character", async () => {
  const { stderr } = await runCommand(root, ["stats", "\u001B[2Jx\n::error::y"]);
  // oxlint-disable-next-line no-control-regex -- that is what is looked for
  expect(stderr.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001F\u007F-\u009F]/);
  expect(stderr).not.toMatch(/^\s*::/m);
});

test("a terminal gets colours, NO_COLOR and a pipe get none", async () => {
  const coloured = await runCommand(root, ["nothing"], { tty: true });
  expect(coloured.stderr).toContain("\u001B[31m");
  expect(
    (await runCommand(root, ["nothing"], { tty: true, env: { NO_COLOR: "1", FORCE_COLOR: "1" } }))
      .stderr,
  ).not.toContain("\u001B");
  expect((await runCommand(root, ["nothing"])).stderr).not.toContain("\u001B");
});

test("a configuration that cannot be used stops every command that needs it", async () => {
  writeFileSync(join(root, "twiceshy.config.json"), '{ "agnet": 1 }');
  expect(await runCommand(root, ["stats"])).toMatchObject({ code: 2, stdout: "" });
  expect((await runCommand(root, ["stats"])).stderr).toContain("[E_CONFIG_UNKNOWN]");
});

test("init sets up a folder, .gitignore and a runner's configuration, and a second time changes nothing", async () => {
  writeFileSync(join(root, ".gitignore"), "dist");
  const first = await runCommand(root, ["init", "--agent", "./src/bot.ts#run"]);
  expect(first.code).toBe(0);
  expect(readFileSync(join(root, ".gitignore"), "utf8")).toBe("dist\n.twiceshy/\n");
  expect(readFileSync(join(root, "vitest.config.ts"), "utf8")).toContain(
    'twiceshy({ agent: "./src/bot.ts#run" })',
  );
  const second = await runCommand(root, ["init"]);
  expect(second.stdout).not.toMatch(/wrote|made|added/);
  expect(readFileSync(join(root, ".gitignore"), "utf8")).toBe("dist\n.twiceshy/\n");
});

test("init leaves a runner's configuration alone and says what to add", async () => {
  writeFileSync(join(root, "vite.config.js"), "export default {};");
  const { stdout } = await runCommand(root, ["init"]);
  expect(readFileSync(join(root, "vite.config.js"), "utf8")).toBe("export default {};");
  expect(stdout).toMatchInlineSnapshot(`
    "made     .twiceshy/traces
    wrote   .gitignore: .twiceshy/

    Next
      Add the plugin to vite.config.js:
        import twiceshy from "twiceshy/vitest/plugin";
        plugins: [twiceshy({ agent: "./src/agent.ts#run" })]
      Record a run, or copy trace files of any known format to .twiceshy/traces:
        import { record } from "twiceshy";
        await record(run, task, { tools, sink: ".twiceshy/traces/runs.jsonl" });
      Run your tests: npx vitest run. A failed run is a failing test from now on.
      Without traces yet: npx twiceshy demo.
    "
  `);
});

test("stats of an empty project say that there is nothing and make no store", async () => {
  const { code, stdout } = await runCommand(root, ["stats", "--json"]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ store: null, repros: { total: 0 } });
  mkdirSync(join(root, ".twiceshy"));
  expect((await runCommand(root, ["stats"])).stdout).toContain("There is no store yet");
});
