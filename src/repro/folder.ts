import { readdirSync } from "node:fs";
import { join } from "node:path";
import { failure } from "../shared/error.ts";
import { byCodeUnit } from "../shared/json.ts";
import { oneLine } from "../shared/text.ts";
import { readRepros } from "./file.ts";
import type { Repro, ReprosFile } from "./repro.ts";

const SUFFIX = ".repros.json";

export interface ReprosAt {
  readonly path: string;
  readonly file: ReprosFile;
}

/** Every repros file of a specs folder, sorted by name; none when there is no such folder. Throws as `readRepros` does. */
export function readFolder(dir: string): ReprosAt[] {
  return namesIn(dir)
    .filter((name) => name.endsWith(SUFFIX))
    .sort(byCodeUnit)
    .map((name) => ({ path: join(dir, name), file: readRepros(join(dir, name)) }));
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (thrown) {
    if (
      typeof thrown === "object" &&
      thrown !== null &&
      "code" in thrown &&
      thrown.code === "ENOENT"
    )
      return [];
    throw thrown;
  }
}

/** The one repro whose id begins so. Throws E_REPRO_UNKNOWN or E_REPRO_AMBIGUOUS. */
export function findRepro(
  folder: readonly ReprosAt[],
  id: string,
): ReprosAt & { readonly repro: Repro } {
  const found = folder.flatMap(({ path, file }) =>
    file.repros.filter((repro) => repro.id.startsWith(id)).map((repro) => ({ path, file, repro })),
  );
  const exact = found.find(({ repro }) => repro.id === id);
  const [only, ...others] = exact === undefined ? found : [exact];
  if (only === undefined || id === "") {
    throw failure("E_REPRO_UNKNOWN", {
      to: `find the repro ${oneLine(id, 64)}`,
      because: folder.length === 0 ? "there are no repros yet" : "no repro has that id",
      fix: 'Run "twiceshy cluster" to see the ids',
    });
  }
  if (others.length > 0) {
    throw failure("E_REPRO_AMBIGUOUS", {
      to: `find the repro ${oneLine(id, 64)}`,
      because: `${found.map(({ repro }) => repro.id).join(", ")} begin so`,
      fix: "Give more digits",
    });
  }
  return only;
}
