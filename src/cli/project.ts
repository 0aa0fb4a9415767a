import { isAbsolute, join, relative } from "node:path";
import type { Config, UserConfig } from "../config/config.ts";
import { loadProject } from "../config/load.ts";
import type { Args } from "./args.ts";
import type { Io } from "./io.ts";

/** The configuration of the project in which a command runs; options of the command line win. */
export function projectOf(io: Io, inline: UserConfig = {}): Promise<Config> {
  return loadProject(io.cwd, inline, io.env);
}

/** A path of the command line: as it was typed when the process runs in the project, for messages that a person can follow. */
export function typedPath(io: Io, path: string): string {
  return isAbsolute(path) ? path : relative(process.cwd(), join(io.cwd, path)) || ".";
}

/** The store that `--db` names, as an option of the configuration. */
export function storeOption(args: Args): UserConfig {
  const store = args.text("db");
  return store === undefined ? {} : { store };
}
