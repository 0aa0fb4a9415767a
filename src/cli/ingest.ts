import { formatNames, ingest, type Ingested } from "../generate/ingest.ts";
import type { Args } from "./args.ts";
import { type Command, EXIT, JSON_OPTION, type OptionShape } from "./command.ts";
import { colours, type Io, note, say, sayJson } from "./io.ts";
import { notedLines } from "./noted.ts";
import { progress } from "./progress.ts";
import { projectOf, typedPath } from "./project.ts";
import { counted } from "./table.ts";
import type { Config } from "../config/config.ts";

/** Options of every command that reads trace files. */
export const READ_OPTIONS: Readonly<Record<string, OptionShape>> = {
  format: {
    type: "text",
    value: "NAME",
    help: `Only records of this format (${formatNames().join(", ")})`,
  },
  "agent-name": { type: "text", value: "NAME", help: "Agent of the traces that name none" },
  strict: { type: "flag", help: "Exit with 3 when something could not be read" },
  json: JSON_OPTION,
};

export const command: Command = {
  usage: "PATHS... [options]",
  about: `Reads trace files and folders into the store; formats are told apart by their content. What was read before adds nothing.
A record that cannot be read is named with its file and line, and the rest is kept. Exported tests of Faultspool (tests.jsonl)
become repros.`,
  options: READ_OPTIONS,
  positionals: [1, Infinity],
  async run(args, io) {
    const config = await projectOf(io);
    const read = readPaths(config, args, io);
    if (args.flag("json")) sayJson(io, read);
    else print(io, read);
    return codeOf(read, args.flag("strict"));
  },
};

/** Reads the paths of a command line into the store. */
export function readPaths(config: Config, args: Args, io: Io): Ingested {
  const shown = progress(io, "reading record");
  const [format, agent] = [args.text("format"), args.text("agent-name")];
  try {
    return ingest(
      config,
      args.positionals.map((path) => typedPath(io, path)),
      {
        ...(format === undefined ? {} : { format }),
        ...(agent === undefined ? {} : { agent }),
        redact: config.redact,
        onItem: shown.tick,
      },
    );
  } finally {
    shown.done();
  }
}

/** 2 when nothing could be read at all, 3 when something could not and the user asked to hear of it. */
export function codeOf(
  { broken, traces, repros }: Pick<Ingested, "broken" | "traces" | "repros">,
  strict: boolean,
): number {
  if (broken.length === 0) return EXIT.passed;
  if (traces + repros === 0) return EXIT.invalid;
  return strict ? EXIT.incomplete : EXIT.passed;
}

function print(io: Io, read: Ingested): void {
  for (const line of notedLines(read, colours(io, io.stderr))) note(io, line);
  const formats = Object.entries(read.formats).map(([format, count]) => `${count} ${format}`);
  say(
    io,
    `${counted(read.traces, "trace")} read${formats.length === 0 ? "" : ` (${formats.join(", ")})`}: ${read.added} new, ${read.known} known${read.extended === 0 ? "" : `, ${read.extended} longer than before`}`,
  );
  if (read.repros > 0) say(io, `${counted(read.repros, "repro")} made of exported tests`);
  if (read.broken.length > 0) say(io, `${counted(read.broken.length, "record")} could not be read`);
}
