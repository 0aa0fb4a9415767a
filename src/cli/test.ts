import { resolve } from "node:path";
import { statSync } from "node:fs";
import { reserveReport, type ReportPlace } from "../workflow/report-file.ts";
import type { Workflow } from "../workflow/workflow.ts";
import { workflowOf } from "../workflow1/to-workflow.ts";
import { failure } from "../shared/error.ts";
import type { Modules } from "../runner/import-module.ts";
import type { Args } from "./args.ts";
import { type Command, JSON_OPTION, type OptionShape } from "./command.ts";
import { commitOf } from "./commit.ts";
import { guardExit } from "./exit-guard.ts";
import { freshName, type FaultRun, runFaults } from "./fault-run.ts";
import { interruptible } from "./interrupt.ts";
import { type Io, sayJson } from "./io.ts";
import { projectOf, typedPath } from "./project.ts";
import { type Destination, reserve } from "./reserve.ts";
import {
  adapterFrom,
  type Source,
  sourceOf,
  withModules,
  workflowFrom,
} from "./workflow-source.ts";

/** Options of every command that runs fault trials. */
export const RUN_OPTIONS = {
  config: {
    type: "text",
    value: "FILE",
    help: "A workflow/1 document, or a module that exports a workflow (dojo/workflow.json)",
  },
  adapter: {
    type: "text",
    value: "FILE",
    help: "For a document: the module with tools and createAgent (the one beside it)",
  },
  trials: { type: "number", help: "Trials of each scenario, 1 to 20 (1)" },
  commit: {
    type: "text",
    value: "COMMIT",
    help: 'The commit that is tested, for "trends": 40 hex digits, or a name that git knows',
  },
} as const satisfies Readonly<Record<string, OptionShape>>;

export const command: Command = {
  usage: "[options]",
  about: `Runs an agent under controlled faults, without a test runner: a control first, then every scenario of the workflow. The report is
written trial by trial, to a file that must not exist yet. Exit code 1 when the control or a trial failed, 3 when one is inconclusive or missing.`,
  options: {
    ...RUN_OPTIONS,
    out: { type: "text", value: "FILE", help: "The report (.twiceshy/reports/...)" },
    summary: { type: "text", value: "FILE", help: "Write a summary as Markdown" },
    json: JSON_OPTION,
  },
  positionals: [0, 0],
  run: (args, io) => testFaults(args, io, workflowToTest),
};

/** Makes the workflow that is run, when every destination is reserved. */
type Load = (source: Source, modules: Modules) => Promise<Workflow>;

async function workflowToTest(source: Source, modules: Modules): Promise<Workflow> {
  if (source.kind === "module") return (await workflowFrom(source, modules)).workflow;
  return workflowOf(source.document, await adapterFrom(source.adapter, modules));
}

/** One workflow, one report. Nothing of the user is imported before everything that can be checked was checked. */
export async function testFaults(args: Args, io: Io, load: Load): Promise<number> {
  const source = sourceOf(args, io, args.text("config"));
  const options = await runOptionsOf(args, io);
  const out = args.text("out") ?? freshName("reports", ".jsonl");
  const report = { path: resolve(io.cwd, out), name: typedPath(io, out) };
  const summary = destinationOf(args, io, "summary");
  const place = reserveReport(report.path);
  const interrupt = interruptible();
  const release = (): void => releaseEmpty(place);
  const guard = guardExit(io, release);
  try {
    const summaries = reserve(summary === undefined ? [] : [summary]);
    try {
      return await withModules(io, async (modules) => {
        const workflow = await load(source, modules);
        guard.running();
        const run: FaultRun = {
          workflow,
          report: { ...report, place },
          summary,
          options: { ...options, signal: interrupt.signal },
          quiet: args.flag("json"),
        };
        const result = await runFaults(io, run);
        if (args.flag("json")) sayJson(io, result);
        return result.exitCode;
      });
    } finally {
      summaries.release();
    }
  } finally {
    release();
    guard.done();
    interrupt.done();
  }
}

/** A file that a command is to write; undefined when it is not asked for. */
export function destinationOf(args: Args, io: Io, option: string): Destination | undefined {
  const path = args.text(option);
  return path === undefined
    ? undefined
    : { path: resolve(io.cwd, path), name: typedPath(io, path) };
}

const MOST_TRIALS = 20;

/** What the command line says about a run; checked before anything of the user is imported. */
export async function runOptionsOf(args: Args, io: Io): Promise<FaultRun["options"]> {
  const trials = args.number("trials");
  if (trials !== undefined && (!Number.isInteger(trials) || trials < 1 || trials > MOST_TRIALS)) {
    throw failure("E_OPTION_VALUE", {
      to: "read the option --trials",
      because: `${trials} is no whole number from 1 to ${MOST_TRIALS}`,
      fix: 'See "twiceshy test --help"',
    });
  }
  const commit = args.text("commit");
  const { redact, network } = await projectOf(io);
  return {
    ...(trials === undefined ? {} : { trials }),
    ...(commit === undefined ? {} : { commit: commitOf(io, commit) }),
    network,
    redact,
  };
}

/** Gives a place up in which nothing was written. */
export function releaseEmpty(place: ReportPlace): void {
  const stats = statSync(place.path, { throwIfNoEntry: false });
  if (stats?.size === 0) place.release();
}
