import { lstatSync, readdirSync, realpathSync, statSync, type Stats } from "node:fs";
import { join, resolve } from "node:path";
import { failure } from "../shared/error.ts";
import { byCodeUnit } from "../shared/json.ts";
import type { Problem } from "./importer.ts";

/** Names that a folder is searched for; what a file really holds is told by its content. */
const SUFFIXES = [".json", ".jsonl", ".traj", ".eval"];
/** Python runs what such a file says when it loads it; it is told by its name and never opened. */
const PICKLE = /\.(?:pkl|pickle)(?:\.(?:gz|bz2|xz|zst))?$/i;

/** One file to read, or why there is none. */
export type FoundFile = {
  readonly path: string;
  /** Whether the caller named the file, or a folder that holds it. */
  readonly named: boolean;
} & ({ readonly link?: string } | { readonly problem: Problem; readonly skip?: true });

/**
 * The files behind paths, each once, in the order of the paths; folders give their `.json`, `.jsonl`, `.traj` and `.eval` files
 * at any depth, sorted. Hidden files, `node_modules` and links to folders are left out. Never blocks on a pipe or device.
 * @yields each file, or why there is none
 */
export function* traceFiles(paths: readonly string[]): Generator<FoundFile> {
  const seen = new Set<string>();
  for (const path of paths) {
    for (const found of under(path)) {
      const key = resolve(found.path);
      if (seen.has(key)) continue;
      seen.add(key);
      yield found;
    }
  }
}

function* under(path: string): Generator<FoundFile> {
  const stats = statsOf(path);
  if (!("isFile" in stats)) yield { path, named: true, problem: stats };
  else if (!stats.isDirectory()) yield found(path, true);
  else {
    let files = 0;
    for (const file of inFolder(path)) {
      files += 1;
      yield file;
    }
    if (files === 0) yield { path, named: true, problem: emptyFolder(path) };
  }
}

/**
 * The trace files of a folder and of the folders in it, in the order of their names.
 * @yields each file
 */
function* inFolder(folder: string): Generator<FoundFile> {
  let names: string[];
  try {
    names = readdirSync(folder).sort(byCodeUnit);
  } catch (cause) {
    yield { path: folder, named: false, problem: unreadable(folder, cause) };
    return;
  }
  for (const name of names) {
    if (name.startsWith(".") || name === "node_modules") continue;
    const path = join(folder, name);
    const stats = statsOf(path);
    const wanted = SUFFIXES.some((suffix) => name.endsWith(suffix));
    if ("isFile" in stats && stats.isDirectory()) {
      if (lstatSync(path).isSymbolicLink()) yield linkedFolder(path);
      else yield* inFolder(path);
    } else if (PICKLE.test(name)) {
      yield { path, named: false, problem: pickle(path), skip: true };
    } else if (wanted) {
      yield "isFile" in stats ? found(path, false) : { path, named: false, problem: stats };
    }
  }
}

/** A file that can be read, or the kind of thing that it is instead. */
function found(path: string, named: boolean): FoundFile {
  const stats = statsOf(path);
  if (!("isFile" in stats)) return { path, named, problem: stats };
  if (!stats.isFile()) return { path, named, problem: notAFile(path, stats) };
  if (PICKLE.test(path)) return { path, named, problem: pickle(path), skip: true };
  if (stats.size === 0) {
    return { path, named, problem: emptyFile(path), ...(named ? {} : { skip: true }) };
  }
  return lstatSync(path).isSymbolicLink()
    ? { path, named, link: realpathSync(path) }
    : { path, named };
}

function statsOf(path: string): Stats | Problem {
  try {
    return statSync(path);
  } catch (cause) {
    return unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): Problem {
  const code = (cause as { readonly code?: unknown }).code;
  if (code === "ENOENT") {
    return failure("E_FILE_MISSING", {
      to: `read traces from ${path}`,
      because: "there is no such file or folder",
      fix: "Check the path; it is relative to the folder in which the command runs",
    });
  }
  const circle = code === "ELOOP";
  return failure("E_FILE_UNREADABLE", {
    to: `read traces from ${path}`,
    because: circle
      ? "its links lead in a circle"
      : `the system refused it (${String(code ?? cause)})`,
    fix: circle ? "Remove the links" : "Check its permissions and links",
  });
}

function notAFile(path: string, stats: Stats): Problem {
  const kind = stats.isFIFO()
    ? "a named pipe"
    : stats.isSocket()
      ? "a socket"
      : stats.isCharacterDevice() || stats.isBlockDevice()
        ? "a device"
        : "no regular file";
  return failure("E_FILE_KIND", {
    to: `read traces from ${path}`,
    because: `it is ${kind}`,
    fix: "Write the traces to a regular file first",
  });
}

function pickle(path: string): Problem {
  return failure("E_FILE_PICKLE", {
    to: `read traces from ${path}`,
    because: "it is a Python pickle, which is never opened",
    fix: "Export the run as JSON",
  });
}

function emptyFile(path: string): Problem {
  return failure("E_FILE_EMPTY", {
    to: `read traces from ${path}`,
    because: "the file is empty",
    fix: "Record a run into it or leave it out",
  });
}

function emptyFolder(path: string): Problem {
  return failure("E_FOLDER_EMPTY", {
    to: `read traces from ${path}`,
    because: `the folder holds no ${SUFFIXES.join(", ")} file`,
    fix: "Name a folder with trace files, or a file of any name",
  });
}

function linkedFolder(path: string): FoundFile {
  const problem = failure("E_FOLDER_LINK", {
    to: `read traces from ${path}`,
    because: "it is a link to another folder, which is not followed",
    fix: "Name that folder itself to read it",
  });
  return { path, named: false, problem, skip: true };
}
