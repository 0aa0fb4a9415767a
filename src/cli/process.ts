import type { Config } from "../config/config.ts";
import { expand } from "../generate/glob.ts";
import { processedBefore, type Processed, type ProcessInput } from "../generate/process.ts";
import type { Args } from "./args.ts";
import { type Command, EXIT } from "./command.ts";
import { generatedCode, printGenerated, printProblems } from "./generated.ts";
import { colours, type Io, note, say, sayJson } from "./io.ts";
import { JUDGE_OPTIONS, judgeChoice } from "./judge-option.ts";
import { notedLines } from "./noted.ts";
import { printJudged, printUnjudged, unjudgedCode } from "./print-judged.ts";
import { projectOf, storeOption, typedPath } from "./project.ts";
import { readCode } from "./read-code.ts";
import { READ_OPTIONS } from "./read-options.ts";

export const command: Command = {
  usage: "[PATHS...] [options]",
  about: `Reads trace files and folders of any known format, finds the failures, and writes proved repros, clusters and specs.
Without paths it takes the project's own trace files and the store. Every record that cannot be read is named with its file,
record and reason, and the rest is kept.`,
  options: {
    ...READ_OPTIONS,
    threshold: {
      type: "number",
      value: "0..1",
      help: "Likeness from which two texts of one signature are one cause (0.85)",
    },
    ...JUDGE_OPTIONS,
  },
  positionals: [0, Infinity],
  async run(typed, terminal) {
    const { args, io, options } = judgeChoice(typed, terminal);
    const threshold = args.number("threshold");
    const config = await projectOf(io, {
      ...options,
      ...storeOption(args),
      ...(threshold === undefined ? {} : { threshold }),
    });
    const input = {
      paths: args.positionals.map((path) => typedPath(io, path)),
      own: expand(config.traces),
      format: args.text("format"),
      agent: args.text("agent-name"),
    };
    const processed =
      processedBefore(config, input) ?? (await processNow(config, input, { args, io }));
    print(io, args, processed);
    return codeFor(processed, {
      named: [...input.paths, ...input.own],
      strict: args.flag("strict"),
    });
  },
};

/** Loaded only when there is something to do. */
async function processNow(
  config: Config,
  input: ProcessInput,
  about: { readonly args: Args; readonly io: Io },
): Promise<Processed> {
  const { processAll } = await import("./process-all.ts");
  return processAll(config, input, about);
}

function print(io: Io, args: Args, { read, damaged, judged, result }: Processed): void {
  if (args.flag("json")) {
    const { inputs: _inputs, ...shown } = result;
    sayJson(io, { read, damaged, ...(judged === undefined ? {} : { judged }), ...shown });
    if (judged !== undefined) printUnjudged(io, judged.unjudged);
    return;
  }
  const paint = colours(io, io.stderr);
  for (const each of read) for (const line of notedLines(each, paint)) note(io, line);
  for (const { trace, because } of damaged) note(io, paint.red(`damaged  ${trace}: ${because}`));
  const told = read.flatMap((each) => [...each.broken, ...each.skipped]);
  printProblems(io, result, new Set(told.map(({ message }) => message)));
  const unread = read.reduce((sum, each) => sum + each.unread, 0);
  printGenerated(io, result, Math.max(unread, result.counts.unread));
  if (judged !== undefined) printJudged(io, judged);
  if (result.counts.traces === 0)
    say(io, 'There are no traces yet: name some files, or see "twiceshy init".');
}

function codeFor(
  { read, damaged, judged, result }: Processed,
  asked: { readonly named: readonly string[]; readonly strict: boolean },
): number {
  const codes = [
    generatedCode(result, asked.strict),
    ...read.map(({ traces, repros, broken, skipped }) =>
      readCode({ read: traces + repros, broken, skipped }, asked),
    ),
    damaged.length > 0 ? EXIT.incomplete : EXIT.passed,
    judged === undefined ? EXIT.passed : unjudgedCode(judged.unjudged),
  ];
  // What could not be used at all weighs more than what is only incomplete.
  return codes.includes(EXIT.invalid) ? EXIT.invalid : Math.max(...codes);
}
