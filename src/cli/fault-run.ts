import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { runSummary } from "../reporter/markdown.ts";
import { rowsOf, totalsOf, type RunTotals, type ScenarioRow } from "../reporter/rows.ts";
import { dateAt, now } from "../shared/clock.ts";
import { writeAtomic } from "../shared/file.ts";
import { oneLine } from "../shared/text.ts";
import { readReport } from "../workflow/read-report.ts";
import type { ReportPlace } from "../workflow/report-file.ts";
import { runWorkflow, type RunOptions, type WorkflowRun } from "../workflow/run.ts";
import { scenariosOf } from "../workflow/scenarios.ts";
import type { Trial } from "../workflow/trial-result.ts";
import type { Workflow } from "../workflow/workflow.ts";
import { colours, type Io, note, say } from "./io.ts";
import type { Destination } from "./reserve.ts";
import { counted } from "./table.ts";

/** A run of a workflow by a command. */
export interface FaultRun {
  readonly workflow: Workflow;
  readonly report: { readonly place: ReportPlace; readonly path: string; readonly name: string };
  readonly summary?: Destination | undefined;
  readonly options: RunOptions;
  /** Prints nothing but the result, for programs. */
  readonly quiet: boolean;
}

/** What a command knows when a workflow was run. */
export interface FaultRunResult {
  readonly exitCode: number;
  readonly report: string;
  readonly partial?: string;
  readonly totals: RunTotals;
  readonly scenarios: readonly ScenarioRow[];
  readonly notes: readonly string[];
}

/** Runs a workflow, prints each trial as it ends, writes the report and, when asked for, the summary. */
export async function runFaults(io: Io, run: FaultRun): Promise<FaultRunResult> {
  const { workflow, report, summary, options, quiet } = run;
  const trials = options.trials ?? workflow.trials ?? 1;
  if (!quiet) announce(io, workflow, trials);
  const ran = await runWorkflow(workflow, {
    ...options,
    report: report.place,
    ...(quiet ? {} : { onTrial: (trial, number) => sayTrial(io, trial, { number, trials }) }),
  });
  const written = readReport(report.path);
  if (summary !== undefined) writeAtomic(summary.path, runSummary(written));
  const measured = { ...written, scenarios: written.header.scenarios };
  const result = {
    exitCode: ran.exitCode,
    report: report.name,
    ...(ran.partial === undefined ? {} : { partial: ran.partial }),
    totals: totalsOf(measured),
    scenarios: rowsOf(measured),
    notes: notesOf(ran),
  };
  if (!quiet) conclude(io, result);
  return result;
}

/** What the run will cost, before anything is paid for. */
function announce(io: Io, workflow: Workflow, trials: number): void {
  const count = scenariosOf(workflow).length;
  const each = trials === 1 ? "" : `, ${trials} trials each`;
  const whole = count * trials + 1;
  say(
    io,
    `${oneLine(workflow.title ?? workflow.id, 80)}: ${counted(count, "scenario")}${each}; ${counted(whole, "trial")} with the control`,
  );
}

function notesOf({ control, trials, notes }: WorkflowRun): string[] {
  return [...new Set([...notes, ...[control, ...trials].flatMap((trial) => trial.notes)])];
}

const WORDS = { passed: "passed", failed: "failed", inconclusive: "incomplete" } as const;

/** One line for a trial, and its failing checks, else its reason, under it. */
function sayTrial(
  io: Io,
  trial: Trial,
  { number, trials }: { readonly number: number; readonly trials: number },
): void {
  const { green, red, yellow, dim } = colours(io);
  const paint = { passed: green, failed: red, inconclusive: yellow }[trial.verdict];
  const isControl = trial.scenario.faults.length === 0;
  const which = trials === 1 || isControl ? "" : `, trial ${number} of ${trials}`;
  const title = oneLine(trial.scenario.title, 100);
  say(io, `${paint(WORDS[trial.verdict].padEnd(10))}  ${title}${which}`);
  if (trial.verdict === "passed") return;
  const { issue } = trial;
  const failing = trial.checks.filter(({ passed }) => !passed);
  const isTold = trial.verdict === "failed" && failing.length > 0;
  if (issue !== undefined || !isTold)
    say(io, dim(`            ${oneLine(issue?.message ?? trial.reason, 400)}`));
  if (issue === undefined && !isTold) return;
  for (const { id, label, message } of failing)
    say(io, `            ${oneLine(label ?? id, 100)}: ${oneLine(message, 300)}`);
}

function conclude(io: Io, result: FaultRunResult): void {
  const { totals, partial, report, notes, scenarios } = result;
  const { dim, green, red, yellow } = colours(io);
  for (const text of notes) note(io, dim(`note     ${oneLine(text, 400)}`));
  const [control] = scenarios;
  if (control?.verdict === "failed" || control?.verdict === "inconclusive")
    say(
      io,
      yellow("            No fault was tried: the control, without any fault, did not pass."),
    );
  else if (partial !== undefined) say(io, yellow(`            ${oneLine(partial, 400)}`));
  const { verdict, passed, planned, failed, inconclusive, missing } = totals;
  const paint = { passed: green, failed: red, incomplete: yellow }[verdict];
  const rest = [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(inconclusive > 0 ? [`${inconclusive} inconclusive`] : []),
    ...(missing > 0 ? [`${missing} not run`] : []),
  ].map((part) => `, ${part}`);
  say(io);
  say(io, `${paint(verdict)}: ${passed}/${planned} fault trials passed${rest.join("")}`);
  say(io, dim(`report ${oneLine(report, 300)}`));
}

/** A file or folder below the project's own folder that no other run has. */
export function freshName(folder: string, ending: string): string {
  const time = dateAt(now()).toISOString().slice(0, 19).replaceAll(":", "-");
  return join(".twiceshy", folder, `${time}-${randomBytes(4).toString("hex")}${ending}`);
}
