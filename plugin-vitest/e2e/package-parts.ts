import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { ROOT } from "./built.ts";

/** One way into the package: a subpath, and how it is asked for. */
export interface Door {
  /** `twiceshy/vitest`, with `(require)` after it for the CommonJS copy. */
  readonly name: string;
  readonly code: string;
  readonly types: string;
}

type Condition = { readonly types: string; readonly default: string };
type Exported = string | Condition | { readonly import: Condition; readonly require: Condition };

export interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, Exported>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly scripts: Readonly<Record<string, string>>;
  readonly sideEffects: readonly string[];
}

export function manifest(): Manifest {
  return JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8")) as Manifest;
}

/** Every door of package.json, by what is there now. */
export function doors(): readonly Door[] {
  const { name, exports } = manifest();
  return Object.entries(exports).flatMap(([subpath, to]) => {
    const full = `${name}${subpath.slice(1)}`;
    if (typeof to === "string") return [];
    if ("default" in to) return [{ name: full, code: to.default, types: to.types }];
    const { import: esm, require: cjs } = to;
    return [
      { name: full, code: esm.default, types: esm.types },
      { name: `${full} (require)`, code: cjs.default, types: cjs.types },
    ];
  });
}

/** The files of the tarball, sorted. */
export function packed(): readonly string[] {
  const said = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [tarball] = JSON.parse(said) as readonly { readonly files: readonly { path: string }[] }[];
  return (tarball?.files ?? []).map((file) => file.path).sort();
}

const AT_ONCE =
  /(?:^|[;}\n])(?:import|export)\b[^;"'()]*?["'](\.[^"']+)["']|\brequire\("(\.[^"]+)"\)/g;
const LATER = /\bimport\("(\.[^"]+)"\)|\bhere\("([\w-]+)"\)/g;
/** A `require` that waits until it is asked. */
const WAITING = /\.then\(\(\) => [^\n]*?require\("(\.[^"]+)"\)/g;
const DECLARED = /(?:from|import\(?) ?"(\.[^"]+)"/g;

/** A file of dist with all that it loads: at once, or also what it loads later. */
export function loads(entries: readonly string[], when: "at once" | "ever"): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (file: string): void => {
    if (found.has(file)) return;
    found.add(file);
    const text = readFileSync(path.join(ROOT, file), "utf8");
    const all = file.endsWith(".d.ts") ? specifiers(text, DECLARED) : specifiersOf(text, when);
    for (const to of all) visit(placeOf(file, to));
  };
  for (const entry of entries) visit(path.normalize(entry));
  return found;
}

function specifiersOf(text: string, when: "at once" | "ever"): readonly string[] {
  // `here("x")` is asked for its folder alone.
  const later = [...specifiers(text, LATER), ...specifiers(text, WAITING)].filter(
    (to) => to !== "x",
  );
  const now = specifiers(text.replaceAll(WAITING, ""), AT_ONCE);
  return when === "ever" ? [...now, ...later] : now;
}

function specifiers(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, one, other]) => one ?? other ?? "");
}

function placeOf(from: string, to: string): string {
  const named = to.startsWith(".") ? to : `./${to}.js`;
  const place = path.join(path.dirname(from), named);
  const typed = place.replace(/\.js$/, ".d.ts");
  return from.endsWith(".d.ts") && existsSync(path.join(ROOT, typed)) ? typed : place;
}

/** Bytes of files, as they are and packed together. */
export function weigh(files: Iterable<string>): { readonly bytes: number; readonly gzip: number } {
  const texts = [...files].map((file) => readFileSync(path.join(ROOT, file)));
  const all = Buffer.concat(texts);
  return { bytes: all.length, gzip: gzipSync(all, { level: 9 }).length };
}

/** The names that a declaration file exports, types marked as such, sorted. */
export function names(file: string): readonly string[] {
  const text = readFileSync(path.join(ROOT, file), "utf8");
  const lists = [...text.matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(([, all, list = ""]) =>
    list
      .split(",")
      .map((entry) => entry.trim())
      .filter((entry) => entry !== "")
      .map((entry) => {
        const name = entry.replace(/^type /, "").replace(/^.* as /, "");
        return all !== undefined || entry.startsWith("type ") ? `type ${name}` : name;
      }),
  );
  const kinds =
    /^export (?:declare )?(default|const|function|class|interface|type)\b(?: (?:function |class )?(\w+))?/gm;
  const own = [...text.matchAll(kinds)]
    .filter(([line]) => line !== "export type")
    .map(([, kind, name = ""]) =>
      kind === "default"
        ? "default"
        : kind === "interface" || kind === "type"
          ? `type ${name}`
          : name,
    );
  return sorted([...lists, ...own]);
}

/** Each name once: a class is a value and a type. */
function sorted(all: readonly string[]): readonly string[] {
  const bare = (name: string): string => name.replace(/^type /, "");
  const once = all.filter((name) => !name.startsWith("type ") || !all.includes(bare(name)));
  return [...new Set(once)].sort((a, b) => (bare(a) < bare(b) ? -1 : 1));
}
