import type { Config, GenerateResult, UserConfig } from "../index.ts";
import { loadConfig } from "../config/load.ts";
import { TwiceshyError } from "../shared/error.ts";
import { generateIfNeeded } from "../generate/fast.ts";
import { noteRepros } from "../generate/note-repros.ts";
import type { CheckedNotes } from "../runtime.ts";

/** A project whose specs stand as its traces say. */
export interface Prepared {
  readonly config: Config;
  /** Absolute paths of the specs that were written now. */
  readonly written: readonly string[];
  /** One line each, for a person. */
  readonly problems: readonly string[];
  /** What is known of the repros files, for their tests. */
  readonly notes?: CheckedNotes | undefined;
}

const SHOWN = 10;
/** With these the tests would be others than the repros say, or none: that must not look green. */
const STOPS = /^E_(?:REPROS_|AGENT_)/;

/** @throws E_CONFIG_… for options that cannot be used */
export async function configured(
  root: string,
  options: UserConfig,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Config> {
  return loadConfig(root, options, env);
}

/**
 * Generates what is missing. Where nothing is to be done, no schema library, store or importer is loaded.
 * @throws E_REPROS_… and E_AGENT_… for a repros file or an agent that cannot be used, and what kept specs from being written
 * @throws E_SPECS_STALE in CI, where nothing is written
 */
export async function prepare(config: Config): Promise<Prepared> {
  const result = await generateIfNeeded(config);
  if (result === undefined)
    return { config, written: [], problems: [], notes: await noteRepros(config) };
  const broken = result.problems.find(({ code }) => STOPS.test(code));
  if (broken !== undefined) throw new TwiceshyError(broken.code, broken.message);
  if (config.ci) (await import("../generate/generate.ts")).refuseStale(config, result);
  const [first] = result.problems;
  if (!result.complete && first !== undefined) throw new TwiceshyError(first.code, first.message);
  return {
    config,
    written: result.written.filter((file) => isSpec(file)),
    problems: linesOf(result),
    notes: await noteRepros(config),
  };
}

/** The problems of a generation, the first few of them in full. */
export function linesOf({ problems }: Pick<GenerateResult, "problems">): string[] {
  const lines = problems
    .slice(0, SHOWN)
    .map(({ code, message }) => `twiceshy  ${message} (${code})`);
  return problems.length > SHOWN
    ? [...lines, `twiceshy  and ${problems.length - SHOWN} more; "twiceshy process" shows all`]
    : lines;
}

export function isSpec(file: string): boolean {
  return /\.agent\.spec\.[cm]?[jt]s$/.test(file);
}
