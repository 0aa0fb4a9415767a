import { extname, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import type { Prepared } from "../src/plugin/prepare.ts";
import { settingsOf } from "../src/plugin/settings.ts";
import { PROVIDED } from "./settings.ts";

/** What Vitest asks for when a spec says `@vitest-environment twiceshy`. */
export const ENVIRONMENT = "vitest-environment-twiceshy";

/** The path of another entry of this folder, built or not. */
export function here(name: string): string {
  return fileURLToPath(new URL(`./${name}${extname(import.meta.url)}`, import.meta.url));
}

/** Every file of this package, wherever it is installed. */
export const PACKAGE = new RegExp(`^${escape(here("x").split(sep).slice(0, -2).join("/"))}/`);

function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

/** Gives a project's tests what they need of the configuration, and its snapshots the baseline beside them. */
export function hand(project: TestProject, { config, notes }: Prepared): void {
  const { testTimeout: testTimeoutMs } = project.config;
  const known = notes === undefined ? {} : { notes };
  project.provide(PROVIDED, { ...settingsOf(config, process.env), testTimeoutMs, ...known });
  project.config.snapshotEnvironment ??= here("snapshot-environment");
  const twiceshy = { network: [...config.network] };
  project.config.environmentOptions = { ...project.config.environmentOptions, twiceshy };
}
