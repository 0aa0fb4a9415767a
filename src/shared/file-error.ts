import type { Stats } from "node:fs";
import { failure, messageOf, TwiceshyError } from "./error.ts";
import { oneLine } from "./text.ts";

/** A path as it may be printed. */
function shown(path: string): string {
  return oneLine(path, 300);
}

/** The system's code of an error, as `ENOENT`; empty for anything else. */
export function systemCode(thrown: unknown): string {
  const coded = typeof thrown === "object" && thrown !== null && "code" in thrown;
  return coded && typeof thrown.code === "string" ? thrown.code : "";
}

/** What something is that is no regular file. */
function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return "directory";
  if (stats.isFIFO()) return "FIFO";
  if (stats.isSocket()) return "socket";
  return stats.isCharacterDevice() || stats.isBlockDevice() ? "device" : "special file";
}

export function notRegular(verb: "read" | "write", path: string, stats: Stats): TwiceshyError {
  return failure("E_FILE_KIND", {
    to: `${verb} ${shown(path)}`,
    because: `it is a ${kindOf(stats)}, not a file`,
    fix: verb === "read" ? "Name a regular file" : "Move it away, or choose another path",
  });
}

export function targetIsLink(path: string): TwiceshyError {
  return failure("E_FILE_SYMLINK", {
    to: `write ${shown(path)}`,
    because: "it is a symbolic link, and what it points to must not be overwritten",
    fix: "Remove the link, or choose another path",
  });
}

export function folderOutside(path: string, real: string, root: string): TwiceshyError {
  return failure("E_FILE_OUTSIDE", {
    to: `write ${shown(path)}`,
    because: `its folder really is ${shown(real)}, outside ${shown(root)}`,
    fix: "Remove the symbolic link from its path, or choose another path",
  });
}

export function tooLarge(path: string, maxBytes: number): TwiceshyError {
  return failure("E_FILE_TOO_LARGE", {
    to: `read ${shown(path)}`,
    because: `it is larger than ${maxBytes} bytes`,
    fix: "Split it into smaller files",
  });
}

export function notText(path: string, encoding: "UTF-16" | "bytes"): TwiceshyError {
  return failure("E_FILE_ENCODING", {
    to: `read ${shown(path)}`,
    because: encoding === "UTF-16" ? "it is UTF-16" : "it holds bytes that are not UTF-8",
    fix: "Write the file as UTF-8",
  });
}

const WRITE_REASONS: ReadonlyMap<string, readonly [code: string, because: string, fix: string]> =
  new Map([
    [
      "EACCES",
      [
        "E_FILE_READONLY",
        "writing there is not allowed",
        "Give this user the right to write, or choose another path",
      ],
    ],
    [
      "EPERM",
      [
        "E_FILE_READONLY",
        "writing there is not allowed",
        "Give this user the right to write, or choose another path",
      ],
    ],
    [
      "EROFS",
      [
        "E_FILE_READONLY",
        "the file system is read-only",
        "Choose a path on a file system that can be written",
      ],
    ],
    ["ENOSPC", ["E_FILE_NO_SPACE", "the disk is full", "Free some space and try again"]],
    ["EDQUOT", ["E_FILE_NO_SPACE", "the disk quota is used up", "Free some space and try again"]],
    ["ENAMETOOLONG", ["E_FILE_NAME", "the name is too long", "Choose a shorter path"]],
    [
      "ENOTDIR",
      [
        "E_FILE_KIND",
        "a part of its path is a file, not a folder",
        "Move that file away, or choose another path",
      ],
    ],
    [
      "EEXIST",
      [
        "E_FILE_KIND",
        "a part of its path is a file, not a folder",
        "Move that file away, or choose another path",
      ],
    ],
    [
      "ELOOP",
      [
        "E_FILE_SYMLINK",
        "its path goes through symbolic links without end",
        "Remove the links, or choose another path",
      ],
    ],
  ]);

/** Says why a write failed; the old file, if any, is still there. */
export function writeFailure(path: string, thrown: unknown): TwiceshyError {
  if (TwiceshyError.is(thrown)) return thrown;
  const known = WRITE_REASONS.get(systemCode(thrown));
  const [code, because, fix] = known ?? [
    "E_FILE_WRITE",
    oneLine(messageOf(thrown), 200),
    "Check the path and the disk",
  ];
  return failure(code, { to: `write ${shown(path)}`, because, fix, cause: thrown });
}

const READ_REASONS: ReadonlyMap<string, readonly [code: string, because: string, fix: string]> =
  new Map([
    ["ENOENT", ["E_FILE_MISSING", "there is no such file", "Check the path"]],
    ["ENOTDIR", ["E_FILE_MISSING", "a part of its path is a file, not a folder", "Check the path"]],
    [
      "EACCES",
      ["E_FILE_UNREADABLE", "reading it is not allowed", "Give this user the right to read it"],
    ],
    [
      "EPERM",
      ["E_FILE_UNREADABLE", "reading it is not allowed", "Give this user the right to read it"],
    ],
    [
      "ELOOP",
      ["E_FILE_UNREADABLE", "its path goes through symbolic links without end", "Remove the links"],
    ],
    ["EISDIR", ["E_FILE_KIND", "it is a directory, not a file", "Name a regular file"]],
    ["ENXIO", ["E_FILE_KIND", "it is a socket or FIFO, not a file", "Name a regular file"]],
  ]);

export function readFailure(path: string, thrown: unknown): TwiceshyError {
  if (TwiceshyError.is(thrown)) return thrown;
  const known = READ_REASONS.get(systemCode(thrown));
  const [code, because, fix] = known ?? [
    "E_FILE_UNREADABLE",
    oneLine(messageOf(thrown), 200),
    "Check the path and the disk",
  ];
  return failure(code, { to: `read ${shown(path)}`, because, fix, cause: thrown });
}
