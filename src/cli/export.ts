import { resolve } from "node:path";
import { readFolder } from "../repro/folder.ts";
import { exported, type ExportStatus } from "../repro/export.ts";
import { writeAtomic } from "../shared/file.ts";
import { type Command, EXIT } from "./command.ts";
import { note } from "./io.ts";
import { projectOf } from "./project.ts";
import { counted } from "./table.ts";

export const command: Command = {
  usage: "OUT [options]",
  about: `Writes repros as JSONL, one whole repro with its large results a line; "-" writes to the standard output.
"twiceshy ingest" does not read them back: the files in the specs folder are the place to keep repros.`,
  options: {
    status: {
      type: ["confirmed", "pending", "all"],
      help: "Which repros; confirmed by default, rejected ones never but with all",
    },
    dedup: { type: "flag", help: "One of each cluster: its representative where it is chosen" },
  },
  positionals: [1, 1],
  async run(args, io) {
    const [out = "-"] = args.positionals;
    const config = await projectOf(io);
    const status = (args.text("status") ?? "confirmed") as ExportStatus;
    const lines = exported(
      readFolder(config.specs.dir).map(({ file }) => file),
      { status, dedup: args.flag("dedup") },
    );
    const text = lines.map((line) => `${line}\n`).join("");
    if (out === "-") io.stdout.write(text);
    else writeAtomic(resolve(io.cwd, out), text);
    note(io, `${counted(lines.length, "repro")} written`);
    return EXIT.passed;
  },
};
