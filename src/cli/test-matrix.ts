import { join, resolve } from "node:path";
import { failure, messageOf } from "../shared/error.ts";
import { writeAtomic } from "../shared/file.ts";
import { oneLine } from "../shared/text.ts";
import { matrixOf } from "../workflow/scenarios.ts";
import { matrixFaults } from "../fault/matrix.ts";
import { reserveReport, type ReportPlace } from "../workflow/report-file.ts";
import type { Workflow } from "../workflow/workflow.ts";
import type { Adapter } from "../workflow1/adapter.ts";
import type { Matrix } from "../workflow1/document.ts";
import { wholeMatrix } from "../workflow1/matrix.ts";
import { readMatrix } from "../workflow1/read.ts";
import { workflowOf } from "../workflow1/to-workflow.ts";
import type { Args } from "./args.ts";
import { type Command, EXIT, JSON_OPTION } from "./command.ts";
import { guardExit } from "./exit-guard.ts";
import { freshName, type FaultRun, runFaults } from "./fault-run.ts";
import { interruptible } from "./interrupt.ts";
import { type Io, note, say, sayJson } from "./io.ts";
import { choiceOf, MATRIX_OPTIONS } from "./matrix.ts";
import { typedPath } from "./project.ts";
import { reserveFolder } from "./reserve.ts";
import { counted } from "./table.ts";
import { releaseEmpty, RUN_OPTIONS, runOptionsOf, testFaults } from "./test.ts";
import { adapterFrom, adapterOf, withModules, workflowFrom } from "./workflow-source.ts";

export const command: Command = {
  usage: "[MATRIX] [options]",
  about: `Runs a whole matrix: every fault that applies, at every tool. With --config it is made from a workflow and run with one control into one
report. With a matrix file (of "twiceshy matrix") each tool has a control and a report of its own, in a new folder with an index.json.
One tool's failures never hide another's.`,
  options: {
    ...RUN_OPTIONS,
    ...MATRIX_OPTIONS,
    out: {
      type: "text",
      value: "PATH",
      help: "The report, or for a matrix file the folder; must not exist yet",
    },
    summary: { type: "text", value: "FILE", help: "With --config: write a summary as Markdown" },
    json: JSON_OPTION,
  },
  positionals: [0, 1],
  async run(args, io) {
    const [file] = args.positionals;
    if (file !== undefined) {
      refuseBeside(args);
      return testSuites(args, io, file);
    }
    const choice = choiceOf(args);
    return testFaults(args, io, async (source, modules) => {
      if (source.kind === "document") {
        const adapter = await adapterFrom(source.adapter, modules);
        return workflowOf(wholeMatrix(source.document, adapter, choice), adapter);
      }
      const { workflow } = await workflowFrom(source, modules);
      const { world } = workflow;
      const faults = matrixFaults(typeof world === "function" ? world() : world, choice);
      return { ...workflow, scenarios: matrixOf(faults) };
    });
  },
};

/** A matrix file says itself what is run. */
function refuseBeside(args: Args): void {
  const beside = ["config", "tools", "faults", "summary"].find(
    (option) => args.text(option) !== undefined,
  );
  if (beside === undefined) return;
  throw failure("E_OPTION_VALUE", {
    to: `read the option --${beside} of twiceshy test-matrix`,
    because: "a matrix file was given, which says itself what is run",
    fix: "Give --config in place of the file, or leave the option out",
  });
}

type Suite = Matrix["suites"][number];

/** What became of one tool's part: `not_run` after an interrupt or a failed control, which all of them share. */
interface SuiteResult {
  readonly suite: string;
  readonly tool: string;
  /** File name beside the index; missing when nothing was measured. */
  readonly report?: string;
  readonly status: "passed" | "failed" | "incomplete" | "error" | "not_run";
  readonly exitCode: number;
  readonly reason?: string;
}

interface MatrixRun {
  readonly io: Io;
  readonly folder: string;
  readonly suites: readonly Suite[];
  readonly places: ReadonlyMap<string, ReportPlace>;
  readonly adapter: Adapter;
  readonly options: FaultRun["options"];
  readonly quiet: boolean;
}

async function testSuites(args: Args, io: Io, file: string): Promise<number> {
  const path = resolve(io.cwd, file);
  const { suites } = readMatrix(path, typedPath(io, file));
  const adapterFile = adapterOf(args, io, resolve(path, ".."));
  const options = await runOptionsOf(args, io);
  const out = args.text("out") ?? freshName("matrix-reports", "");
  const folder = resolve(io.cwd, out);
  const reserved = reserveFolder({ path: folder, name: typedPath(io, out) });
  const places = new Map(
    suites.map(({ id }) => [id, reserveReport(join(folder, `report-${id}.jsonl`))]),
  );
  const release = (): void => {
    for (const place of places.values()) releaseEmpty(place);
    reserved.release();
  };
  const interrupt = interruptible();
  const guard = guardExit(io, release);
  try {
    return await withModules(io, async (modules) => {
      const adapter = await adapterFrom(adapterFile, modules);
      checkKinds(suites, adapter);
      guard.running();
      const quiet = args.flag("json");
      if (!quiet) announce(io, suites, options.trials ?? 1);
      const run = { io, folder, suites, places, adapter, quiet };
      const results = await runSuites({
        ...run,
        options: { ...options, signal: interrupt.signal },
      });
      return conclude(args, io, { out, folder, results });
    });
  } finally {
    release();
    guard.done();
    interrupt.done();
  }
}

