import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import type { Vite, Vitest } from "vitest/node";
import type { Config, GenerateResult } from "../src/index.ts";
import { messageOf } from "../src/shared/error.ts";
import { isMeant } from "../src/plugin/glob.ts";
import { isSpec, linesOf, type Prepared } from "../src/plugin/prepare.ts";

const PATTERN = /\.(?:jsonl?|traj|ndjson)$/;
const REPROS = ".repros.json";

type Generate = (config: Config) => GenerateResult;

/**
 * Watch mode: a changed trace generates again and reruns only the specs that changed; a changed repros file reruns its spec.
 * Content is compared, so a touched file reruns nothing and our own writing starts no loop.
 */
export async function triggers(vitest: Vitest, { config }: Prepared): Promise<void> {
  const patterns = vitest.config.watchTriggerPatterns ?? [];
  if (patterns.some(({ pattern }) => pattern === PATTERN)) return;
  const { generate } = await import("../src/generate/generate.ts");
  const run = guarded(generate, (line) => vitest.logger.warn(line));
  const known = new Map(
    reprosIn(config.specs.dir).map((file) => [file, readFileSync(file, "utf8")]),
  );
  const testsToRun = (file: string): string[] | undefined => {
    const path = file.split(sep).join("/");
    if (isRepros(file, config)) return edited(file, { known, config, run });
    if (!config.traces.some((glob) => isMeant(glob, path))) return undefined;
    return changedBy(run(config), known);
  };
  // Reassigned: the array may be one that Vitest shares.
  vitest.config.watchTriggerPatterns = [...patterns, { pattern: PATTERN, testsToRun }];
}

/** Vitest asks nobody about removed files. */
export function watchRemovals(server: Vite.ViteDevServer, { config }: Prepared): void {
  const removed = async (file: string): Promise<void> => {
    const path = file.split(sep).join("/");
    if (!isRepros(file, config) && !config.traces.some((glob) => isMeant(glob, path))) return;
    const { generate } = await import("../src/generate/generate.ts");
    guarded(generate, (line) => server.config.logger.warn(line))(config);
  };
  server.watcher.on("unlink", (file) => void removed(file));
  for (const glob of config.traces) {
    const folder = glob.split(/\/[^/]*[*?{[]/)[0];
    if (folder !== undefined && !folder.startsWith(`${config.root.split(sep).join("/")}/`))
      server.watcher.add(folder);
  }
}

function guarded(
  generate: Generate,
  report: (line: string) => void,
): (config: Config) => readonly string[] {
  return (config) => {
    try {
      const result = generate(config);
      for (const line of linesOf(result)) report(line);
      return result.written;
    } catch (thrown) {
      report(`twiceshy  ${messageOf(thrown)}`);
      return [];
    }
  };
}

function isRepros(file: string, { specs }: Config): boolean {
  return file.endsWith(REPROS) && dirname(file) === specs.dir;
}

interface Edit {
  readonly known: Map<string, string>;
  readonly config: Config;
  readonly run: (config: Config) => readonly string[];
}

/** A repros file that changed: by a person, or a moment ago by ourselves. */
function edited(file: string, { known, config, run }: Edit): string[] | undefined {
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, "utf8");
  // The same, or its beginning: an editor empties a file before it writes it, and the end of that is told as well.
  if (known.get(file)?.startsWith(text) === true) return undefined;
  return changedBy([...run(config), file], known);
}

/** The specs to run for files that were written; a removed one must not be named. */
function changedBy(written: readonly string[], known: Map<string, string>): string[] {
  const specs = new Set<string>();
  for (const file of written) {
    if (!existsSync(file)) continue;
    if (isSpec(file)) specs.add(file);
    if (!file.endsWith(REPROS)) continue;
    known.set(file, readFileSync(file, "utf8"));
    for (const spec of specsOf(file)) specs.add(spec);
  }
  return [...specs];
}

function reprosIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(REPROS))
    .map((name) => join(folder, name));
}

/** Specs beside a repros file that name it. */
function specsOf(repros: string): string[] {
  const folder = dirname(repros);
  const specs = readdirSync(folder)
    .filter((name) => /\.(?:spec|test)\.[cm]?[jt]sx?$/.test(name))
    .map((name) => join(folder, name));
  return specs.filter((spec) =>
    readFileSync(spec, "utf8").includes(JSON.stringify(basename(repros)).slice(1, -1)),
  );
}
