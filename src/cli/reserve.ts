import {
  closeSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmdirSync,
  rmSync,
} from "node:fs";
import { dirname } from "node:path";
import { failure } from "../shared/error.ts";
import { oneLine } from "../shared/text.ts";

/** A file that a command will write, and what a person calls it. */
export interface Destination {
  readonly path: string;
  readonly name: string;
}

/** Files that exist, empty, before anything of the user runs, so that nothing can be overwritten and nothing is lost for want of a place. */
export interface Reservation {
  /** Removes what is still empty, and the folders that were made for it. */
  release(): void;
}

const ADVICE = "Choose another path, or move the old file away; nothing is ever overwritten";

/** Reserves all or none. Throws E_DESTINATION_EXISTS or E_DESTINATION_UNWRITABLE. */
export function reserve(destinations: readonly Destination[]): Reservation {
  const made = { files: [] as string[], folders: [] as string[] };
  const release = (): void => {
    for (const path of made.files) if (isEmptyFile(path)) rmSync(path, { force: true });
    for (const path of made.folders.toReversed()) removeEmptyFolder(path);
  };
  try {
    for (const destination of destinations) {
      made.folders.push(...makeFolders(dirname(destination.path)));
      create(destination);
      made.files.push(destination.path);
    }
    return { release };
  } catch (thrown) {
    release();
    throw thrown;
  }
}

/** Reserves a folder that must not exist yet. */
export function reserveFolder({ path, name }: Destination): Reservation {
  const folders = makeFolders(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
    return {
      release() {
        for (const made of [...folders, path].toReversed()) removeEmptyFolder(made);
      },
    };
  } catch (cause) {
    for (const made of folders.toReversed()) removeEmptyFolder(made);
    throw unusable({ path, name }, cause);
  }
}

function create(destination: Destination): void {
  try {
    closeSync(openSync(destination.path, "wx", 0o600));
  } catch (cause) {
    throw unusable(destination, cause);
  }
}

function unusable({ name }: Destination, cause: unknown): Error {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : "";
  const exists = code === "EEXIST";
  return failure(exists ? "E_DESTINATION_EXISTS" : "E_DESTINATION_UNWRITABLE", {
    to: `write ${oneLine(name, 300)}`,
    because: exists ? "it exists already" : `it cannot be made (${String(code)})`,
    fix: exists ? ADVICE : "Choose a path that can be written",
    cause,
  });
}

/** The folders that were missing, outermost first. */
function makeFolders(folder: string): string[] {
  const missing: string[] = [];
  for (let at = folder; lstatSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at))
    missing.unshift(at);
  try {
    for (const path of missing) mkdirSync(path, { mode: 0o700 });
  } catch (cause) {
    throw unusable({ path: folder, name: folder }, cause);
  }
  return missing;
}

function isEmptyFile(path: string): boolean {
  try {
    const descriptor = openSync(path, "r");
    try {
      return fstatSync(descriptor).size === 0;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return false;
  }
}

function removeEmptyFolder(path: string): void {
  try {
    if (readdirSync(path).length === 0) rmdirSync(path);
  } catch {
    // Somebody else uses it; it does no harm.
  }
}
