import type { Readable } from "node:stream";
import { createColors } from "picocolors";

/** Where a command's words go to; a terminal, or anything that takes text. */
export interface Out {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/** All that a command knows of the world outside. */
export interface Io {
  readonly stdin: Readable;
  readonly stdout: Out;
  readonly stderr: Out;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The project's root. */
  readonly cwd: string;
}

/** Prints one line. */
export function say(io: Io, line = ""): void {
  io.stdout.write(`${line}\n`);
}

/** Prints one line that is no result: a warning, a question, a hint. */
export function note(io: Io, line: string): void {
  io.stderr.write(`${line}\n`);
}

/** Prints the result for a program: one JSON document. */
export function sayJson(io: Io, value: unknown): void {
  io.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Colours for one stream; none when it is no terminal or NO_COLOR is set, whatever FORCE_COLOR says. */
export function colours(io: Io, stream: Out = io.stdout): ReturnType<typeof createColors> {
  const { NO_COLOR, FORCE_COLOR, TERM } = io.env;
  if (NO_COLOR !== undefined && NO_COLOR !== "") return createColors(false);
  const forced = FORCE_COLOR !== undefined && FORCE_COLOR !== "0" && FORCE_COLOR !== "";
  return createColors(forced || (stream.isTTY === true && TERM !== "dumb"));
}
