import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { isObject, type JsonObject } from "../shared/json.ts";
import { parseJsonc } from "./jsonc.ts";

/** What a user's compiler options say about imports. */
export interface CompilerOptions {
  /** Lower case. */
  readonly module?: string;
  readonly moduleResolution?: string;
  readonly tsExtensions: boolean;
  readonly verbatim: boolean;
}

export interface FoundTsconfig {
  readonly options: CompilerOptions;
  /** Every file that was looked at, there or not: a change of one may change the answer. */
  readonly files: readonly string[];
}

/** The compiler options for a folder: of the nearest tsconfig.json from it up to `root`; undefined without one. */
export function tsconfigFor(
  folder: string,
  root: string,
): FoundTsconfig | { readonly options: undefined; readonly files: readonly string[] } {
  const files: string[] = [];
  for (let current = folder; ; current = dirname(current)) {
    const path = join(current, "tsconfig.json");
    const raw = merged(path, files, 0);
    if (raw !== undefined) return { options: picked(raw), files };
    if (current === root || current === dirname(current)) return { options: undefined, files };
  }
}

/** Chains are short; the bound ends a circle. */
const MAX_DEPTH = 8;

/** The compilerOptions of a file over those that it extends; of the first reference that says something, when it has none itself. */
function merged(path: string, files: string[], depth: number): JsonObject | undefined {
  files.push(path);
  const config = depth > MAX_DEPTH ? undefined : read(path);
  if (config === undefined) return undefined;
  const own = config["compilerOptions"];
  const parents = [config["extends"] ?? []].flat().filter((item) => typeof item === "string");
  const inherited = parents.map((name) => merged(located(name, path), files, depth + 1) ?? {});
  const options: JsonObject = {};
  for (const layer of [...inherited, isObject(own) ? own : {}]) {
    for (const key of RELEVANT) if (layer[key] !== undefined) options[key] = layer[key];
  }
  return Object.keys(options).length > 0
    ? options
    : (referenced(config, path, { files, depth }) ?? options);
}

const RELEVANT = [
  "module",
  "moduleResolution",
  "allowImportingTsExtensions",
  "rewriteRelativeImportExtensions",
  "verbatimModuleSyntax",
] as const;

/** A solution-style tsconfig has no options itself, only references. */
function referenced(
  config: JsonObject,
  path: string,
  about: { readonly files: string[]; readonly depth: number },
): JsonObject | undefined {
  const references = Array.isArray(config["references"]) ? config["references"] : [];
  for (const reference of references) {
    const target = isObject(reference) ? reference["path"] : undefined;
    if (typeof target !== "string") continue;
    const place = resolve(dirname(path), target);
    const file = place.endsWith(".json") ? place : join(place, "tsconfig.json");
    const options = merged(file, about.files, about.depth + 1);
    if (options !== undefined && Object.keys(options).length > 0) return options;
  }
  return undefined;
}

/** The file that an `extends` names: a path, or a package. */
function located(name: string, from: string): string {
  if (name.startsWith(".") || name.startsWith("/") || /^[A-Za-z]:/.test(name)) {
    const path = resolve(dirname(from), name);
    return path.endsWith(".json") ? path : `${path}.json`;
  }
  const require = createRequire(from);
  for (const candidate of [name, `${name}.json`, `${name}/tsconfig.json`]) {
    try {
      const found = require.resolve(candidate);
      if (found.endsWith(".json")) return found;
    } catch {
      // The next form may be there.
    }
  }
  return resolve(dirname(from), "node_modules", name);
}

function read(path: string): JsonObject | undefined {
  try {
    return parseJsonc(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

function picked(raw: JsonObject): CompilerOptions {
  const module = lower(raw["module"]);
  const moduleResolution = lower(raw["moduleResolution"]);
  return {
    ...(module === undefined ? {} : { module }),
    ...(moduleResolution === undefined ? {} : { moduleResolution }),
    tsExtensions:
      raw["allowImportingTsExtensions"] === true || raw["rewriteRelativeImportExtensions"] === true,
    verbatim: raw["verbatimModuleSyntax"] === true,
  };
}

function lower(value: unknown): string | undefined {
  return typeof value === "string" ? value.toLowerCase() : undefined;
}
