import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import * as detectors from "../../src/detector/builtin.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { readArgs } from "../../src/cli/args.ts";
import { OPTION_NAMES } from "../../src/config/plain.ts";
import { runCommand } from "../../src/testing/command-line.ts";
import { blocksOf } from "../../src/testing/readme.ts";
import { ROOT } from "./built.ts";
import { project } from "./project.ts";

const DOCS = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"];
const BLOCKS = blocksOf("README.md");

/** The TypeScript of the README as the files of a stranger's project. */
const FILES = Object.fromEntries(
  BLOCKS.filter(({ language }) => language === "ts").map(({ about, text }) => [
    about["file"],
    text,
  ]),
);

/** One failing run, recorded where the README says. */
const RECORD = `import { test } from "vitest";
import { handle } from "../src/server.ts";

test("a day of work", async () => {
  await handle({ order: "A-1" });
});
`;

test("every block of code in the docs is of a kind that is run or checked here", () => {
  const kinds = DOCS.flatMap((file) => blocksOf(file).map(({ language }) => language));
  expect(new Set(kinds)).toEqual(new Set(["ts", "js", "sh", "console", "text"]));
  expect(Object.keys(FILES)).not.toContain("undefined");
});

test("the TypeScript of the README passes a strict type check as it stands", () => {
  const p = project({
    ...FILES,
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        target: "es2023",
        module: "nodenext",
        strict: true,
        noEmit: true,
        allowImportingTsExtensions: true,
        types: [],
      },
      include: ["src", "tests", "vitest.config.ts"],
    }),
  });
  const tsc = path.join(ROOT, "node_modules/typescript/bin/tsc");
  expect(execFileSync(process.execPath, [tsc, "-p", p.dir], { encoding: "utf8" })).toBe("");
});

test("a stranger who follows the README sees the failure as a test in the first run after it", async () => {
  const { "tests/declined.test.ts": mock = "", ...files } = FILES;
  const p = project({ ...files, "tests/day.test.ts": RECORD });
  expect((await p.run()).code).toBe(0);
  p.remove("tests/day.test.ts");
  const first = await p.run();
  expect(first.code).toBe(1);
  const shown = BLOCKS.find(({ about }) => about["output"] === "stranger")?.text ?? "none";
  expect(first.output).toContain(shown.trimEnd());
  p.write({ "tests/declined.test.ts": mock });
  const second = await p.run({ args: ["tests/declined.test.ts"] });
  expect(second.output).toContain("1 passed");
});

test("a key for each attempt fails the scenarios that hide a booking, with the message that the README shows", async () => {
  const from = (file: string): string =>
    readFileSync(path.join(ROOT, "examples/booking", file), "utf8");
  const p = project({
    "vitest.config.ts": from("vitest.config.ts"),
    "src/agent.ts": from("src/agent.ts"),
    "src/key.ts": "let tries = 0;\nexport const operationKey = () => `try ${++tries}`;\n",
    "tests/checks.ts": from("tests/checks.ts"),
    "tests/booking.test.ts": from("tests/booking.test.ts"),
  });
  const { output } = await p.run({ args: ["-t", "books one slot lost confirmation"] });
  const shown = BLOCKS.find(({ about }) => about["output"] === "booking")?.text ?? "none";
  expect(shown).toContain("Exactly one booking");
  expect(output).toContain(shown.trimEnd());
});

test("an agent with one key for all attempts passes every test of the README's booking", async () => {
  const files = [
    "src/booking.ts",
    "tests/booking.test.ts",
    "vitest.config.ts",
    "src/agent.ts",
    "src/tools.ts",
  ];
  const p = project(Object.fromEntries(files.map((file) => [file, FILES[file] ?? "none"])));
  const { output, code } = await p.run({ args: ["tests/booking.test.ts"] });
  expect({ code, output }).toMatchObject({ code: 0 });
});

test("the demo says what the README shows of it", async () => {
  const { stdout, code } = await runCommand(ROOT, ["demo"]);
  expect(code).toBe(0);
  for (const line of (BLOCKS.find(({ about }) => about["output"] === "demo")?.text ?? "none").split(
    "\n",
  )) {
    expect(stdout).toContain(line);
  }
});

/** What is wrong with a command line of the docs. */
async function refusal(
  line: string,
  scripts: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const [, script] = /^npm run (\w+)$/.exec(line) ?? [];
  if (script !== undefined) return Object.hasOwn(scripts, script) ? undefined : line;
  const [, name, rest = ""] = /^npx twiceshy (\w+)(.*)$/.exec(line) ?? [];
  if (name === undefined) {
    return ["npm ci", "npm cit", "npm i -D twiceshy vitest"].includes(line) ? undefined : line;
  }
  const entry = COMMANDS[name];
  if (entry === undefined) return line;
  // Throws for an option or argument that the command does not take.
  readArgs(name, (await entry.load()).command, rest.trim().split(" ").filter(Boolean));
  return undefined;
}

test("every command line in the docs is one that exists", async () => {
  const { scripts } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const lines = DOCS.flatMap((file) => blocksOf(file))
    .filter(({ language }) => language === "sh")
    .flatMap(({ text }) => text.trim().split("\n"))
    .flatMap((line) => line.split(" && "));
  expect(lines.length).toBeGreaterThan(4);
  const refused = await Promise.all(lines.map((line) => refusal(line, scripts)));
  expect(refused.filter((line) => line !== undefined)).toEqual([]);
});

test("the README lists every detector and every option", () => {
  const readme = readFileSync(path.join(ROOT, "README.md"), "utf8");
  for (const { kind, summary } of Object.values(detectors)) {
    expect(readme.replaceAll(/ +/g, " ")).toContain(`| \`${kind}\` | ${summary} |`);
  }
  const unlisted = OPTION_NAMES.filter((option) => !readme.includes(`\`${option}\``));
  expect(unlisted).toEqual(["agentVersion", "threshold"]);
});
