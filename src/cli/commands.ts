import type { Command } from "./command.ts";

export interface Entry {
  readonly summary: string;
  /** A command's own file is read only when it is called. */
  load(): Promise<{ readonly command: Command }>;
}

/** To add a command: one file and one line here. */
export const COMMANDS: Readonly<Record<string, Entry>> = {
  init: { summary: "set a project up", load: () => import("./init.ts") },
  demo: { summary: "the whole story in a temporary folder", load: () => import("./demo.ts") },
  process: {
    summary: "read traces and write repros and specs, in one go",
    load: () => import("./process.ts"),
  },
  ingest: {
    summary: "read trace files of any known format into the store",
    load: () => import("./ingest.ts"),
  },
  detect: { summary: "find the failures in the traces", load: () => import("./detect.ts") },
  convert: {
    summary: "turn failing traces into proved repros and specs",
    load: () => import("./convert.ts"),
  },
  cluster: { summary: "group the repros by cause", load: () => import("./cluster.ts") },
  minimise: {
    summary: "shrink a repro, running the agent on ever less",
    load: () => import("./minimise.ts"),
  },
  annotate: {
    summary: "confirm, reject and correct pending repros",
    load: () => import("./annotate.ts"),
  },
  export: { summary: "write repros as JSONL", load: () => import("./export.ts") },
  run: {
    summary: "run the generated specs with the project's own Vitest",
    load: () => import("./run.ts"),
  },
  test: {
    summary: "run an agent under faults, without a test runner",
    load: () => import("./test.ts"),
  },
  matrix: {
    summary: "write every fault at every tool, as documents or as a spec",
    load: () => import("./matrix.ts"),
  },
  "test-matrix": {
    summary: "run every fault at every tool",
    load: () => import("./test-matrix.ts"),
  },
  compare: { summary: "compare two reports of fault tests", load: () => import("./compare.ts") },
  trends: { summary: "show fault tests commit by commit", load: () => import("./trends.ts") },
  scaffold: {
    summary: "make a fault test of one recorded run, of any known format",
    load: () => import("./scaffold.ts"),
  },
  "import-langsmith": {
    summary: "make a fault test of one run of LangSmith",
    load: () => import("./import-langsmith.ts"),
  },
  templates: {
    summary: "list the shipped worlds and fault fixtures",
    load: () => import("./templates.ts"),
  },
  stats: { summary: "count what there is", load: () => import("./stats.ts") },
};
