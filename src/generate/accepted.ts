import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readBaseline } from "../baseline/file.ts";
import type { ReprosFile } from "../repro/repro.ts";
import { BASELINE_ENDING } from "./names.ts";

/**
 * Ids of the repros that passed and were accepted so: to give them more checks now would turn a green test red without a
 * change of the agent. All of them where a baseline cannot be read, as what it holds is not known.
 */
export function acceptedPasses(dir: string, stem: string, file: ReprosFile): ReadonlySet<string> {
  try {
    const names = readdirSync(dir).filter(
      (name) => name.startsWith(`${stem}.`) && name.endsWith(BASELINE_ENDING),
    );
    const entries = names.flatMap((name) =>
      Object.entries(readBaseline(join(dir, name))?.entries ?? {}),
    );
    return new Set(entries.flatMap(([id, { verdict }]) => (verdict === "passes" ? [id] : [])));
  } catch {
    return new Set(file.repros.map(({ id }) => id));
  }
}
