import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { byCodeUnit } from "../shared/json.ts";

const MAGIC = /[*?{[]/;

/**
 * The files that absolute patterns with `/` name, each once, sorted. `*` and `?` stay within a folder, `**` is any depth,
 * `{a,b}` a choice. Hidden files and `node_modules` match only where the pattern names them; links to folders are not followed.
 * A path without pattern stays as it is, also when nothing is there: the reader says so.
 */
export function expand(patterns: readonly string[]): string[] {
  const found = new Set<string>();
  for (const pattern of patterns) {
    if (!MAGIC.test(pattern) || exists(pattern)) found.add(pattern);
    else for (const file of matches(pattern)) found.add(file);
  }
  return [...found].sort(byCodeUnit);
}

/** A folder may really be called `[id]`. */
function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // The system refuses to say: links that lead in a circle, or a name that is too long.
    return false;
  }
}

function matches(pattern: string): string[] {
  const parts = pattern.split("/");
  const first = parts.findIndex((part) => MAGIC.test(part));
  const base = parts.slice(0, first).join("/");
  const expression = new RegExp(`^${parts.slice(first).map(partPattern).join("")}$`, "u");
  const hidden = parts.slice(first).some((part) => part.startsWith("."));
  const deep = parts.length - first > 1;
  return walk(base === "" ? "/" : base, "", { deep, hidden }).flatMap((path) =>
    expression.test(`/${path}`) ? [`${base}/${path}`] : [],
  );
}

interface Walk {
  readonly deep: boolean;
  readonly hidden: boolean;
}

function walk(base: string, below: string, how: Walk): string[] {
  let entries;
  try {
    entries = readdirSync(join(base, below), { withFileTypes: true });
  } catch {
    return [];
  }
  return entries.flatMap((entry) => {
    if (entry.name === "node_modules" || (entry.name.startsWith(".") && !how.hidden)) return [];
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (!entry.isDirectory()) return [path];
    return how.deep ? walk(base, path, how) : [];
  });
}

/** One part of a pattern as a regular expression that begins with its "/". */
function partPattern(part: string): string {
  if (part === "**") return "(?:/[^/]+)*";
  const source = part.replaceAll(
    /\{(?<choices>[^{}]*)\}|[*?]|[\\^$.|+()[\]{}]/gu,
    (token, choices) => {
      if (token === "*") return "[^/]*";
      if (token === "?") return "[^/]";
      if (typeof choices === "string") return `(?:${choices.split(",").map(escaped).join("|")})`;
      return `\\${token}`;
    },
  );
  return `/${source}`;
}

function escaped(choice: string): string {
  return choice.replaceAll(/[\\^$.|+?()[\]{}/-]/gu, String.raw`\$&`).replaceAll("*", "[^/]*");
}
