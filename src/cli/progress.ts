import { monotonic } from "../shared/clock.ts";
import type { Io } from "./io.ts";

const EVERY_MS = 100;

export interface Progress {
  /** One more is done. */
  readonly tick: () => void;
  /** Takes the line away. */
  readonly done: () => void;
}

/** Shows on a terminal that long work goes on; says nothing where nobody watches. */
export function progress(io: Io, what: string, total?: number): Progress {
  if (io.stderr.isTTY !== true) return { tick: () => {}, done: () => {} };
  let count = 0;
  let shown = monotonic();
  let drawn = false;
  return {
    tick() {
      count += 1;
      if (monotonic() - shown < EVERY_MS) return;
      shown = monotonic();
      drawn = true;
      io.stderr.write(`\r\u001B[2K${what} ${count}${total === undefined ? "" : ` of ${total}`}`);
    },
    done() {
      if (drawn) io.stderr.write("\r\u001B[2K");
    },
  };
}
