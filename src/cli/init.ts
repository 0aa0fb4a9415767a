import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { failure } from "../shared/error.ts";
import { writeAtomic } from "../shared/file.ts";
import type { Args } from "./args.ts";
import { type Command, EXIT } from "./command.ts";
import { colours, type Io, say } from "./io.ts";
import { projectOf } from "./project.ts";
import { type Starter, starterOf } from "./starter.ts";

const IGNORED = ".twiceshy/";
const RUNNER_CONFIGS = ["vitest", "vite"].flatMap((name) =>
  ["ts", "mts", "cts", "js", "mjs", "cjs"].map((extension) => `${name}.config.${extension}`),
);

export const command: Command = {
  usage: "[options]",
  about: `Sets a project up: makes the folder for traces, has git ignore it, and writes a vitest.config.ts
when there is none. Overwrites nothing; running it again changes nothing.`,
  options: {
    agent: {
      type: "text",
      value: "FILE#EXPORT",
      help: 'The agent under test, as "./src/agent.ts#run"',
    },
    template: {
      type: "text",
      value: "NAME",
      help: 'Write a fault test of a shipped world too, as calendar; see "twiceshy templates"',
    },
    "virtual-time": {
      type: "flag",
      help: "With --template: its agent rests for 40 seconds of virtual time",
    },
  },
  positionals: [0, 0],
  async run(args, io) {
    const agent = args.text("agent");
    const config = await projectOf(io, agent === undefined ? {} : { agent });
    const spec = agent ?? config.agent ?? "./src/agent.ts#run";
    const starter = chosenStarter(args, io);
    const done = [makeFolder(io), ignoreFolder(io), writeRunnerConfig(io, spec)];
    if (starter !== undefined) {
      writeAtomic(starter.path, starter.text);
      done.push(`wrote    ${starter.name}`);
    }
    for (const line of done) if (line !== undefined) say(io, line);
    nextSteps(io, spec);
    return EXIT.passed;
  },
};

/** Checked before anything is written. */
function chosenStarter(args: Args, io: Io): Starter | undefined {
  const template = args.text("template");
  const virtualTime = args.flag("virtual-time");
  if (template !== undefined) return starterOf(io, template, virtualTime);
  if (!virtualTime) return undefined;
  throw failure("E_OPTION_VALUE", {
    to: "set a project up",
    because: "--virtual-time says how a template is written, and none was chosen",
    fix: 'Add --template NAME; see "twiceshy templates"',
  });
}

function makeFolder(io: Io): string | undefined {
  const folder = join(io.cwd, ".twiceshy", "traces");
  if (existsSync(folder)) return undefined;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return "made     .twiceshy/traces";
}

function ignoreFolder(io: Io): string | undefined {
  const path = join(io.cwd, ".gitignore");
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  const lines = new Set(text.split(/\r?\n/).map((line) => line.trim()));
  if ([IGNORED, ".twiceshy", `/${IGNORED}`, "/.twiceshy"].some((line) => lines.has(line)))
    return undefined;
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  writeAtomic(path, `${text}${gap}${IGNORED}\n`);
  return `${text === "" ? "wrote  " : "added to"} .gitignore: ${IGNORED}`;
}

function writeRunnerConfig(io: Io, agent: string): string | undefined {
  if (RUNNER_CONFIGS.some((name) => existsSync(join(io.cwd, name)))) return undefined;
  writeAtomic(join(io.cwd, "vitest.config.ts"), runnerConfig(agent));
  return "wrote    vitest.config.ts";
}

function runnerConfig(agent: string): string {
  return `import twiceshy from "twiceshy/vitest/plugin";
import { defineConfig } from "vitest/config";

export default defineConfig({ plugins: [twiceshy({ agent: ${JSON.stringify(agent)} })] });
`;
}

function nextSteps(io: Io, agent: string): void {
  const { bold, cyan } = colours(io);
  const existing = RUNNER_CONFIGS.find((name) => existsSync(join(io.cwd, name)));
  const mine =
    existing !== undefined &&
    readFileSync(join(io.cwd, existing), "utf8").includes("twiceshy/vitest/plugin");
  const steps = [
    ...(mine
      ? []
      : [
          `Add the plugin to ${existing ?? "vitest.config.ts"}:`,
          `  ${cyan('import twiceshy from "twiceshy/vitest/plugin";')}`,
          `  ${cyan(`plugins: [twiceshy({ agent: ${JSON.stringify(agent)} })]`)}`,
        ]),
    "Record a run, or copy trace files of any known format to .twiceshy/traces:",
    `  ${cyan('import { record } from "twiceshy";')}`,
    `  ${cyan('await record(run, task, { tools, sink: ".twiceshy/traces/runs.jsonl" });')}`,
    `Run your tests: ${cyan("npx vitest run")}. A failed run is a failing test from now on.`,
    `Without traces yet: ${cyan("npx twiceshy demo")}.`,
  ];
  say(io);
  say(io, bold("Next"));
  for (const step of steps) say(io, `  ${step}`);
}
