import { resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { findRepro, readFolder, type ReprosAt } from "../repro/folder.ts";
import {
  type Chosen,
  runRepros,
  type RunOptions,
  type RunOutcome,
  type RunResult,
} from "../runner/run.ts";
import { writeAtomic } from "../shared/file.ts";
import { oneLine } from "../shared/text.ts";
import type { Args } from "./args.ts";
import { type Command, EXIT } from "./command.ts";
import { colours, type Io, note, say } from "./io.ts";
import { projectOf } from "./project.ts";
import { readEntries, writeEntries } from "./run-baseline.ts";
import { counted } from "./table.ts";

const GATES = ["regression", "any", "none"] as const;

export const command: Command = {
  usage: "[REPRO...] [options]",
  about: `Runs the generated specs with the project's own Vitest: the chosen repros, else the confirmed ones. Exit code 1 when
something failed or regressed, 3 when a verdict is missing or its evidence is, 2 when no test ran.`,
  options: {
    "include-pending": { type: "flag", help: "Run pending repros too" },
    "agent-version": {
      type: "text",
      value: "TEXT",
      help: "Version under which the verdicts are kept",
    },
    "fail-on": { type: GATES, help: "What makes the exit code 1; regression by default" },
    strict: { type: "flag", help: "Match by exact arguments, whatever the configuration says" },
    "max-tool-calls": { type: "number", help: "Tool calls that a replay may make (50)" },
    timeout: { type: "number", value: "SECONDS", help: "Time that a replay may take (30)" },
    json: {
      type: "text",
      value: "FILE",
      help: "Write the result as JSON; FILE is - for the standard output",
    },
    baseline: {
      type: "text",
      value: "FILE",
      help: "Compare with this file in place of the baselines beside the specs",
    },
    "update-baseline": { type: "flag", help: "Accept what is there now, but no fall from passes" },
    "accept-regressions": {
      type: "flag",
      help: "With --update-baseline: accept a fall from passes too",
    },
  },
  positionals: [0, Infinity],
  async run(args, io) {
    const config = await projectOf(io);
    const folder = readFolder(config.specs.dir);
    const { chosen, left } = choose(folder, args);
    if (left > 0)
      note(io, `${counted(left, "pending repro")} left out; --include-pending runs them`);
    if (chosen.length === 0) {
      note(io, "There is nothing to run.");
      return EXIT.passed;
    }
    const path = args.text("baseline");
    const baseline = path === undefined ? undefined : resolve(io.cwd, path);
    const entries = baseline === undefined ? undefined : readEntries(baseline, folder);
    const result = await runRepros(config, chosen, {
      ...optionsOf(args, io),
      ...(entries === undefined ? {} : { entries }),
    });
    const json = args.text("json");
    if (json !== undefined) writeJson(io, json, result);
    if (json !== "-") print(io, result);
    if (baseline !== undefined && entries !== undefined && args.flag("update-baseline"))
      writeEntries(baseline, entries, result);
    return result.code;
  },
};

function choose(folder: readonly ReprosAt[], args: Args): { chosen: Chosen[]; left: number } {
  if (args.positionals.length > 0) {
    const chosen = args.positionals.map((id) => findRepro(folder, id));
    return { chosen: [...new Map(chosen.map((one) => [one.repro.id, one])).values()], left: 0 };
  }
  const tests = folder
    .flatMap(({ path, file }) => file.repros.map((repro) => ({ path, file, repro })))
    .filter(({ repro }) => repro.status !== "rejected" && repro.needs === undefined);
  const chosen = args.flag("include-pending")
    ? tests
    : tests.filter(({ repro }) => repro.status === "confirmed");
  return { chosen, left: tests.length - chosen.length };
}

function optionsOf(args: Args, io: Io): RunOptions {
  const [gate, version] = [args.text("fail-on"), args.text("agent-version")];
  const [toolCalls, seconds] = [args.number("max-tool-calls"), args.number("timeout")];
  return {
    env: io.env,
    update: args.flag("update-baseline"),
    acceptRegressions: args.flag("accept-regressions"),
    limits: {
      ...(toolCalls === undefined ? {} : { toolCalls }),
      ...(seconds === undefined ? {} : { ms: seconds * 1000 }),
    },
    ...(gate === undefined ? {} : { gate: gate as Config["gate"] }),
    ...(args.flag("strict") ? { matching: "keyed" as const } : {}),
    ...(version === undefined ? {} : { agentVersion: version }),
  };
}

function writeJson(io: Io, path: string, result: RunResult): void {
  const text = `${JSON.stringify(result, null, 2)}\n`;
  if (path === "-") io.stdout.write(text);
  else writeAtomic(resolve(io.cwd, path), text);
}

function print(io: Io, { outcomes, broken, counts, regressions }: RunResult): void {
  const { green, red, yellow, dim } = colours(io);
  for (const outcome of outcomes) {
    const paint = outcome.verdict === "passes" ? green : outcome.red ? red : yellow;
    say(
      io,
      `${paint(labelOf(outcome).padEnd(17))}  ${outcome.repro}  ${oneLine(outcome.title, 80)}${outcome.regressed ? red("  <- REGRESSION") : ""}`,
    );
    if (outcome.verdict !== "passes")
      say(io, dim(`${" ".repeat(19)}${oneLine(outcome.reason, 300)}`));
    if (outcome.red && outcome.message !== "")
      say(io, `${" ".repeat(19)}${oneLine(outcome.message, 300)}`);
  }
  for (const { where, message } of broken)
    say(io, red(`no verdict         ${oneLine(where, 120)}: ${oneLine(message, 300)}`));
  say(io);
  const parts = [
    `${counts.passes}/${outcomes.length} passing`,
    ...Object.entries(counts).flatMap(([verdict, count]) =>
      verdict === "passes" || count === 0
        ? []
        : [`${count} ${verdict === "none" ? "without a verdict" : verdict}`],
    ),
    ...(regressions.length === 0 ? [] : [red(counted(regressions.length, "regression"))]),
  ];
  say(io, parts.join(", "));
}

function labelOf({ verdict }: RunOutcome): string {
  return verdict ?? "no verdict";
}
