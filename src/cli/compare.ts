import { existsSync } from "node:fs";
import { resolve } from "node:path";
import {
  compareReports,
  type Comparison,
  type ComparedScenario,
} from "../baseline/compare-reports.ts";
import { comparisonSummary } from "../reporter/markdown.ts";
import { failure } from "../shared/error.ts";
import { writeAtomic } from "../shared/file.ts";
import { oneLine } from "../shared/text.ts";
import type { Report } from "../workflow/report.ts";
import { readReport } from "../workflow/read-report.ts";
import type { Args } from "./args.ts";
import { type Command, EXIT, JSON_OPTION } from "./command.ts";
import { commitOf } from "./commit.ts";
import { colours, type Io, say, sayJson } from "./io.ts";
import { typedPath } from "./project.ts";
import { type Destination, reserve } from "./reserve.ts";
import { columns } from "./table.ts";
import { destinationOf } from "./test.ts";

export const command: Command = {
  usage: "--base FILE --candidate FILE [options]",
  about: `Compares two reports of fault tests, scenario by scenario. Exit code 1 when something fails more often than before, or the
control fails; 3 when they cannot be compared, as when one is missing. What only one of them has is listed and judges nothing.`,
  options: {
    base: { type: "text", value: "FILE", help: "The report to compare with" },
    candidate: { type: "text", value: "FILE", help: "The report that is judged" },
    statistics: {
      type: "flag",
      help: "Count a rise only when it is unlikely to be chance (Fisher's exact test, p < 0.05)",
    },
    out: { type: "text", value: "FILE", help: "Write the comparison as JSON" },
    summary: { type: "text", value: "FILE", help: "Write a summary as Markdown" },
    "base-sha": {
      type: "text",
      value: "COMMIT",
      help: "Commit of the base, in place of the report's",
    },
    "head-sha": { type: "text", value: "COMMIT", help: "Commit of the candidate" },
    json: JSON_OPTION,
  },
  positionals: [0, 0],
  run(args, io) {
    const { base, candidate } = sides(args, io);
    const shas = { baseSha: args.text("base-sha"), headSha: args.text("head-sha") };
    const options = {
      statistics: args.flag("statistics"),
      ...(shas.baseSha === undefined ? {} : { baseSha: commitOf(io, shas.baseSha) }),
      ...(shas.headSha === undefined ? {} : { headSha: commitOf(io, shas.headSha) }),
    };
    const [out, summary] = [destinationOf(args, io, "out"), destinationOf(args, io, "summary")];
    const places = [out, summary].filter((place) => place !== undefined);
    const reserved = reserve(places);
    try {
      const comparison = compareReports(read(base), read(candidate), options);
      if (out !== undefined) writeAtomic(out.path, `${JSON.stringify(comparison, null, 2)}\n`);
      if (summary !== undefined) writeAtomic(summary.path, comparisonSummary(comparison));
      if (args.flag("json")) sayJson(io, comparison);
      else print(io, comparison);
      return CODES[comparison.status];
    } finally {
      reserved.release();
    }
  },
};

const CODES = {
  no_regressions: EXIT.passed,
  regressed: EXIT.failed,
  incomparable: EXIT.incomplete,
} as const;

function sides(args: Args, io: Io): { base: Destination; candidate: Destination } {
  const side = (name: string): Destination => {
    const path = args.text(name);
    if (path !== undefined) return { path: resolve(io.cwd, path), name: typedPath(io, path) };
    throw failure("E_OPTION_VALUE", {
      to: "compare two reports",
      because: `--${name} is missing`,
      fix: 'Write "twiceshy compare --base FILE --candidate FILE"',
    });
  };
  return { base: side("base"), candidate: side("candidate") };
}

function read({ path }: Destination): Report | undefined {
  return existsSync(path) ? readReport(path) : undefined;
}

function print(io: Io, { status, reason, scenarios }: Comparison): void {
  const paint = colours(io);
  const colour = { no_regressions: paint.green, regressed: paint.red, incomparable: paint.yellow };
  const rows = columns(scenarios.map((scenario) => cells(scenario)));
  for (const [at, row] of rows.entries()) {
    const scenario = scenarios[at];
    if (scenario === undefined) continue;
    say(io, scenario.change === "regressed" ? paint.red(row) : row);
    for (const { label, base, candidate, chance } of scenario.regressed) {
      const by = chance === undefined ? "" : `, by chance ${(chance * 100).toFixed(1)} %`;
      say(io, `    ${oneLine(label, 120)}: ${base} before, ${candidate} now${by}`);
    }
    if (scenario.change === "incomplete")
      say(io, paint.dim(`    ${oneLine(scenario.reason, 300)}`));
  }
  if (scenarios.length > 0) say(io);
  say(io, `${colour[status](status.replace("_", " "))}: ${oneLine(reason, 300)}`);
}

function cells({ change, title, failures, trials }: ComparedScenario): string[] {
  const counts = `${failures.base}/${trials.base} -> ${failures.candidate}/${trials.candidate} failed`;
  return [change, oneLine(title, 80), counts];
}
