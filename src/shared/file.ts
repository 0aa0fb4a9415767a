import { isUtf8 } from "node:buffer";
import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { bomLength } from "./bom.ts";
import { now, pause } from "./clock.ts";
import {
  folderOutside,
  notRegular,
  notText,
  readFailure,
  systemCode,
  targetIsLink,
  tooLarge,
  writeFailure,
} from "./file-error.ts";

/** How a file is written. */
export interface WriteOptions {
  /** The file's real folder must be this one or lie inside it; made when missing. */
  readonly inside?: string;
  /** Permission bits of a new file; by default what the umask allows. An existing file keeps its own. */
  readonly mode?: number;
}

const TEMPORARY = /^\.tmp-[0-9a-f]{32}$/u;
/** Age from which a temporary file belongs to nobody. */
const ABANDONED_MS = 10 * 60 * 1000;

/**
 * Writes a text file whole or not at all, and durably: a temporary file beside it is written, synced and renamed. Makes
 * missing folders. Refuses a target that is a symbolic link or no regular file, and one whose folder really lies outside
 * `inside`. Throws E_FILE_*, and then the old file is as it was.
 */
export function writeAtomic(path: string, text: string, options: WriteOptions = {}): void {
  const target = resolve(path);
  const folder = dirname(target);
  try {
    if (options.inside !== undefined) {
      mkdirSync(options.inside, { recursive: true });
      refuseOutside(target, nearestFolder(folder), options.inside);
    }
    mkdirSync(folder, { recursive: true });
    if (options.inside !== undefined) refuseOutside(target, folder, options.inside);
    replace(target, text, modeOf(target) ?? options.mode);
  } catch (thrown) {
    throw writeFailure(target, thrown);
  }
  syncFolder(folder);
}

/** The folder itself, or the closest one above it that exists. */
function nearestFolder(folder: string): string {
  const above = dirname(folder);
  const exists = lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
  return exists || above === folder ? folder : nearestFolder(above);
}

function refuseOutside(target: string, folder: string, inside: string): void {
  const root = realpathSync(inside);
  const real = realpathSync(folder);
  const away = relative(root, real);
  if (away === ".." || away.startsWith(`..${sep}`) || isAbsolute(away))
    throw folderOutside(target, real, root);
}

/** The permission bits of the file that will be replaced; undefined when there is none yet. */
function modeOf(target: string): number | undefined {
  const stats = lstatSync(target, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (stats.isSymbolicLink()) throw targetIsLink(target);
  if (!stats.isFile()) throw notRegular("write", target, stats);
  return stats.mode & 0o777;
}

function replace(target: string, text: string, mode: number | undefined): void {
  const temporary = join(dirname(target), `.tmp-${randomBytes(16).toString("hex")}`);
  const descriptor = openSync(temporary, "wx", mode ?? 0o666);
  try {
    try {
      if (mode !== undefined) fchmodSync(descriptor, mode);
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameWithRetry(temporary, target);
  } catch (thrown) {
    rmSync(temporary, { force: true });
    throw thrown;
  }
}

/** On Windows a reader or a virus scanner that holds the target open makes a rename fail for a moment. */
function renameWithRetry(from: string, to: string): void {
  for (let attempt = 1; ; attempt++) {
    try {
      renameSync(from, to);
      return;
    } catch (thrown) {
      const busy = ["EPERM", "EACCES", "EBUSY"].includes(systemCode(thrown));
      if (process.platform !== "win32" || !busy || attempt === 10) throw thrown;
      pause(attempt * 10);
    }
  }
}

/** Makes the rename durable where the system can: not on Windows, and not on every file system. */
function syncFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, constants.O_RDONLY);
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // The file is whole either way.
  }
}

/**
 * The text of a regular file of at most `maxBytes`, without a BOM. Refuses anything else at once: it never waits for a FIFO
 * or device. Throws E_FILE_MISSING, E_FILE_KIND, E_FILE_TOO_LARGE, E_FILE_ENCODING or E_FILE_UNREADABLE.
 */
export function readCapped(path: string, maxBytes: number): string {
  const descriptor = openRegular(path);
  try {
    const bytes = readAtMost(descriptor, maxBytes);
    if (bytes === undefined) throw tooLarge(path, maxBytes);
    const bom = bomLength(bytes);
    if (bom === "UTF-16") throw notText(path, "UTF-16");
    if (!isUtf8(bytes)) throw notText(path, "bytes");
    return bytes.toString("utf8", bom);
  } catch (thrown) {
    throw readFailure(path, thrown);
  } finally {
    closeSync(descriptor);
  }
}

/** Opens a regular file for reading and gives its descriptor, which the caller closes. Throws E_FILE_*. */
export function openRegular(path: string): number {
  try {
    const before = statSync(path);
    if (!before.isFile()) throw notRegular("read", path, before);
    // Something else may have taken its place meanwhile: without O_NONBLOCK a FIFO would block here.
    const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(descriptor);
    if (stats.isFile()) return descriptor;
    closeSync(descriptor);
    throw notRegular("read", path, stats);
  } catch (thrown) {
    throw readFailure(path, thrown);
  }
}

/** All bytes of a file; undefined when there are more than `max`. */
function readAtMost(descriptor: number, max: number): Buffer | undefined {
  const { size } = fstatSync(descriptor);
  if (size > max) return undefined;
  let buffer = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    const read = readSync(descriptor, buffer, length, buffer.length - length, null);
    if (read === 0) return buffer.subarray(0, length);
    length += read;
    if (length > max) return undefined;
    if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(length)]);
  }
}

/** Removes temporary files that interrupted writes left in a folder more than ten minutes ago; gives their number. */
export function sweepTemporary(folder: string): number {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return 0;
  }
  let swept = 0;
  for (const name of names.filter((name) => TEMPORARY.test(name))) {
    const path = join(folder, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined || !stats.isFile() || now() - stats.mtimeMs < ABANDONED_MS) continue;
    try {
      rmSync(path, { force: true });
      swept++;
    } catch {
      // Another user's file; it does no harm.
    }
  }
  return swept;
}
