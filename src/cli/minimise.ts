import { createInterface } from "node:readline/promises";
import { loadAgent } from "../agent/load.ts";
import { agentFor } from "../config/load.ts";
import type { Config } from "../config/config.ts";
import { readRepros, reprosText } from "../repro/file.ts";
import { findRepro, readFolder } from "../repro/folder.ts";
import { budgetFor, minimise, type Minimised, type WholeRepro } from "../repro/minimise.ts";
import { replay } from "../repro/replay.ts";
import { openModules } from "../runner/import-module.ts";
import { failure } from "../shared/error.ts";
import { writeAtomic } from "../shared/file.ts";
import { type Command, EXIT, JSON_OPTION } from "./command.ts";
import { type Io, note, say, sayJson } from "./io.ts";
import { progress } from "./progress.ts";
import { projectOf } from "./project.ts";
import { counted } from "./table.ts";

export const command: Command = {
  usage: "REPRO [options]",
  about: `Runs the configured agent on ever less of a repro - recorded calls, parts of the task, parts of large results - and keeps
the smallest that still fails with the same signatures. Tools are answered from the cassette; if the agent asks a model itself,
each replay may cost what a run costs. The number of replays is shown first.`,
  options: {
    budget: { type: "number", help: "Replays at most; also the consent to them" },
    yes: { type: "flag", help: "Do not ask" },
    json: JSON_OPTION,
  },
  positionals: [1, 1],
  async run(args, io) {
    const config = await projectOf(io);
    const [id = ""] = args.positionals;
    const { path, file, repro } = findRepro(readFolder(config.specs.dir), id);
    const whole: WholeRepro = { repro, blobs: file.blobs };
    const budget = args.number("budget") ?? budgetFor(whole);
    note(
      io,
      `${repro.id}: at most ${counted(budget, "replay")} of the agent, each of up to ${config.limits.toolCalls} recorded tool calls and ${config.limits.ms / 1000} s`,
    );
    const agreed = args.flag("yes") || args.number("budget") !== undefined || (await agrees(io));
    if (!agreed) return EXIT.passed;
    const smallest = await search(config, io, { whole, budget, agent: file.agent });
    save(path, config, smallest);
    if (args.flag("json"))
      sayJson(io, {
        repro: repro.id,
        removed: smallest.removed,
        replays: smallest.replays,
        stopped: smallest.stopped,
      });
    else print(io, smallest);
    return EXIT.passed;
  },
};

async function agrees(io: Io): Promise<boolean> {
  const input = createInterface({ input: io.stdin, terminal: false });
  try {
    io.stdout.write("Go on? [y/N] ");
    const line = await Promise.race([
      new Promise<string>((resolve) => input.once("line", resolve)),
      new Promise<string>((resolve) => input.once("close", () => resolve(""))),
    ]);
    return /^y(?:es)?$/i.test(line.trim());
  } finally {
    input.close();
  }
}

async function search(
  config: Config,
  io: Io,
  about: { whole: WholeRepro; budget: number; agent: string },
): Promise<Minimised> {
  const modules = openModules(config.root);
  const shown = progress(io, "replay", about.budget);
  const { matching, volatile, limits, network, detect } = config;
  const options = {
    agent: about.agent,
    matching,
    volatile,
    limits,
    network,
    detect,
    redact: config.redact,
  };
  try {
    const agent = await loadAgent(agentFor(config, about.agent), config.root, modules);
    return await minimise(about.whole, {
      budget: about.budget,
      onReplay: shown.tick,
      async run({ repro, blobs }) {
        const { verdict, signatures, misses } = await replay(agent, repro, { ...options, blobs });
        return { verdict, signatures, misses: misses.length };
      },
    });
  } finally {
    shown.done();
    await modules.close();
  }
}

/** Puts the smaller repro into the file as it is now; nothing is written when it changed meanwhile. */
function save(path: string, config: Config, { repro, blobs, removed }: Minimised): void {
  if (removed.length === 0) return;
  const file = readRepros(path);
  if (!file.repros.some(({ id }) => id === repro.id)) {
    throw failure("E_REPRO_UNKNOWN", {
      to: `write the smaller ${repro.id}`,
      because: "it was removed meanwhile",
      fix: "Nothing was written; start again",
    });
  }
  const repros = file.repros.map((one) =>
    one.id === repro.id ? { ...repro, status: one.status, cluster: one.cluster } : one,
  );
  writeAtomic(path, reprosText({ ...file, repros, blobs: { ...file.blobs, ...blobs } }), {
    inside: config.specs.dir,
  });
}

function print(io: Io, { removed, replays, stopped, repro }: Minimised): void {
  for (const one of removed) say(io, `left out ${one}`);
  if (removed.length === 0) say(io, `nothing can be left out of ${repro.id}`);
  say(
    io,
    `${counted(replays, "replay")}${stopped ? "; the budget ended the search, a larger one may find less" : ""}`,
  );
  if (removed.length > 0) say(io, "Its content changed: its baseline entry needs a review (-u).");
}
