import { lstatSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { type TrendPoint, type Trends, workflowTrends } from "../baseline/trends.ts";
import { dateAt } from "../shared/clock.ts";
import { failure, messageOf } from "../shared/error.ts";
import { byCodeUnit } from "../shared/json.ts";
import { oneLine } from "../shared/text.ts";
import type { Report } from "../workflow/report.ts";
import { readReport } from "../workflow/read-report.ts";
import { type Command, EXIT, JSON_OPTION } from "./command.ts";
import { colours, type Io, note, say, sayJson } from "./io.ts";
import { typedPath } from "./project.ts";
import { columns, counted } from "./table.ts";

const HOME = ".twiceshy/reports";

export const command: Command = {
  usage: "[PATHS...] [options]",
  about: `Shows how often each scenario of the fault tests passed, commit by commit, from reports that name their commit ("twiceshy test
--commit HEAD"). Paths are report files, or folders of them; ${HOME} by default. Where a rate would be a guess there is a gap, with its reason.`,
  options: { json: JSON_OPTION },
  positionals: [0, Infinity],
  run(args, io) {
    const given = args.positionals.length > 0 ? args.positionals : [HOME];
    const paths = given.flatMap((path) => reportsAt(resolve(io.cwd, path), typedPath(io, path)));
    const reports: Report[] = [];
    let broken = 0;
    for (const path of paths) {
      try {
        reports.push(readReport(path));
      } catch (thrown) {
        broken += 1;
        note(io, `broken   ${oneLine(messageOf(thrown), 600)}`);
      }
    }
    const trends = workflowTrends(reports);
    if (args.flag("json")) sayJson(io, trends);
    else print(io, trends);
    return broken > 0 ? EXIT.incomplete : EXIT.passed;
  },
};

/** The report files of a folder, also in folders below it, by name; or the file itself. */
function reportsAt(path: string, name: string): string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) {
    throw failure("E_REPORT_MISSING", {
      to: `read the reports of ${oneLine(name, 300)}`,
      because: "there is no such file or folder",
      fix: 'Write some first: "twiceshy test --commit HEAD"',
    });
  }
  if (!stats.isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".jsonl"))
    .sort(byCodeUnit)
    .map((file) => join(path, file));
}

function print(io: Io, { series, unlabelled, duplicates }: Trends): void {
  const { bold, dim } = colours(io);
  for (const { workflow, agent, title, points } of series) {
    say(
      io,
      bold(`${oneLine(title, 80)}  ${dim(`${oneLine(workflow, 60)}, ${oneLine(agent, 60)}`)}`),
    );
    for (const line of columns(points.map((point) => cells(point)))) say(io, `  ${line}`);
  }
  if (series.length === 0) say(io, "No report names its commit.");
  if (unlabelled > 0) say(io, dim(`${counted(unlabelled, "report")} without a commit left out`));
  if (duplicates > 0) say(io, dim(`${counted(duplicates, "report")} given more than once`));
}

function cells(point: TrendPoint): string[] {
  const { commit, recordedAt, passed, planned, passRate, reason } = point;
  return [
    oneLine(commit.slice(0, 12)),
    recordedAt === undefined ? "" : dateAt(recordedAt).toISOString().slice(0, 16).replace("T", " "),
    passRate === null ? "-" : `${Math.round(passRate)} %`,
    `${passed} of ${planned} passed`,
    ...(reason === undefined ? [] : [oneLine(reason, 200)]),
  ];
}
