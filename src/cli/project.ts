import { isAbsolute, join, relative } from "node:path";
import type { Config, UserConfig } from "../config/config.ts";
import { loadProject } from "../config/load.ts";
import type { Io } from "./io.ts";

/** The configuration of the project in which a command runs; options of the command line win. */
export function projectOf(io: Io, inline: UserConfig = {}): Promise<Config> {
  return loadProject(io.cwd, inline, io.env);
}

/** What a reader needs to hide secrets: the user's rules, and the values of this machine's own secrets. */
export function redactOf(config: Config, io: Io): RedactRules {
  const { off, keys, patterns, allow } = config.redact;
  return {
    ...(off === undefined ? {} : { off }),
    ...(keys === undefined ? {} : { keys: [...keys] }),
    ...(patterns === undefined ? {} : { patterns: [...patterns] }),
    ...(allow === undefined ? {} : { allow: [...allow] }),
    environment: io.env,
  };
}

interface RedactRules {
  off?: boolean;
  keys?: string[];
  patterns?: { name: string; pattern: string }[];
  allow?: string[];
  environment: Readonly<Record<string, string | undefined>>;
}

/** A path of the command line: as it was typed when the process runs in the project, for messages that a person can follow. */
export function typedPath(io: Io, path: string): string {
  return isAbsolute(path) ? path : relative(process.cwd(), join(io.cwd, path)) || ".";
}
