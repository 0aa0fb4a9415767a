import type { Args } from "./args.ts";
import type { Io } from "./io.ts";

/** Exit codes: 0 passed, 1 failed or regressed, 2 invalid input or set-up, 3 incomplete evidence. */
export const EXIT = { passed: 0, failed: 1, invalid: 2, incomplete: 3 } as const;

export interface OptionShape {
  /** An `optional` one may stand alone, or have its value behind `=`; what to make of the word after it is the command's business. */
  readonly type: "flag" | "text" | "number" | "optional" | readonly string[];
  /** What stands for the value in the help text, as FILE. */
  readonly value?: string;
  readonly help: string;
}

/** One command of `twiceshy`. */
export interface Command {
  /** After the command's name, as "PATHS...". */
  readonly usage: string;
  /** What it does, in a few lines. */
  readonly about: string;
  readonly options: Readonly<Record<string, OptionShape>>;
  /** How many positional arguments: at least and at most. */
  readonly positionals: readonly [number, number];
  /** Returns the exit code. */
  run(args: Args, io: Io): number | Promise<number>;
}

export const JSON_OPTION: OptionShape = {
  type: "flag",
  help: "Print one JSON document instead of text",
};
