import { detectStored } from "../generate/detect-stored.ts";
import { generateWithStore } from "../generate/stored.ts";
import { expand } from "../generate/glob.ts";
import { ingest, type Ingested } from "../generate/ingest.ts";
import { type Command, EXIT } from "./command.ts";
import { generatedCode, printGenerated, printProblems } from "./generated.ts";
import { colours, note, say, sayJson } from "./io.ts";
import { codeOf, READ_OPTIONS, readPaths } from "./ingest.ts";
import { notedLines } from "./noted.ts";
import { progress } from "./progress.ts";
import { projectOf } from "./project.ts";

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
  },
  positionals: [0, Infinity],
  async run(args, io) {
    const threshold = args.number("threshold");
    const config = await projectOf(io, threshold === undefined ? {} : { threshold });
    const own = expand(config.traces);
    const reads: Ingested[] = [];
    if (args.positionals.length > 0) reads.push(readPaths(config, args, io));
    if (own.length > 0) reads.push(ingest(config, own, { redact: config.redact }));
    const shown = progress(io, "looking at trace");
    const { damaged } = detectStored(config, { onTrace: shown.tick });
    shown.done();
    const result = generateWithStore(config);
    const strict = args.flag("strict");
    if (args.flag("json")) sayJson(io, { read: reads, damaged, ...result });
    else {
      const paint = colours(io, io.stderr);
      for (const read of reads) for (const line of notedLines(read, paint)) note(io, line);
      for (const { trace, because } of damaged)
        note(io, paint.red(`damaged  ${trace}: ${because}`));
      printProblems(
        io,
        result,
        new Set(
          reads.flatMap((read) => [...read.broken, ...read.skipped].map(({ message }) => message)),
        ),
      );
      const broken = reads.reduce((sum, read) => sum + read.broken.length, 0);
      printGenerated(io, result, Math.max(broken, result.counts.unread));
      if (result.counts.traces === 0)
        say(io, 'There are no traces yet: name some files, or see "twiceshy init".');
    }
    const codes = [
      generatedCode(result, strict),
      ...reads.map((read) => codeOf(read, strict)),
      damaged.length > 0 ? EXIT.incomplete : EXIT.passed,
    ];
    // What could not be used at all weighs more than what is only incomplete.
    return codes.includes(EXIT.invalid) ? EXIT.invalid : Math.max(...codes);
  },
};
