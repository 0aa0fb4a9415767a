import { generateWithStore } from "../generate/stored.ts";
import { type Command, EXIT, JSON_OPTION } from "./command.ts";
import { generatedCode, printGenerated, printProblems } from "./generated.ts";
import { sayJson } from "./io.ts";
import { projectOf } from "./project.ts";

export const command: Command = {
  usage: "[options]",
  about: `Turns the failing traces (files and store) into repros, proves each, and writes what changed in the specs folder.
Running it again writes nothing. This is what the runner's plugin does before each run.`,
  options: {
    force: { type: "flag", help: "Overwrite specs that were edited by hand" },
    strict: { type: "flag", help: "Exit with 3 when a record or a failing trace gave no repro" },
    json: JSON_OPTION,
  },
  positionals: [0, 0],
  async run(args, io) {
    const result = generateWithStore(await projectOf(io), { force: args.flag("force") });
    if (args.flag("json")) sayJson(io, result);
    else {
      printProblems(io, result);
      printGenerated(io, result);
    }
    return result.stale.length > 0 ? EXIT.failed : generatedCode(result, args.flag("strict"));
  },
};
