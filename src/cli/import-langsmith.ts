import type { Command } from "./command.ts";
import { SCAFFOLD_OPTIONS, scaffoldFrom } from "./scaffold.ts";

export const command: Command = {
  usage: "FILE --out FOLDER [options]",
  about: `Makes a fault test of one run of LangSmith: as "twiceshy scaffold", which reads every format, and refuses any other. Takes an exported run
with the runs inside it, a list of runs, {"runs": […]}, and what the SDK writes and sends.`,
  options: SCAFFOLD_OPTIONS,
  positionals: [1, 1],
  run: (args, io) => scaffoldFrom(args, io, "langsmith"),
};
