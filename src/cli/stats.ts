import { existsSync } from "node:fs";
import { readFolder } from "../repro/folder.ts";
import { oneLine } from "../shared/text.ts";
import { waitingRuns } from "../store/journal.ts";
import { openStore, type StoreStats } from "../store/store.ts";
import { type Command, EXIT, JSON_OPTION } from "./command.ts";
import { colours, say, sayJson } from "./io.ts";
import { projectOf } from "./project.ts";
import { columns } from "./table.ts";
import type { Config } from "../config/config.ts";

export const command: Command = {
  usage: "[options]",
  about:
    "Counts the traces, failures and runs of the store, and the repros and clusters of the specs folder.",
  options: { json: JSON_OPTION },
  positionals: [0, 0],
  async run(args, io) {
    const config = await projectOf(io);
    const store = storeStats(config);
    const repros = reproStats(config);
    if (args.flag("json")) {
      sayJson(io, { store: store ?? null, repros });
      return EXIT.passed;
    }
    const { bold, dim } = colours(io);
    if (store === undefined)
      say(io, dim("There is no store yet; trace files are read without one."));
    else {
      for (const line of columns([
        [
          "traces",
          String(store.traces),
          `${store.failing} failing, ${store.undetected} not looked at yet`,
        ],
        ["runs", String(store.runs), latestOf(store)],
      ]))
        say(io, line);
      for (const { kind, traces } of store.kinds) say(io, `  ${oneLine(kind, 60)} ${traces}`);
      for (const { agent, traces, failing } of store.agents)
        say(io, `  ${bold(oneLine(agent, 60))} ${traces}, ${failing} failing`);
    }
    const { total, pending, confirmed, rejected, waiting, clusters } = repros;
    for (const line of columns([
      [
        "repros",
        String(total),
        `${confirmed} confirmed, ${pending} pending, ${rejected} rejected, ${waiting} waiting for an expected answer`,
      ],
      ["clusters", String(clusters), ""],
    ]))
      say(io, line);
    return EXIT.passed;
  },
};

function storeStats(config: Config): StoreStats | undefined {
  // Runs of tests wait beside a store that nobody opened yet.
  if (!existsSync(config.store) && waitingRuns(config.store) === 0) return undefined;
  const store = openStore(config.store);
  try {
    return store.stats();
  } finally {
    store.close();
  }
}

function reproStats(
  config: Config,
): Record<"total" | "pending" | "confirmed" | "rejected" | "waiting" | "clusters", number> {
  const files = readFolder(config.specs.dir).map(({ file }) => file);
  const repros = files.flatMap((file) => file.repros);
  const of = (status: string): number => repros.filter((repro) => repro.status === status).length;
  return {
    total: repros.length,
    pending: of("pending"),
    confirmed: of("confirmed"),
    rejected: of("rejected"),
    waiting: repros.filter(({ needs }) => needs !== undefined).length,
    clusters: files.reduce((sum, file) => sum + Object.keys(file.clusters).length, 0),
  };
}

function latestOf({ latestRun }: StoreStats): string {
  if (latestRun === undefined) return "";
  const passing = latestRun.verdicts.filter(({ verdict }) => verdict === "passes").length;
  return `the latest: ${oneLine(latestRun.agent, 60)} ${oneLine(latestRun.agentVersion, 60)}, ${passing} of ${latestRun.verdicts.length} pass`;
}
