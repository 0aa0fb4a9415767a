import { existsSync } from "node:fs";
import { byImportance, textsOf } from "../cluster/cluster.ts";
import type { Embedder } from "../cluster/embedder.ts";
import { ollama } from "../cluster/ollama.ts";
import type { Config } from "../config/config.ts";
import { causesOfTraces, clusterable, type CauseOfTraces } from "../generate/causes.ts";
import { generateWithStore, storedTraces } from "../generate/stored.ts";
import { readFolder, type ReprosAt } from "../repro/folder.ts";
import { byCodeUnit } from "../shared/json.ts";
import { oneLine } from "../shared/text.ts";
import { openStore } from "../store/store.ts";
import { type Command, JSON_OPTION } from "./command.ts";
import { generatedCode, printProblems } from "./generated.ts";
import { colours, type Io, say, sayJson } from "./io.ts";
import { projectOf, storeOption } from "./project.ts";
import { counted } from "./table.ts";

export const command: Command = {
  usage: "[options]",
  about: `Groups the repros by cause, writes the groups into the repros files and shows them: the largest first, then the
newest, then the dearest. With --embedder ollama the traces of the store are grouped by the vectors of a local model, and
shown; nothing is written, so that the files are the same on every machine.`,
  options: {
    threshold: {
      type: "number",
      value: "0..1",
      help: "Likeness from which two texts of one signature are one cause (0.85)",
    },
    embedder: {
      type: ["ollama"],
      value: "ollama",
      help: "Vectors of a local Ollama (OLLAMA_HOST)",
    },
    model: { type: "text", value: "NAME", help: "Ollama's model (nomic-embed-text)" },
    db: { type: "text", value: "FILE", help: "Store to use in place of the project's" },
    json: JSON_OPTION,
  },
  positionals: [0, 0],
  async run(args, io) {
    const threshold = args.number("threshold");
    const config = await projectOf(io, {
      ...storeOption(args),
      ...(threshold === undefined ? {} : { threshold }),
    });
    const result = generateWithStore(config);
    const embedded = args.text("embedder") !== undefined;
    const causes = await causesIn(config, io, { embedded, model: args.text("model") });
    const agents = readFolder(config.specs.dir);
    const clusters = (
      embedded
        ? causes.map((one) => ofTraces(one, agents))
        : agents.flatMap((at) => ofRepros(at, causes))
    ).sort(byImportance);
    if (args.flag("json")) sayJson(io, clusters);
    else {
      printProblems(io, result);
      if (clusters.length === 0)
        say(io, 'There are no repros yet. "twiceshy process PATHS..." makes some.');
      for (const one of clusters) print(io, one);
    }
    return generatedCode(result);
  },
};

interface Shown {
  readonly id: string;
  readonly label: string;
  readonly size: number;
  /** When the newest of its runs began, in epoch milliseconds. */
  readonly latest?: number;
  /** Tokens that its runs used. */
  readonly cost?: number;
  readonly agent: string;
  readonly representative: string;
  readonly repros: readonly {
    readonly id: string;
    readonly status: string;
    readonly title: string;
  }[];
  /** Ids of its failing traces in the store, sorted. */
  readonly traces: readonly string[];
}

async function causesIn(
  config: Config,
  io: Io,
  { embedded, model }: { readonly embedded: boolean; readonly model: string | undefined },
): Promise<CauseOfTraces[]> {
  if (!existsSync(config.store)) return [];
  const store = openStore(config.store);
  try {
    const failing = [...storedTraces(store)].filter((seen) => seen.failing);
    const { threshold } = config;
    if (!embedded) return causesOfTraces(failing, { threshold });
    const host = io.env["OLLAMA_HOST"];
    const embedder: Embedder = await ollama(textsOf(failing.map((seen) => clusterable(seen))), {
      ...(host === undefined ? {} : { host }),
      ...(model === undefined ? {} : { model }),
      shelf: store,
    });
    return causesOfTraces(failing, { threshold, embedder });
  } finally {
    store.close();
  }
}

/** The clusters of a repros file, with what the store knows of the traces of the same causes. */
function ofRepros({ file }: ReprosAt, causes: readonly CauseOfTraces[]): Shown[] {
  const homes = new Map<string, CauseOfTraces>();
  for (const cause of causes) {
    if (cause.agent === file.agent) for (const id of cause.members) homes.set(id, cause);
  }
  return Object.keys(file.clusters).map((id) => ofCluster(id, file, homes));
}

function ofCluster(
  id: string,
  file: ReprosAt["file"],
  homes: ReadonlyMap<string, CauseOfTraces>,
): Shown {
  const { label = id, size = 0, representative = "" } = file.clusters[id] ?? {};
  const repros = file.repros.filter(({ cluster }) => cluster === id);
  const own = [...new Set(repros.flatMap(({ source }) => homes.get(source.trace) ?? []))];
  const latest = Math.max(...own.map((cause) => cause.latest ?? -Infinity));
  const cost = own.reduce((sum, cause) => sum + (cause.cost ?? 0), 0);
  return {
    id,
    label,
    size,
    ...(latest === -Infinity ? {} : { latest }),
    ...(cost === 0 ? {} : { cost }),
    agent: file.agent,
    representative,
    repros: repros.map(({ id: repro, status, title }) => ({ id: repro, status, title })),
    traces: own.flatMap(({ members }) => members).sort(byCodeUnit),
  };
}

function ofTraces(cause: CauseOfTraces, agents: readonly ReprosAt[]): Shown {
  const { members, signature: _signature, ...shown } = cause;
  const own = new Set(members);
  const repros = agents
    .filter(({ file }) => file.agent === cause.agent)
    .flatMap(({ file }) => file.repros)
    .filter(({ source }) => own.has(source.trace))
    .map(({ id, status, title }) => ({ id, status, title }));
  return { ...shown, repros, traces: members };
}

function print(io: Io, { label, id, size, latest, cost, agent, repros }: Shown): void {
  const { bold, dim } = colours(io);
  const facts = [
    id,
    counted(size, "run"),
    ...(latest === undefined ? [] : [`last ${dayOf(latest)}`]),
    ...(cost === undefined ? [] : [counted(cost, "token")]),
    oneLine(agent, 60),
  ];
  say(io, `${bold(oneLine(label, 120))}  ${dim(facts.join(" · "))}`);
  for (const { id: repro, status, title } of repros)
    say(io, `  ${repro}  ${status.padEnd(9)}  ${oneLine(title, 80)}`);
}

/** A day as 2026-03-01; a time that is none is shown as its number. */
function dayOf(at: number): string {
  return Math.abs(at) > 8.64e15 ? String(at) : new Date(at).toISOString().slice(0, 10);
}
