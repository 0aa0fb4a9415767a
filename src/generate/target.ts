import { existsSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import type { Config } from "../config/config.ts";

/** Where an agent's code is. */
export interface Target {
  /** As a specifier for the specs' folder, with `/`; or a package's name. */
  readonly path: string;
  readonly export: string;
  /** The absolute path of the file; missing for a package. */
  readonly file?: string;
}

/** The code of the agent that replays traces of this name; undefined when none is configured. */
export function targetOf(config: Config, agent: string): Target | undefined {
  const spec = Object.hasOwn(config.agents, agent) ? config.agents[agent] : config.agent;
  if (spec === undefined) return undefined;
  const at = spec.lastIndexOf("#");
  const name = spec.slice(0, at);
  const exported = spec.slice(at + 1);
  const file = resolve(config.root, name);
  if (!isPath(name) && !existsSync(file)) return { path: name, export: exported };
  const away = relative(config.specs.dir, file).split(sep).join("/");
  return { path: away.startsWith(".") ? away : `./${away}`, export: exported, file };
}

/** A name with an ending or a leading dot or slash is a path; `my-agent` or `@scope/agent` may be a package. */
function isPath(name: string): boolean {
  return name.startsWith(".") || isAbsolute(name) || /\.[cm]?[jt]sx?$/.test(name);
}

/** Whether a path lies in a folder, by its name. */
export function isInside(folder: string, path: string): boolean {
  const away = relative(folder, path);
  return away === "" || (away !== ".." && !away.startsWith(`..${sep}`) && !isAbsolute(away));
}

/** The folder out of which nothing may be written: the project, or the specs' folder when that was put elsewhere on purpose. */
export function fenceOf(config: Config): string {
  return isInside(config.root, config.specs.dir) ? config.root : dirname(config.specs.dir);
}
