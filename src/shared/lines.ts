import { isUtf8 } from "node:buffer";
import { closeSync, readSync } from "node:fs";
import { bomLength } from "./bom.ts";
import { openRegular } from "./file.ts";

/** One line of a file. Exactly one of `text`, `tooLong` and `invalid` is there. */
export interface Line {
  /** From 1. */
  readonly number: number;
  /** Without its line break. */
  readonly text?: string;
  /** Longer than the cap; it was skipped. */
  readonly tooLong?: true;
  /** Why the bytes are not text. */
  readonly invalid?: string;
  /** The last line, without its line break: perhaps written only in part. */
  readonly torn?: true;
}

const CHUNK = 256 * 1024;
const LF = 10;
const CR = 13;

/**
 * The lines of a text file that are not blank, streamed: splits on LF only, strips a CR before it and a BOM at the start.
 * Needs memory for one line at most, and none for a line beyond `maxLineBytes` (32 MiB by default).
 * Throws E_FILE_* when the path is no regular file that can be read.
 * @yields each line, from the first
 */
export function* readLines(
  path: string,
  options: { readonly maxLineBytes?: number } = {},
): Generator<Line> {
  const descriptor = openRegular(path);
  try {
    yield* split(descriptor, options.maxLineBytes ?? 32 * 1024 * 1024);
  } finally {
    closeSync(descriptor);
  }
}

function* split(descriptor: number, cap: number): Generator<Line> {
  const chunk = Buffer.allocUnsafe(CHUNK);
  const line = new LineBuffer(cap);
  let number = 1;
  for (let size = readSync(descriptor, chunk); size > 0; size = readSync(descriptor, chunk)) {
    const bytes = chunk.subarray(0, size);
    let start = 0;
    for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, start)) {
      // Most lines lie in one piece, and need no copy.
      const found =
        line.size === 0 && number > 1 && end - start <= cap
          ? textLine(bytes.subarray(start, end), number)
          : line.take(number, bytes.subarray(start, end));
      number++;
      start = end + 1;
      if (found !== undefined) yield found;
      if (found?.invalid?.startsWith("UTF-16") === true) return;
    }
    line.add(bytes, start, size);
  }
  if (line.size === 0) return;
  const last = line.take(number);
  if (last !== undefined) yield { ...last, torn: true };
}

/** Collects the bytes of one line in a buffer that is used again for the next one. */
class LineBuffer {
  /** Bytes of the line so far, also those beyond the cap. */
  size = 0;
  private buffer = Buffer.allocUnsafe(CHUNK);
  private readonly cap: number;

  constructor(cap: number) {
    this.cap = cap;
  }

  add(chunk: Buffer, start: number, end: number): void {
    const size = this.size + end - start;
    if (size <= this.cap) {
      if (size > this.buffer.length) this.grow(size);
      chunk.copy(this.buffer, this.size, start, end);
    }
    this.size = size;
  }

  /** The line with its last bytes, or undefined when it is blank; starts the next one. */
  take(number: number, last?: Buffer): Line | undefined {
    if (last !== undefined) this.add(last, 0, last.length);
    const { size } = this;
    this.size = 0;
    if (size > this.cap) return { number, tooLong: true };
    const first = number === 1 ? bomLength(this.buffer.subarray(0, size)) : 0;
    if (first === "UTF-16") {
      return { number, invalid: "UTF-16: write the file as UTF-8" };
    }
    return textLine(this.buffer.subarray(first, size), number);
  }

  private grow(size: number): void {
    const larger = Buffer.allocUnsafe(Math.min(this.cap, Math.max(size, this.buffer.length * 2)));
    this.buffer.copy(larger, 0, 0, this.size);
    this.buffer = larger;
  }
}

function textLine(line: Buffer, number: number): Line | undefined {
  const bytes = line.at(-1) === CR ? line.subarray(0, -1) : line;
  if (!isUtf8(bytes)) return { number, invalid: "bytes that are not UTF-8" };
  const text = bytes.toString("utf8");
  return text.trim() === "" ? undefined : { number, text };
}
