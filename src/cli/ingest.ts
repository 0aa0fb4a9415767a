import { formatNames, ingest, type Ingested } from "../generate/ingest.ts";
import type { Args } from "./args.ts";
import type { Command } from "./command.ts";
import { colours, type Io, note, say, sayJson } from "./io.ts";
import { notedLines } from "./noted.ts";
import { progress } from "./progress.ts";
import { projectOf, storeOption, typedPath } from "./project.ts";
import { readCode } from "./read-code.ts";
import { READ_OPTIONS } from "./read-options.ts";
import { counted } from "./table.ts";
import type { Config } from "../config/config.ts";

export const command: Command = {
  usage: "PATHS... [options]",
  about: `Reads trace files and folders into the store; formats are told apart by their content. What was read before adds nothing.
A record that cannot be read is named with its file and line, and the rest is kept. Exported tests of Faultspool (tests.jsonl)
become repros.
${wrapped(`Formats: ${formatNames().join(", ")}`)}`,
  options: READ_OPTIONS,
  positionals: [1, Infinity],
  async run(args, io) {
    const config = await projectOf(io, storeOption(args));
    const read = readPaths(config, args, { io });
    if (args.flag("json")) sayJson(io, read);
    else print(io, read);
    return readCode(
      { read: read.traces + read.repros, broken: read.broken, skipped: read.skipped },
      { named: typedPaths(args, io), strict: args.flag("strict") },
    );
  },
};

/** Reads the paths of a command line into the store. */
export function readPaths(
  config: Config,
  args: Args,
  { io, look = false }: { readonly io: Io; readonly look?: boolean },
): Ingested {
  const shown = progress(io, "reading record");
  const [format, agent] = [args.text("format"), args.text("agent-name")];
  try {
    return ingest(config, typedPaths(args, io), {
      ...(format === undefined ? {} : { format }),
      ...(agent === undefined ? {} : { agent }),
      redact: config.redact,
      look,
      onItem: shown.tick,
    });
  } finally {
    shown.done();
  }
}

function typedPaths(args: Args, io: Io): string[] {
  return args.positionals.map((path) => typedPath(io, path));
}

function print(io: Io, read: Ingested): void {
  for (const line of notedLines(read, colours(io, io.stderr))) note(io, line);
  const formats = Object.entries(read.formats).map(([format, count]) => `${count} ${format}`);
  say(
    io,
    `${counted(read.traces, "trace")} read${formats.length === 0 ? "" : ` (${formats.join(", ")})`}: ${read.added} new, ${read.known} known${read.extended === 0 ? "" : `, ${read.extended} longer than before`}`,
  );
  if (read.repros > 0) say(io, `${counted(read.repros, "repro")} made of exported tests`);
  if (read.unread > 0) say(io, `${counted(read.unread, "record")} could not be read`);
  if (read.skipped.length > 0) say(io, `${read.skipped.length} skipped`);
}

/** Lines of at most a hundred characters, broken at spaces. */
function wrapped(text: string): string {
  return text.replaceAll(/(.{1,100})(?: |$)/g, "$1\n").trimEnd();
}
