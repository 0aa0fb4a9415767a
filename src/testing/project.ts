import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Config, UserConfig } from "../config/config.ts";
import { resolveConfig } from "../config/load.ts";
import type { Trace } from "../trace/trace.ts";

/** A user's project in a temporary folder. */
export interface Project {
  readonly root: string;
  readonly config: Config;
  /** The same project in CI. */
  readonly ci: Config;
  write(path: string, text: string): void;
  read(path: string): string;
  /** Replaces the captured traces. */
  capture(traces: readonly Trace[], file?: string): void;
  /** Every file below a folder with its text, by relative path. */
  files(folder?: string): Record<string, string>;
}

/** Makes a project with an agent in `src/agent.ts`; further files by relative path. It is removed after the test. */
export function projectOf(
  files: Readonly<Record<string, string>> = {},
  options: UserConfig = {},
): Project {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "twiceshy-project-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const user = { agent: "./src/agent.ts#run", ...options };
  const project: Project = {
    root,
    config: resolveConfig(root, user),
    ci: resolveConfig(root, user, { CI: "true" }),
    write(path, text) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    read: (path) => readFileSync(join(root, path), "utf8"),
    capture(traces, file = ".twiceshy/traces/a.jsonl") {
      project.write(file, traces.map((trace) => `${JSON.stringify(trace)}\n`).join(""));
    },
    files: (folder = "tests/failures") => textsBelow(join(root, folder)),
  };
  project.write("package.json", '{ "type": "module" }\n');
  project.write("src/agent.ts", "export async function run() {}\n");
  for (const [path, text] of Object.entries(files)) project.write(path, text);
  return project;
}

function textsBelow(folder: string): Record<string, string> {
  let names: string[];
  try {
    names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  } catch {
    return {};
  }
  const texts = names.flatMap((name) => {
    try {
      return [[name, readFileSync(join(folder, name), "utf8")] as const];
    } catch {
      return [];
    }
  });
  return Object.fromEntries(texts);
}
