import { record, traceLines } from "twiceshy";
import { run as v1 } from "./agent-v1.ts";
import { run as v2 } from "./agent-v2.ts";
import { tasks } from "./tasks.ts";
import { tools } from "./tools.ts";

/** Yesterday's runs of version 1, then today's of version 2, one trace a line. */
export async function recordDay(file: string): Promise<void> {
  const sink = traceLines(file);
  for (const [agentVersion, run] of [
    ["1.0.0", v1],
    ["2.0.0", v2],
  ] as const) {
    for (const task of tasks) {
      await record(run, task, {
        tools,
        agent: "refund-desk",
        agentVersion,
        maxToolCalls: 12,
        sink,
      });
    }
  }
}
