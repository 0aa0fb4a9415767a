import { failure, messageOf, type TwiceshyError } from "../shared/error.ts";

/** Every way in which a store cannot be used, with what to do about it. */

export function damaged(path: string, because: string, cause?: unknown): TwiceshyError {
  return failure("E_STORE_DAMAGED", {
    to: `open the store ${path}`,
    because,
    fix: `The file was left as it is. Move it and its -wal and -shm files aside and run "twiceshy ingest" on the traces again; repros and baselines are in the specs folder and lose nothing`,
    cause,
  });
}

export function foreign(path: string): TwiceshyError {
  return failure("E_STORE_FOREIGN", {
    to: `open the store ${path}`,
    because: "it is a SQLite database of another program",
    fix: 'Set "store" (or TWICESHY_STORE) to a file of its own',
  });
}

export function newer(path: string, found: number, known: number): TwiceshyError {
  return failure("E_STORE_VERSION", {
    to: `open the store ${path}`,
    because: `it has version ${found}, and this twiceshy knows versions up to ${known}`,
    fix: "Nothing was written. Update twiceshy, or set TWICESHY_STORE to another file",
  });
}

export function readonly(path: string, cause: unknown): TwiceshyError {
  return failure("E_STORE_READONLY", {
    to: `open the store ${path}`,
    because: `it cannot be written (${messageOf(cause)})`,
    fix: 'Make the folder writable, or set "store" (or TWICESHY_STORE) to a file in a folder that is',
    cause,
  });
}

export function locked(path: string, waitedMs: number, cause: unknown): TwiceshyError {
  return failure("E_STORE_LOCKED", {
    to: `use the store ${path}`,
    because: `another process has been writing for ${Math.round(waitedMs / 100) / 10} s`,
    fix: "Wait for it, or end it, and try again",
    cause,
  });
}

export function full(path: string, cause: unknown): TwiceshyError {
  return failure("E_STORE_FULL", {
    to: `use the store ${path}`,
    because: `the disk is full or unusable (${messageOf(cause)})`,
    fix: "Free some space and try again; what was stored before is whole",
    cause,
  });
}

export function noDriver(path: string, cause: unknown): TwiceshyError {
  return failure("E_STORE_DRIVER", {
    to: `open the store ${path}`,
    because: `better-sqlite3 cannot be loaded (${driverProblem(cause)})`,
    fix: 'Run "npm rebuild better-sqlite3" (with npm 11 first "npm install-scripts approve better-sqlite3"), or use Node 22.13 or newer, which has a driver of its own; tests need no store, and read the files in "traces" without one',
    cause,
  });
}

/** The messages of the driver's loader list every path that was tried. */
function driverProblem(cause: unknown): string {
  const message = messageOf(cause);
  if (message.startsWith("Could not locate the bindings file")) return "it was never compiled here";
  if (message.includes("NODE_MODULE_VERSION")) return "it was compiled for another version of Node";
  return message.split("\n")[0] ?? "";
}

export function closed(path: string): TwiceshyError {
  return failure("E_STORE_CLOSED", {
    to: `use the store ${path}`,
    because: "it was closed",
    fix: "Open it again",
  });
}

const READONLY = new Set([
  "EACCES",
  "EPERM",
  "EROFS",
  "ENOTDIR",
  "EEXIST",
  "SQLITE_CANTOPEN",
  "SQLITE_PERM",
]);

/** Our error for what SQLite or the file system threw; anything else as it was. */
export function explain(path: string, busyMs: number, thrown: unknown): unknown {
  const code = codeOf(thrown);
  if (code.startsWith("SQLITE_BUSY") || code.startsWith("SQLITE_LOCKED"))
    return locked(path, busyMs, thrown);
  if (code.startsWith("SQLITE_READONLY") || READONLY.has(code)) return readonly(path, thrown);
  if (code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB") {
    return damaged(path, `its content is damaged (${messageOf(thrown)})`, thrown);
  }
  if (code === "SQLITE_FULL" || code.startsWith("SQLITE_IOERR") || code === "ENOSPC")
    return full(path, thrown);
  return thrown;
}

/** SQLite's own codes, by their last byte, as Node's driver gives them. */
const NODE_CODES: Readonly<Record<number, string>> = {
  3: "SQLITE_PERM",
  5: "SQLITE_BUSY",
  6: "SQLITE_LOCKED",
  8: "SQLITE_READONLY",
  10: "SQLITE_IOERR",
  11: "SQLITE_CORRUPT",
  13: "SQLITE_FULL",
  14: "SQLITE_CANTOPEN",
  26: "SQLITE_NOTADB",
};

export function codeOf(thrown: unknown): string {
  if (typeof thrown === "object" && thrown !== null && "errcode" in thrown)
    return NODE_CODES[Number(thrown.errcode) & 0xff] ?? "";
  return typeof thrown === "object" && thrown !== null && "code" in thrown
    ? String(thrown.code)
    : "";
}
