import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { readCapped } from "../shared/file.ts";
import { readConfigFile } from "./file.ts";

const ENDINGS = ["js", "ts", "mjs", "cjs", "mts", "cts"];
const MAX_BYTES = 1024 * 1024;

/**
 * The options that stand at `withTwiceshy` in the project's Jest configuration, unchecked, with the file's name; they name Jest as the
 * runner whose specs are written. Undefined when there are none, or Vitest's configuration names our plugin: then that counts.
 */
export async function jestOptions(
  root: string,
): Promise<{ readonly options: unknown; readonly place: string } | undefined> {
  const path = configNaming(root, ["jest"], "twiceshy/jest/config");
  if (path === undefined || configNaming(root, ["vitest", "vite"], "twiceshy/vitest") !== undefined)
    return undefined;
  const config = await readConfigFile(path, root);
  const given: unknown = typeof config === "function" ? Reflect.get(config, "twiceshy") : undefined;
  const options = typeof given === "object" && given !== null ? given : {};
  return { options: { ...options, runner: "jest" }, place: `the options in ${basename(path)}` };
}

function configNaming(root: string, names: readonly string[], door: string): string | undefined {
  return names
    .flatMap((name) => ENDINGS.map((ending) => join(root, `${name}.config.${ending}`)))
    .find((path) => existsSync(path) && readCapped(path, MAX_BYTES).includes(door));
}
