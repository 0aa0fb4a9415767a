import type { Project } from "./project.ts";

const HOOKS = `import { appendFileSync } from "node:fs";
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  const name = /node_modules\\/(zod|ajv|better-sqlite3|fast-check)\\//.exec(found.url)?.[1];
  if (name !== undefined) appendFileSync(new URL("./loaded.txt", import.meta.url), name + "\\n");
  return found;
}
`;
const PRELOAD = `import { appendFileSync } from "node:fs";
import Module, { register } from "node:module";
register("./hooks.mjs", import.meta.url);
const load = Module._load;
Module._load = function (request, ...rest) {
  const name = /^(zod|ajv|better-sqlite3|fast-check)(?:\\/|$)/.exec(request)?.[1];
  if (name !== undefined) appendFileSync(new URL("./loaded.txt", import.meta.url), name + "\\n");
  return load.call(this, request, ...rest);
};
`;

/** Watches a project's processes for the packages that must stay out of the way; gives their environment and what was loaded. */
export function watchLoading(project: Project): {
  readonly env: Record<string, string>;
  loaded(): string[];
} {
  project.write({ "hooks.mjs": HOOKS, "preload.mjs": PRELOAD });
  return {
    env: { NODE_OPTIONS: `--import file://${project.dir}/preload.mjs` },
    loaded: () =>
      project.has("loaded.txt")
        ? [...new Set(project.read("loaded.txt").trim().split("\n"))].sort()
        : [],
  };
}
