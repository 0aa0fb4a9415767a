import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { failure, messageOf } from "../shared/error.ts";
import { readCapped } from "../shared/file.ts";
import { isObject } from "../shared/json.ts";
import { viteOf } from "./vite.ts";

/** In the order in which Vitest itself looks for them. */
const NAMES = ["vitest", "vite"].flatMap((name) =>
  ["ts", "mts", "cts", "js", "mjs", "cjs"].map((extension) => `${name}.config.${extension}`),
);
const MAX_BYTES = 1024 * 1024;
/** Our plugin with options of its own; without any there is nothing to ask for. */
const WITH_OPTIONS = /twiceshy\/vitest\/plugin[^]*\(\s*\{/;

/**
 * The options that stand at our plugin in the project's runner configuration, unchecked, with the file's name: so the command
 * line knows what the tests know. Undefined when there are none; the file is run only when it names our plugin.
 */
export async function pluginOptions(
  root: string,
): Promise<{ readonly options: unknown; readonly place: string } | undefined> {
  const path = NAMES.map((name) => join(root, name)).find((candidate) => existsSync(candidate));
  if (path === undefined || !WITH_OPTIONS.test(readCapped(path, MAX_BYTES))) return undefined;
  const vite = await viteOf(root);
  if (vite === undefined) return undefined;
  try {
    const loaded = await vite.loadConfigFromFile(
      { command: "serve", mode: "test" },
      path,
      root,
      "silent",
    );
    const options = await optionsIn(
      isObject(loaded?.config) ? loaded.config["plugins"] : undefined,
    );
    return options === undefined
      ? undefined
      : { options, place: `the plugin's options in ${basename(path)}` };
  } catch (cause) {
    throw failure("E_CONFIG_READ", {
      to: `read ${path}`,
      because: messageOf(cause).replace(/\.$/, ""),
      fix: "Correct the file",
      cause,
    });
  }
}

/** Plugins may be nested, promised or switched off. */
async function optionsIn(plugins: unknown): Promise<unknown> {
  const plugin: unknown = await plugins;
  if (Array.isArray(plugin)) {
    for (const one of plugin) {
      const found = await optionsIn(one);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isObject(plugin) || plugin["name"] !== "twiceshy") return undefined;
  const api = plugin["api"];
  return isObject(api) ? api["twiceshy"] : undefined;
}
