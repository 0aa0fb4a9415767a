import { asks } from "../shared/asking-command.ts";
import { clip } from "../shared/text.ts";
import type { ToolResult } from "../trace/trace.ts";

/** How a command ended. */
export interface Exit {
  readonly command: string;
  readonly code: number;
  readonly output: string;
}

/** The code of programs that say "no" by it: nothing found, not equal, not there. */
const NO = 1;
/** The code that some harnesses give a command that is still running. */
const RUNNING = -1;
/**
 * What a shell answered, as `{ output, exit_code }`. Another code than 0 is an error, but for a command that is still
 * running, and for `grep`, `diff`, `which` and their like, which answer "no" with a 1.
 */
export function exitResult({ command, code, output }: Exit): ToolResult {
  const data = { output, exit_code: code };
  if (code === 0 || code === RUNNING || (code === NO && asks(command))) return { ok: true, data };
  return {
    ok: false,
    error: { name: "NonZeroExit", code, message: messageOf(output, code), source: "flag" },
    data,
  };
}

/** The last line that was printed says most often what went wrong. */
function messageOf(output: string, code: number): string {
  const lines = output.split("\n").map((line) => line.trim());
  const last = lines.findLast((line) => line !== "");
  return last === undefined ? `exit code ${code}` : clip(last, 300);
}