/** A matrix that was made for other tools says nothing about these. */
function checkKinds(suites: readonly Suite[], { tools }: Adapter): void {
  for (const { id, tool, kind } of suites) {
    const now = Object.hasOwn(tools, tool) ? tools[tool]?.kind : undefined;
    if (now === kind) continue;
    throw failure("E_MATRIX_TOOL", {
      to: `run the part ${oneLine(id, 100)} of the matrix`,
      because:
        now === undefined
          ? `the adapter has no tool ${JSON.stringify(oneLine(tool, 60))}`
          : `${JSON.stringify(oneLine(tool, 60))} is a ${now} tool of the adapter, and a ${kind} tool of the matrix`,
      fix: 'Write the matrix again: "twiceshy matrix"',
    });
  }
}

function announce(io: Io, suites: readonly Suite[], trials: number): void {
  const scenarios = suites.flatMap(({ workflow }) => workflow.scenarios ?? []).length;
  const whole = scenarios * trials + suites.length;
  say(
    io,
    `${counted(suites.length, "tool")}, ${counted(scenarios, "scenario")}; ${counted(whole, "trial")} with the controls`,
  );
}

async function runSuites(run: MatrixRun): Promise<SuiteResult[]> {
  const results: SuiteResult[] = [];
  let stop: string | undefined;
  for (const suite of run.suites) {
    stop ??= run.options.signal?.aborted === true ? "the run was interrupted" : undefined;
    if (stop === undefined) {
      const result = await runSuite(run, suite);
      results.push(result);
      if (result.reason === CONTROL_FAILED)
        stop = "a control failed, and all of them have the same";
    } else {
      const { id, tool } = suite;
      results.push({ suite: id, tool, status: "not_run", exitCode: EXIT.incomplete, reason: stop });
    }
  }
  return results;
}

const CONTROL_FAILED = "the control failed";

async function runSuite(run: MatrixRun, suite: Suite): Promise<SuiteResult> {
  const { io, folder, places, adapter, options, quiet } = run;
  const { id, tool, workflow: document } = suite;
  const place = places.get(id);
  const about = { suite: id, tool };
  if (place === undefined) return { ...about, status: "error", exitCode: EXIT.incomplete };
  try {
    const workflow: Workflow = await workflowOf(document, adapter);
    const name = `report-${id}.jsonl`;
    const report = { place, path: join(folder, name), name };
    const result = await runFaults(io, { workflow, report, options, quiet });
    const [control] = result.scenarios;
    const status = result.totals.verdict;
    const failed = control?.verdict === "failed";
    return {
      ...about,
      report: name,
      status,
      exitCode: result.exitCode,
      ...(failed ? { reason: CONTROL_FAILED } : {}),
    };
  } catch (thrown) {
    const reason = oneLine(messageOf(thrown), 500);
    note(io, `error ${oneLine(tool, 60)}: ${reason}`);
    return { ...about, status: "error", exitCode: EXIT.incomplete, reason };
  }
}

interface Measured {
  readonly out: string;
  readonly folder: string;
  readonly results: readonly SuiteResult[];
}

function conclude(args: Args, io: Io, { out, folder, results }: Measured): number {
  const codes = results.map(({ exitCode }) => exitCode);
  const exitCode = codes.includes(EXIT.failed)
    ? EXIT.failed
    : codes.every((code) => code === EXIT.passed)
      ? EXIT.passed
      : EXIT.incomplete;
  const status = { 0: "passed", 1: "failed", 3: "incomplete" }[exitCode];
  const completed = results.filter(({ report }) => report !== undefined).length;
  const index = {
    schemaVersion: "twiceshy.matrix-index/1",
    status,
    exitCode,
    planned: results.length,
    completed,
    suites: results,
  };
  writeAtomic(join(folder, "index.json"), `${JSON.stringify(index, null, 2)}\n`);
  if (args.flag("json")) sayJson(io, index);
  else {
    say(io);
    for (const result of results)
      say(io, `${result.status.replace("_", " ").padEnd(10)}  ${oneLine(result.tool, 80)}`);
    say(io, `${status}; reports ${oneLine(typedPath(io, out), 300)}`);
  }
  return exitCode;
}
