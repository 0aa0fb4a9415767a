import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Agent } from "../agent/agent.ts";
import { resolveConfig } from "../config/load.ts";
import { generate } from "../generate/generate.ts";
import { readRepros } from "../repro/file.ts";
import { replay } from "../repro/replay.ts";
import type { ReplayResult } from "../repro/result.ts";
import { oneLine } from "../shared/text.ts";
import { run as v1 } from "../../examples/refund-desk/src/agent-v1.ts";
import { run as v2 } from "../../examples/refund-desk/src/agent-v2.ts";
import { recordDay } from "../../examples/refund-desk/src/record.ts";
import { tasks } from "../../examples/refund-desk/src/tasks.ts";
import { type Command, EXIT } from "./command.ts";
import { demoFaults } from "./demo-faults.ts";
import { colours, type Io, say } from "./io.ts";

export const command: Command = {
  usage: "",
  about: `Tells the whole story with a small agent that refunds orders and has three bugs: records it, finds what went wrong,
turns each failure into a test, and replays both versions of the agent. Works in a new temporary folder, offline, in seconds.
With --faults it tells the other story: an agent that books a slot under faults, before and after its bug is fixed.`,
  options: {
    faults: {
      type: "flag",
      help: "The fault loop: one agent before and after a fix, with both reports",
    },
    out: {
      type: "text",
      value: "FOLDER",
      help: "With --faults: where the reports go; must not exist yet",
    },
  },
  positionals: [0, 0],
  async run(args, io) {
    if (args.flag("faults")) return demoFaults(io, args.text("out"));
    const home = mkdtempSync(join(tmpdir(), "twiceshy-demo-"));
    const { bold, dim } = colours(io);
    const config = resolveConfig(home, { agent: "./src/agent.ts#run" }, {});

    say(io, bold("1. An agent works its tasks, and its tool calls are recorded"));
    await recordDay(join(home, ".twiceshy/traces/refund-desk.jsonl"));
    for (const task of tasks) say(io, `   ${task}`);

    say(io, bold("\n2. The runs that went wrong become repros, and a spec is written"));
    const { counts, agents } = generate({ ...config, ci: false });
    say(
      io,
      `   ${counts.traces} traces, ${counts.failing} failing, ${counts.repros} repros, ${counts.clusters} clusters`,
    );
    const [written] = agents;
    if (written === undefined) return EXIT.failed;
    for (const line of specOf(written.specs[0] ?? "")) say(io, dim(`   ${line}`));

    say(io, bold("\n3. Replayed offline: version 1 still has its three bugs"));
    const before = await replayAll(io, written.repros, v1);
    say(io, bold("\n4. Version 2, where they are fixed"));
    const after = await replayAll(io, written.repros, v2);

    say(io, bold("\nNext"));
    say(io, `   look at ${home}`);
    say(io, "   npx twiceshy init      sets your own project up");
    say(io, "   npx vitest run         shows your agent's failures as tests");
    const told =
      before.every(({ verdict }) => verdict === "still_fails") &&
      after.every(({ verdict }) => verdict === "passes");
    return told && before.length === 3 ? EXIT.passed : EXIT.failed;
  },
};

/** The tests of a generated spec, as a reviewer reads them. */
function specOf(path: string): string[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => /^(?:describe|\s+test)\(/.test(line));
}

async function replayAll(io: Io, path: string, agent: Agent): Promise<ReplayResult[]> {
  const { green, red } = colours(io);
  const { repros, blobs } = readRepros(path);
  const results: ReplayResult[] = [];
  for (const repro of repros) {
    const result = await replay(agent, repro, { blobs });
    const mark =
      result.verdict === "passes" ? green("passes      ") : red(result.verdict.padEnd(12));
    say(io, `   ${mark} ${oneLine(repro.title, 60)}`);
    say(io, `                ${oneLine(result.reason, 100)}`);
    results.push(result);
  }
  return results;
}
