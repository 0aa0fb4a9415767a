import type { Project } from "./project.ts";

// What a test file must not load: packages by their name, Node's own SQLite and our command line. Jest's sandbox asks no
// loader of Node's; it reads the files itself.
const WATCH = `import { appendFileSync } from "node:fs";
const PACKAGE = "(zod|ajv|better-sqlite3|fast-check|ollama)";
const keep = (name) => appendFileSync(new URL("./loaded.txt", import.meta.url), name + "\\n");
export const seen = (text) => {
  const place = text.replaceAll("\\\\", "/");
  const name = new RegExp("^" + PACKAGE + "(?:/|$)").exec(place)?.[1] ?? new RegExp("/node_modules/" + PACKAGE + "/.*[.][cm]?js$").exec(place)?.[1];
  if (name !== undefined) keep(name);
  if (place === "node:sqlite") keep(place);
  if (/\\/dist\\/src\\/cli\\/[^/]*[.]js$/.test(place)) keep("twiceshy's command line");
};
`;
const HOOKS = `import { seen } from "./seen.mjs";
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  seen(found.url);
  return found;
}
`;
const PRELOAD = `import fs from "node:fs";
import Module, { register } from "node:module";
import { seen } from "./seen.mjs";
register("./hooks.mjs", import.meta.url);
const load = Module._load;
Module._load = function (request, ...rest) {
  seen(request);
  return load.call(this, request, ...rest);
};
const read = fs.readFileSync;
fs.readFileSync = function (path, ...rest) {
  if (typeof path === "string") seen(path);
  return read.call(this, path, ...rest);
};
`;

/**
 * Watches the processes of a project, of either runner, for what must stay out of the way; gives their environment and what
 * was loaded.
 */
export function watchLoading(project: Pick<Project, "dir" | "write" | "has" | "read">): {
  readonly env: Record<string, string>;
  loaded(): string[];
} {
  project.write({ "seen.mjs": WATCH, "hooks.mjs": HOOKS, "preload.mjs": PRELOAD });
  return {
    env: { NODE_OPTIONS: `--import file://${project.dir}/preload.mjs` },
    loaded: () =>
      project.has("loaded.txt")
        ? [...new Set(project.read("loaded.txt").trim().split("\n"))].sort()
        : [],
  };
}
