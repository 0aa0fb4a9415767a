import { execFileSync } from "node:child_process";
import { failure } from "../shared/error.ts";
import { oneLine } from "../shared/text.ts";
import type { Io } from "./io.ts";

const FULL = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** The full id of a commit: as it is given, or what git knows it by (`HEAD`, a branch, a short id). E_COMMIT_UNKNOWN. */
export function commitOf(io: Io, given: string): string {
  const lower = given.toLowerCase();
  if (FULL.test(lower)) return lower;
  try {
    const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${given}^{commit}`];
    const options = { cwd: io.cwd, encoding: "utf8", stdio: "pipe", timeout: 10_000 } as const;
    const found = execFileSync("git", args, options).trim();
    if (FULL.test(found)) return found;
  } catch {
    // Told below.
  }
  throw failure("E_COMMIT_UNKNOWN", {
    to: `find the commit ${oneLine(given, 80)}`,
    because: "it is no full commit id, and git knows none by that name here",
    fix: 'Give 40 hex digits, or a name such as "HEAD"',
  });
}
