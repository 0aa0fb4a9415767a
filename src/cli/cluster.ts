import { existsSync } from "node:fs";
import { byImportance, textsOf } from "../cluster/cluster.ts";
import { hashing, type Embedder } from "../cluster/embedder.ts";
import { ollama } from "../cluster/ollama.ts";
import type { Config } from "../config/config.ts";
import { causesOfTraces, clusterable, type CauseOfTraces } from "../generate/causes.ts";
import { generateWithStore, storedTraces, withMemo } from "../generate/stored.ts";
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
    const found = await causesIn(config, io, { embedded, model: args.text("model") });
    const agents = readFolder(config.specs.dir);
    const clusters = (
      embedded
        ? found.causes.map((one) => ofTraces(one, found, agents))
        : agents.flatMap((at) => ofRepros(at, found))
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
  /** How many different messages its runs in the store have; all others only repeat one of them. */
  readonly wordings?: number;
  /** Ids of earlier clusters that became one with this. */
  readonly aliases: readonly string[];
  /** What told how alike the messages are. */
  readonly embedder: { readonly name: string; readonly dimensions: number };
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

/** The causes of the traces in the store, and what told them apart. */
interface Found {
  readonly causes: readonly CauseOfTraces[];
  readonly embedder: Pick<Embedder, "name" | "dimensions">;
}

async function causesIn(
  config: Config,
  io: Io,
  { embedded, model }: { readonly embedded: boolean; readonly model: string | undefined },
): Promise<Found> {
  if (!existsSync(config.store)) return { causes: [], embedder: hashing };
  const store = openStore(config.store);
  try {
    const failing = [...storedTraces(store)].filter((seen) => seen.failing);
    const { threshold } = config;
    if (!embedded) {
      const causes = withMemo(store, (memo) => causesOfTraces(failing, { threshold, memo }));
      return { causes, embedder: hashing };
    }
    const host = io.env["OLLAMA_HOST"];
    const embedder = await ollama(textsOf(failing.map((seen) => clusterable(seen))), {
      ...(host === undefined ? {} : { host }),
      ...(model === undefined ? {} : { model }),
      shelf: store,
    });
    return { causes: causesOfTraces(failing, { threshold, embedder }), embedder };
  } finally {
    store.close();
  }
}

/** The clusters of a repros file, with what the store knows of the traces of the same causes. */
function ofRepros({ file }: ReprosAt, { causes, embedder }: Found): Shown[] {
  const homes = new Map<string, CauseOfTraces>();
  for (const cause of causes) {
    if (cause.agent === file.agent) for (const id of cause.members) homes.set(id, cause);
  }
  return Object.keys(file.clusters).map((id) =>
    Object.assign(ofCluster(id, file, homes), { embedder: namesOf(embedder) }),
  );
}

function ofCluster(
  id: string,
  file: ReprosAt["file"],
  homes: ReadonlyMap<string, CauseOfTraces>,
): Omit<Shown, "embedder"> {
  const { label = id, size = 0, representative = "", aliases = {} } = file.clusters[id] ?? {};
  // A rejected repro goes on to name the cluster that it was in.
  const repros = file.repros.filter(
    ({ cluster }) => cluster === id || Object.hasOwn(aliases, cluster),
  );
  const own = [...new Set(repros.flatMap(({ source }) => homes.get(source.trace) ?? []))];
  const latest = Math.max(...own.map((cause) => cause.latest ?? -Infinity));
  const cost = own.reduce((sum, cause) => sum + (cause.cost ?? 0), 0);
  const wordings = own.reduce((sum, cause) => sum + cause.wordings, 0);
  return {
    id,
    label,
    size,
    ...(latest === -Infinity ? {} : { latest }),
    ...(cost === 0 ? {} : { cost }),
    ...(wordings === 0 ? {} : { wordings }),
    aliases: Object.keys(aliases),
    agent: file.agent,
    representative,
    repros: repros.map(({ id: repro, status, title }) => ({ id: repro, status, title })),
    traces: own.flatMap(({ members }) => members).sort(byCodeUnit),
  };
}

function ofTraces(cause: CauseOfTraces, { embedder }: Found, agents: readonly ReprosAt[]): Shown {
  const { members, signature: _signature, aliases = {}, ...shown } = cause;
  const own = new Set(members);
  const repros = agents
    .filter(({ file }) => file.agent === cause.agent)
    .flatMap(({ file }) => file.repros)
    .filter(({ source }) => own.has(source.trace))
    .map(({ id, status, title }) => ({ id, status, title }));
  return {
    ...shown,
    aliases: Object.keys(aliases),
    embedder: namesOf(embedder),
    repros,
    traces: members,
  };
}

function namesOf({ name, dimensions }: Found["embedder"]): Shown["embedder"] {
  return { name, dimensions };
}

function print(io: Io, one: Shown): void {
  const { label, id, size, latest, cost, wordings, aliases, agent, repros } = one;
  const { bold, dim } = colours(io);
  const facts = [
    id,
    counted(size, "run"),
    ...(latest === undefined ? [] : [`last ${dayOf(latest)}`]),
    ...(cost === undefined ? [] : [counted(cost, "token")]),
    ...(wordings === undefined || wordings === 1 ? [] : [counted(wordings, "wording")]),
    ...(aliases.length === 0 ? [] : [`once also ${aliases.join(", ")}`]),
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
