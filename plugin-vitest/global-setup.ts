import { existsSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import type { TestProject } from "vitest/node";
import { ENVIRONMENT, hand, here } from "./handover.ts";
import { configured, isSpec, prepare } from "../src/plugin/prepare.ts";

/**
 * The global set-up. With the plugin there is nothing left to do; alone it generates too, but the runner has looked for
 * files by then, so new specs are announced for the next run.
 */
export default async function setup(project: TestProject): Promise<void> {
  if (project.vite.config.plugins.some((plugin) => plugin.name === "twiceshy")) return;
  const config = await configured(project.config.root, {});
  const before = specsIn(config.specs.dir);
  const prepared = await prepare(config);
  hand(project, prepared);
  answerEnvironment(project);
  for (const line of prepared.problems) project.vitest.logger.warn(line);
  const late = prepared.written.filter((file) => !before.has(file));
  if (late.length === 0) return;
  const names = late.map((file) => relative(project.config.root, file)).join(", ");
  const plugin = 'use the plugin "twiceshy/vitest/plugin", which generates in time';
  project.vitest.logger.log(
    `twiceshy wrote ${names} after Vitest had looked for test files: run it again to run the new tests, or ${plugin}.\n`,
  );
}

function specsIn(folder: string): ReadonlySet<string> {
  if (!existsSync(folder)) return new Set();
  return new Set(
    readdirSync(folder)
      .filter((name) => isSpec(name))
      .map((name) => join(folder, name)),
  );
}

/** Without the plugin nothing resolves the environment's name, and by now it is too late to add one. */
function answerEnvironment(project: TestProject): void {
  const container = project.vite.environments["__vitest__"]?.pluginContainer;
  if (container === undefined) return;
  const resolveId = container.resolveId.bind(container);
  container.resolveId = async (id, ...rest) =>
    resolveId(id === ENVIRONMENT ? here("environment") : id, ...rest);
}
