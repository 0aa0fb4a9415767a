import { lstatSync, readdirSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { readCapped } from "../shared/file.ts";
import { byCodeUnit, type Json } from "../shared/json.ts";
import { readLines } from "../shared/lines.ts";
import { parseJson } from "../shared/parse.ts";

/** Largest file that is read beside another. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The files around one that is read. Names are relative to its folder; nothing here throws. */
export interface Siblings {
  /** The JSON in a file; undefined when there is none, or it is a link, too large or no JSON. */
  json(name: string): Json | undefined;
  /** The JSON values in the lines of a file, without those that are none; empty when there is no such file, or it is too large. */
  lines(name: string): readonly Json[];
  /** Whether there is such a file. */
  has(name: string): boolean;
  /** Names of the files in the same folder, or in one beside, sorted. */
  names(folder?: string): readonly string[];
  /** Whether a file is among those that the caller wants to be read. */
  wanted(name: string): boolean;
}

/** The files around each file, for one reading of these paths. Folders are listed once. */
export function surroundings(paths: readonly string[]): (file: string) => Siblings {
  const roots = paths.map((path) => resolve(path));
  const exact = new Set(roots);
  const listed = new Map<string, readonly string[]>();
  // Many files ask for the same one, one after the other.
  let last: { readonly path: string; readonly json: Json | undefined } | undefined;
  const json = (path: string): Json | undefined => {
    if (last?.path !== path) last = { path, json: jsonIn(path) };
    return last.json;
  };
  return (file) => {
    const folder = dirname(file);
    return {
      json: (name) => json(join(folder, name)),
      lines: (name) => linesIn(join(folder, name)),
      has: (name) => isPlainFile(join(folder, name)),
      names(beside = ".") {
        const path = join(folder, beside);
        const names = listed.get(path) ?? namesIn(path);
        listed.set(path, names);
        return names;
      },
      wanted(name) {
        const path = resolve(folder, name);
        return exact.has(path) || roots.some((root) => path.startsWith(`${root}${sep}`));
      },
    };
  };
}

function jsonIn(path: string): Json | undefined {
  if (!isPlainFile(path)) return undefined;
  try {
    return parseJson(readCapped(path, MAX_BYTES));
  } catch {
    return undefined;
  }
}

function linesIn(path: string): readonly Json[] {
  if (!isPlainFile(path)) return [];
  const values: Json[] = [];
  try {
    if (lstatSync(path).size > MAX_BYTES) return [];
    for (const { text } of readLines(path)) {
      const value = text === undefined ? undefined : valueIn(text);
      if (value !== undefined) values.push(value);
    }
  } catch {
    return values;
  }
  return values;
}

function valueIn(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function isPlainFile(path: string): boolean {
  try {
    return lstatSync(path).isFile();
  } catch {
    return false;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort(byCodeUnit);
  } catch {
    return [];
  }
}
