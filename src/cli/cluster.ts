import { generateWithStore } from "../generate/stored.ts";
import { readFolder, type ReprosAt } from "../repro/folder.ts";
import { byCodeUnit } from "../shared/json.ts";
import { oneLine } from "../shared/text.ts";
import { type Command, JSON_OPTION } from "./command.ts";
import { generatedCode, printProblems } from "./generated.ts";
import { colours, say, sayJson } from "./io.ts";
import { projectOf } from "./project.ts";
import { counted } from "./table.ts";

export const command: Command = {
  usage: "[options]",
  about:
    "Groups the repros by cause, writes the groups into the repros files and shows them, largest first.",
  options: {
    threshold: {
      type: "number",
      value: "0..1",
      help: "Likeness from which two texts of one signature are one cause (0.85)",
    },
    json: JSON_OPTION,
  },
  positionals: [0, 0],
  async run(args, io) {
    const threshold = args.number("threshold");
    const config = await projectOf(io, threshold === undefined ? {} : { threshold });
    const result = generateWithStore(config);
    const clusters = readFolder(config.specs.dir).flatMap((at) => clustersOf(at));
    const sorted = clusters.sort((a, b) => b.size - a.size || byCodeUnit(a.label, b.label));
    if (args.flag("json")) sayJson(io, sorted);
    else {
      printProblems(io, result);
      const { bold, dim } = colours(io);
      if (sorted.length === 0)
        say(io, 'There are no repros yet. "twiceshy process PATHS..." makes some.');
      for (const { id, label, size, agent, repros } of sorted) {
        say(
          io,
          `${bold(oneLine(label, 120))}  ${dim(`${id} · ${counted(size, "run")} · ${oneLine(agent, 60)}`)}`,
        );
        for (const { id: repro, status, title } of repros)
          say(io, `  ${repro}  ${status.padEnd(9)}  ${oneLine(title, 80)}`);
      }
    }
    return generatedCode(result);
  },
};

interface Shown {
  readonly id: string;
  readonly label: string;
  readonly size: number;
  readonly agent: string;
  readonly representative: string;
  readonly repros: readonly {
    readonly id: string;
    readonly status: string;
    readonly title: string;
  }[];
}

function clustersOf({ file }: ReprosAt): Shown[] {
  return Object.entries(file.clusters).map(([id, { label, size, representative }]) => ({
    id,
    label,
    size,
    agent: file.agent,
    representative,
    repros: file.repros
      .filter(({ cluster }) => cluster === id)
      .map(({ id: repro, status, title }) => ({ id: repro, status, title })),
  }));
}
