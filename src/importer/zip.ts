import { closeSync, fstatSync, readSync } from "node:fs";
import { inflateRawSync } from "node:zlib";
import { failure } from "../shared/error.ts";
import { openRegular } from "../shared/file.ts";

/** Largest member that is unpacked, and how much of one archive is in all. */
const MEMBER_BYTES = 64 * 1024 * 1024;
const ALL_BYTES = 4 * 1024 * 1024 * 1024;
const MEMBERS = 200_000;
/** A log repeats itself less than this; only a large member that is made to fill the memory goes beyond. */
const TIMES = 500;
const SMALL_BYTES = 4 * 1024 * 1024;
const DIRECTORY_BYTES = 64 * 1024 * 1024;
const END = 0x06054b50;
const END64 = 0x06064b50;
const LOCATOR64 = 0x07064b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const END_BYTES = 22;
const COMMENT_BYTES = 0xffff;
const ENCRYPTED = 1;
const STORED = 0;
const DEFLATED = 8;

/** One member of an archive. Its name only says which it is; nothing is ever written or opened by it. */
export interface ZipMember {
  readonly name: string;
  /** Unpacks it. Throws E_RECORD_ZIP when it is broken, encrypted, packed in an unknown way or larger than 64 MiB. */
  bytes(): Buffer;
}

/** An open archive; close it. */
export interface Zip {
  readonly members: readonly ZipMember[];
  close(): void;
}

/** Whether a file begins like a zip archive. */
export function isZip(path: string): boolean {
  const handle = openRegular(path);
  try {
    const head = Buffer.alloc(4);
    if (readSync(handle, head, 0, 4, 0) < 4) return false;
    const mark = head.readUInt32LE(0);
    return mark === LOCAL || mark === END;
  } finally {
    closeSync(handle);
  }
}

/** Opens an archive and reads its directory; members are read one by one. Throws E_FILE_ZIP when it is none, or torn. */
export function openZip(path: string): Zip {
  const handle = openRegular(path);
  try {
    const file = { handle, size: fstatSync(handle).size, left: ALL_BYTES };
    const { offset, bytes, count } = endOf(file);
    if (count > MEMBERS || bytes > DIRECTORY_BYTES)
      throw broken("its directory is larger than any log's");
    const directory = slice(file, offset, bytes);
    return { members: membersIn(directory, file), close: () => closeSync(handle) };
  } catch (thrown) {
    closeSync(handle);
    throw thrown;
  }
}

interface ZipFile {
  readonly handle: number;
  readonly size: number;
  /** Bytes that may still be unpacked. */
  left: number;
}

function slice(file: ZipFile, offset: number, length: number): Buffer {
  if (!(offset >= 0) || !(length >= 0) || offset + length > file.size)
    throw broken("it is cut off");
  const bytes = Buffer.alloc(length);
  let at = 0;
  while (at < length) {
    const read = readSync(file.handle, bytes, at, length - at, offset + at);
    if (read === 0) throw broken("it is cut off");
    at += read;
  }
  return bytes;
}

/** Where the directory stands: told at the end of the file, before a comment. */
function endOf(file: ZipFile): { offset: number; bytes: number; count: number } {
  const length = Math.min(file.size, END_BYTES + COMMENT_BYTES);
  const tail = slice(file, file.size - length, length);
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END) continue;
    const end = {
      count: tail.readUInt16LE(at + 10),
      bytes: tail.readUInt32LE(at + 12),
      offset: tail.readUInt32LE(at + 16),
    };
    const large = end.count === 0xffff || end.bytes === 0xffffffff || end.offset === 0xffffffff;
    return large ? (end64(file, tail, at) ?? end) : end;
  }
  throw broken("it has no directory: it is no zip archive, or its end is missing");
}

/** The same for archives that are too large for the older form. */
function end64(
  file: ZipFile,
  tail: Buffer,
  at: number,
): { offset: number; bytes: number; count: number } | undefined {
  if (at < 20 || tail.readUInt32LE(at - 20) !== LOCATOR64) return undefined;
  const record = slice(file, Number(tail.readBigUInt64LE(at - 12)), 56);
  if (record.readUInt32LE(0) !== END64) return undefined;
  return {
    count: Number(record.readBigUInt64LE(32)),
    bytes: Number(record.readBigUInt64LE(40)),
    offset: Number(record.readBigUInt64LE(48)),
  };
}

