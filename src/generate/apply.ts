import { lstatSync, realpathSync, rmSync } from "node:fs";
import { basename, dirname } from "node:path";
import { failure } from "../shared/error.ts";
import { systemCode, writeFailure } from "../shared/file-error.ts";
import { sweepTemporary, writeAtomic } from "../shared/file.ts";
import { withLock } from "./lock.ts";
import type { Plan } from "./plan.ts";
import { asProblem, type Problem } from "./problem.ts";
import { isInside } from "./target.ts";

/** What was done of a plan; the first thing that the system refuses ends it. */
export interface Applied {
  readonly written: readonly string[];
  readonly removed: readonly string[];
  readonly problems: readonly Problem[];
  /** Whether everything was done. */
  readonly complete: boolean;
}

/**
 * Carries out what `replan` asks for, alone in the folder: other processes wait, and each plans anew with what it finds then.
 * Every file is whole at any moment, and repros are written before the specs that read them.
 */
export function applyLocked(
  dir: string,
  fence: string,
  replan: () => Plan,
): Applied & { readonly plan?: Plan } {
  try {
    refuseOutside(dir, fence);
    return withLock(dir, () => {
      sweepTemporary(dir);
      const plan = replan();
      return { ...apply(plan, fence), plan };
    });
  } catch (thrown) {
    const because = systemCode(thrown) === "" ? thrown : writeFailure(dir, thrown);
    return { written: [], removed: [], problems: [asProblem(because)], complete: false };
  }
}

function apply({ writes, removals }: Plan, fence: string): Applied {
  const written: string[] = [];
  const removed: string[] = [];
  try {
    for (const { path, text } of writes) {
      writeAtomic(path, text, { inside: fence });
      written.push(path);
    }
    for (const path of removals) {
      rmSync(path, { force: true });
      removed.push(path);
    }
  } catch (thrown) {
    return { written, removed, problems: [asProblem(thrown)], complete: false };
  }
  return { written, removed, problems: [], complete: true };
}

/** The lock is the first thing that is written, so a linked folder must be refused before it. */
function refuseOutside(dir: string, fence: string): void {
  const real = realpathSync(nearest(dir));
  const root = realpathSync(nearest(fence));
  if (isInside(root, real)) return;
  throw failure("E_SPECS_OUTSIDE", {
    to: `write specs into ${dir}`,
    because: `it really lies in ${real}, outside ${root}`,
    fix: `Replace the link ${basename(dir)} by a folder, or set "specs" to the real place`,
  });
}

function nearest(path: string): string {
  const above = dirname(path);
  const exists = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  return exists || above === path ? path : nearest(above);
}
