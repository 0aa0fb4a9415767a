import { contentHash } from "../../src/repro/hash.ts";
import { reprosText } from "../../src/repro/file.ts";
import { toRepro } from "../../src/repro/convert.ts";
import type { Repro, ReproStatus } from "../../src/repro/repro.ts";
import { detect } from "../../src/detector/detector.ts";
import { resolveConfig } from "../../src/config/load.ts";
import { generate } from "../../src/generate/generate.ts";
import type { BaselineEntry } from "../../src/baseline/baseline.ts";
import { fileText, type Json } from "../../src/shared/json.ts";
import { failed, traceOf } from "../../src/testing/traces.ts";
import type { Trace } from "../../src/trace/trace.ts";
import { project, type Project } from "./project.ts";

/** The name of the agent and of its files. */
export const AGENT = "desk";
export const SPEC = `tests/failures/${AGENT}.agent.spec.ts`;
export const REPROS = `tests/failures/${AGENT}.repros.json`;
export const BASELINE = `tests/failures/${AGENT}.baseline.json`;

/** The plugin's config, with more options as source text. */
export function config(options = "", test = ""): string {
  return `import { defineConfig } from "vitest/config";
import twiceshy from "twiceshy/vitest/plugin";
export default defineConfig({ plugins: [twiceshy({ agent: "./src/agent.ts#run"${options === "" ? "" : `, ${options}`} })]${test === "" ? "" : `, test: ${test}`} });
`;
}

/**
 * An agent that does what its task says: the last word is its behaviour. `mode.txt` beside it may name another one for all.
 * same: claims success over the refused refund; ok: reports it; other: crashes; miss: asks what was never recorded.
 */
export const AGENT_SOURCE = `import { existsSync, readFileSync } from "node:fs";
const mode = new URL("./mode.txt", import.meta.url);
interface Context { call(tool: string, args?: object): Promise<unknown> }
export async function run(task: string, { call }: Context): Promise<unknown> {
  const behaviour = existsSync(mode) ? readFileSync(mode, "utf8").trim() : task.split(" ").at(-1);
  const id = task.split(" ")[0];
  if (behaviour === "miss") await call("lookup", { id }).catch(() => undefined);
  if (behaviour === "other") throw new TypeError("Cannot read properties of undefined (reading 'total')");
  try {
    await call("refund", { id });
  } catch (error) {
    if (behaviour !== "same") return { status: "blocked", message: "The refund was declined: " + (error as Error).message };
  }
  return "Your refund was completed successfully.";
}
`;

/** A run that claimed a refund which had failed. */
export function failingTrace(task: string, about: Partial<Trace> = {}): Trace {
  const id = task.split(" ")[0] ?? "";
  return traceOf([failed("refund", { id }, { message: "card closed", code: "DECLINED" })], {
    id: `tr_${Buffer.from(task).toString("hex").slice(0, 32)}`,
    task,
    taskId: `task_${Buffer.from(task).toString("hex").slice(0, 24)}`,
    agent: AGENT,
    output: "Your refund was completed successfully.",
    ...about,
  });
}

export function jsonl(traces: readonly Trace[]): string {
  return traces.map((trace) => `${JSON.stringify(trace)}\n`).join("");
}

/** A proved repro of that run. */
export function reproFor(task: string, status: ReproStatus = "confirmed"): Repro {
  const trace = failingTrace(task);
  const made = toRepro(trace, detect(trace), { agent: AGENT });
  if (!("repro" in made)) throw new Error(made.unproved.reason);
  return { ...made.repro, status };
}

/** A project with committed repros, generated as by an earlier run, and a baseline when there are entries. */
export function desk(
  repros: readonly Repro[],
  entries: Readonly<Record<string, BaselineEntry>> = {},
  more: Readonly<Record<string, string>> = {},
): Project {
  const made = project({
    "vitest.config.ts": config(),
    "src/agent.ts": AGENT_SOURCE,
    [REPROS]: reprosFile(repros),
    ...(Object.keys(entries).length > 0 ? { [BASELINE]: baseline(entries) } : {}),
    ...more,
  });
  generate(resolveConfig(made.dir, { agent: "./src/agent.ts#run" }));
  return made;
}

export function reprosFile(repros: readonly Repro[]): string {
  return reprosText({
    formatVersion: 1,
    agent: AGENT,
    clusters: {},
    blobs: {},
    repros: [...repros],
  });
}

export function baseline(entries: Readonly<Record<string, BaselineEntry>>): string {
  return fileText({ formatVersion: 1, agent: AGENT, entries } as unknown as Json);
}

export function entriesIn(text: string): Record<string, BaselineEntry> {
  return (JSON.parse(text) as { entries: Record<string, BaselineEntry> }).entries;
}

/** The entry that accepts a verdict for a repro as it is. */
export function accepted(
  repro: Repro,
  verdict: BaselineEntry["verdict"],
  more: Partial<BaselineEntry> = {},
): BaselineEntry {
  return { verdict, hash: contentHash(repro), ...more };
}
