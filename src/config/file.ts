import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { failure, messageOf, TwiceshyError } from "../shared/error.ts";
import { readCapped } from "../shared/file.ts";
import { parseJson } from "../shared/parse.ts";
import { nodeStripsTypes, viteOf } from "./vite.ts";

const NAMES = ["ts", "mts", "js", "mjs", "json"].map((extension) => `twiceshy.config.${extension}`);
const MAX_BYTES = 1024 * 1024;

/** The project's configuration file, if it has one. Two are an error: nobody could tell which one counts. */
export function findConfigFile(root: string): string | undefined {
  const found = NAMES.map((name) => join(root, name)).filter((path) => existsSync(path));
  if (found.length > 1) {
    throw failure("E_CONFIG_AMBIGUOUS", {
      to: `choose the configuration of ${root}`,
      because: `there are ${found.map((path) => basename(path)).join(" and ")}`,
      fix: "Keep one of them",
    });
  }
  return found[0];
}

/** What a configuration file holds, unchecked. */
export async function readConfigFile(path: string, root: string): Promise<unknown> {
  try {
    if (path.endsWith(".json")) return parseJson(readCapped(path, MAX_BYTES));
    if (/\.m?ts$/.test(path) && !nodeStripsTypes()) return await throughVite(path, root);
    return defaultOf(await import(pathToFileURL(path).href), path);
  } catch (thrown) {
    if (TwiceshyError.is(thrown) && thrown.code.startsWith("E_CONFIG")) throw thrown;
    throw failure("E_CONFIG_READ", {
      to: `read ${path}`,
      because: messageOf(thrown).replace(/\.$/, ""),
      fix: "Correct the file",
      cause: thrown,
    });
  }
}

/** Older Node runs no TypeScript; Vite, which Vitest brings, does. */
async function throughVite(path: string, root: string): Promise<unknown> {
  const vite = await viteOf(root);
  if (vite === undefined) {
    throw failure("E_CONFIG_TYPESCRIPT", {
      to: `read ${path}`,
      because: `Node ${process.versions.node} does not run TypeScript, and Vite is not installed in ${root}`,
      fix: "Use Node 22.18 or newer, install vitest, or rename the file to twiceshy.config.mjs",
    });
  }
  const loaded = await vite.loadConfigFromFile(
    { command: "serve", mode: "test" },
    path,
    root,
    "silent",
  );
  return loaded?.config;
}

function defaultOf(module: Record<string, unknown>, path: string): unknown {
  if (Object.hasOwn(module, "default")) return module["default"];
  throw failure("E_CONFIG_EXPORT", {
    to: `read ${path}`,
    because: "it has no default export",
    fix: 'Write "export default { agent: ... }"',
  });
}
