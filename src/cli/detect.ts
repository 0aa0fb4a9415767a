import { detectStored } from "../generate/detect-stored.ts";
import { expand } from "../generate/glob.ts";
import { ingest } from "../generate/ingest.ts";
import { oneLine } from "../shared/text.ts";
import type { Failure } from "../detector/detector.ts";
import type { Judged } from "../generate/judge-stored.ts";
import type { Args } from "./args.ts";
import { type Command, EXIT, JSON_OPTION } from "./command.ts";
import { detectFiles } from "./detect-files.ts";
import { colours, type Io, note, say, sayJson } from "./io.ts";
import { configuredJudge, judgedBy } from "./judge-now.ts";
import { JUDGE_OPTIONS, judgeChoice } from "./judge-option.ts";
import { printJudged, printUnjudged, unjudgedCode } from "./print-judged.ts";
import { progress } from "./progress.ts";
import { projectOf } from "./project.ts";
import { counted } from "./table.ts";

export const command: Command = {
  usage: "[FILES...] [options]",
  about: `Finds the failures in the traces of the store, and shows them; the project's trace files are read into it first.
Looks only at traces that were not looked at yet. With FILES: looks at the traces in these files or folders alone, and
needs no store; --json then prints one line a record, in the order of the input. With --judge a model is asked as well, once
about each trace; what it alone finds is shown, and makes no trace failing.`,
  options: {
    all: { type: "flag", help: "Look at every trace again" },
    strict: { type: "flag", help: "Exit with 3 when something in FILES could not be read" },
    json: JSON_OPTION,
    ...JUDGE_OPTIONS,
  },
  positionals: [0, Infinity],
  async run(typed, terminal) {
    const { args, io, options } = judgeChoice(typed, terminal);
    const config = await projectOf(io, options);
    if (args.positionals.length > 0) return detectFiles(config, args, io);
    const judge = await configuredJudge(config, io);
    const files = expand(config.traces);
    if (files.length > 0) ingest(config, files, { redact: config.redact });
    const shown = progress(io, "looking at trace");
    const found: { trace: string; failures: readonly Failure[] }[] = [];
    const seen = new Set<string>();
    const { traces, failing, damaged } = detectStored(config, {
      all: args.flag("all"),
      onTrace(trace, failures) {
        shown.tick();
        seen.add(trace);
        if (failures.length > 0) found.push({ trace, failures });
      },
    });
    shown.done();
    for (const { trace, because } of damaged)
      note(io, `damaged  ${oneLine(trace, 80)}: ${because}`);
    const judged = await judgedBy(judge, config, io);
    const more = judged === undefined ? {} : { judged };
    if (args.flag("json")) sayJson(io, { traces, failing, damaged, found, ...more });
    else {
      for (const { trace, failures } of found) print(io, trace, failures);
      say(io, `${counted(traces, "trace")} looked at, ${failing} failing`);
    }
    const code = judged === undefined ? EXIT.passed : judgedCode(io, judged, { args, seen });
    return damaged.length > 0 ? EXIT.incomplete : code;
  },
};

/** Shows what a judge said of the traces that were looked at now, or that it was asked about now. */
function judgedCode(
  io: Io,
  judged: Judged,
  { args, seen }: { readonly args: Args; readonly seen: ReadonlySet<string> },
): number {
  const shown = judged.offTrack.filter(({ trace, asked }) => asked || seen.has(trace));
  if (args.flag("json")) printUnjudged(io, judged.unjudged);
  else printJudged(io, judged, shown);
  return unjudgedCode(judged.unjudged);
}

function print(io: Io, trace: string, failures: readonly Failure[]): void {
  const { bold, dim, red } = colours(io);
  say(io, bold(oneLine(trace, 80)));
  for (const { kind, severity, step, message } of failures) {
    const where = step === undefined ? "" : ` at step ${step}`;
    const line = `${severity.padEnd(6)} ${oneLine(kind, 60)}${where}: ${oneLine(message, 200)}`;
    say(io, `  ${severity === "low" ? dim(line) : red(line)}`);
  }
}