function membersIn(directory: Buffer, file: ZipFile): ZipMember[] {
  const found: ZipMember[] = [];
  let at = 0;
  while (at + 46 <= directory.length && directory.readUInt32LE(at) === CENTRAL) {
    const nameBytes = directory.readUInt16LE(at + 28);
    const extraBytes = directory.readUInt16LE(at + 30);
    const name = directory.subarray(at + 46, at + 46 + nameBytes).toString("utf8");
    const extra = directory.subarray(at + 46 + nameBytes, at + 46 + nameBytes + extraBytes);
    const entry = sizesOf(directory, at, extra);
    found.push({ name, bytes: () => unpacked(file, entry) });
    if (found.length > MEMBERS) throw broken("it holds more files than any log");
    at += 46 + nameBytes + extraBytes + directory.readUInt16LE(at + 32);
  }
  return found;
}

interface Entry {
  readonly flags: number;
  readonly method: number;
  readonly packed: number;
  readonly size: number;
  readonly offset: number;
}

function sizesOf(directory: Buffer, at: number, extra: Buffer): Entry {
  const entry = {
    flags: directory.readUInt16LE(at + 8),
    method: directory.readUInt16LE(at + 10),
    packed: directory.readUInt32LE(at + 20),
    size: directory.readUInt32LE(at + 24),
    offset: directory.readUInt32LE(at + 42),
  };
  for (let place = 0; place + 4 <= extra.length; place += 4 + extra.readUInt16LE(place + 2)) {
    if (extra.readUInt16LE(place) !== 1) continue;
    let next = place + 4;
    const long = (value: number): number => {
      if (value !== 0xffffffff || next + 8 > extra.length) return value;
      next += 8;
      return Number(extra.readBigUInt64LE(next - 8));
    };
    const size = long(entry.size);
    const packed = long(entry.packed);
    return { ...entry, size, packed, offset: long(entry.offset) };
  }
  return entry;
}

function unpacked(file: ZipFile, entry: Entry): Buffer {
  const { flags, method, packed, size, offset } = entry;
  if ((flags & ENCRYPTED) !== 0) throw unreadable("it is encrypted");
  if (method !== STORED && method !== DEFLATED)
    throw unreadable(`it is packed by method ${method}, which is not known`);
  if (size > MEMBER_BYTES || packed > MEMBER_BYTES) throw unreadable("it is larger than 64 MiB");
  if (size > SMALL_BYTES && size > packed * TIMES)
    throw unreadable(`it unpacks to more than ${TIMES} times its size, as no log does`);
  if (size > file.left) throw unreadable("the archive holds more than 4 GiB");
  const local = slice(file, offset, 30);
  if (local.readUInt32LE(0) !== LOCAL)
    throw unreadable("the directory names a place where it is not");
  const start = offset + 30 + local.readUInt16LE(26) + local.readUInt16LE(28);
  const raw = slice(file, start, packed);
  const bytes = method === STORED ? raw : inflated(raw, size);
  if (bytes.length !== size) throw unreadable("it is not as long as the directory says");
  file.left -= bytes.length;
  return bytes;
}

/** Never more than the directory promised, whatever the packed bytes would grow to. */
function inflated(raw: Buffer, size: number): Buffer {
  try {
    return inflateRawSync(raw, { maxOutputLength: Math.max(1, size) });
  } catch {
    throw unreadable("its bytes cannot be unpacked, or give more than the directory says");
  }
}

function broken(because: string): Error {
  return failure("E_FILE_ZIP", {
    to: "read the zip archive",
    because,
    fix: "Copy or write the file again",
  });
}

function unreadable(because: string): Error {
  return failure("E_RECORD_ZIP", {
    to: "read the member of the zip archive",
    because,
    fix: "Write the log again, or leave it out",
  });
}
