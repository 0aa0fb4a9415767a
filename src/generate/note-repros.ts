import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { isNoted, notePath, notesIn, type CheckedNotes } from "../repro/checked.ts";
import { writeAtomic } from "../shared/file.ts";
import { ENGINE } from "./fast.ts";
import { REPROS_ENDING } from "./names.ts";

/**
 * Looks through the repros files that changed since they were last looked through, and notes in the project's cache what
 * each of their tests would find out again. Where there is no cache folder, and in CI, the tests do so themselves.
 */
export async function noteRepros(config: Config): Promise<CheckedNotes | undefined> {
  const { root, specs, redact, ci } = config;
  const cache = join(root, ".twiceshy");
  if (ci || !existsSync(cache) || !existsSync(specs.dir)) return undefined;
  const notes = notesIn(join(cache, "checked"), redact, ENGINE);
  const changed = readdirSync(specs.dir)
    .filter((name) => name.endsWith(REPROS_ENDING))
    .map((name) => join(specs.dir, name))
    .filter((path) => !isNoted(path, notes));
  if (changed.length === 0) return notes;
  const { lookThrough } = await import("../repro/look-through.ts");
  for (const path of changed) {
    try {
      const note = lookThrough(path, redact, notes);
      mkdirSync(notes.dir, { recursive: true });
      writeAtomic(notePath(path, notes), `${JSON.stringify(note)}\n`);
    } catch {
      // A file that cannot be read is its own tests' matter; a note that cannot be written is no loss.
    }
  }
  return notes;
}
