import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { readRepros } from "../repro/file.ts";
import type { ReprosFile } from "../repro/repro.ts";
import { sha256 } from "../shared/hash.ts";
import { byCodeUnit } from "../shared/json.ts";
import { oneLine } from "../shared/text.ts";
import { fileStem, REPROS_ENDING, SPEC_NAME } from "./names.ts";
import { asProblem, problem, type Problem } from "./problem.ts";

/** What lies in the specs' folder. */
export interface Committed {
  /** By agent name. */
  readonly files: ReadonlyMap<string, { readonly stem: string; readonly file: ReprosFile }>;
  /** Stems whose repros file cannot be used; nothing of theirs is touched. */
  readonly broken: ReadonlySet<string>;
  /** Names of generated specs. */
  readonly specs: readonly string[];
  readonly problems: readonly Problem[];
}

/** Reads every repros file of a folder; one that cannot be read is a problem and stops only its own agent. */
export function readCommitted(dir: string): Committed {
  const names = namesIn(dir);
  const files = new Map<string, { readonly stem: string; readonly file: ReprosFile }>();
  const broken = new Set<string>();
  const problems: Problem[] = [];
  for (const name of names.filter((candidate) => candidate.endsWith(REPROS_ENDING))) {
    const stem = basename(name, REPROS_ENDING);
    try {
      const file = readRepros(join(dir, name));
      const other = files.get(file.agent);
      if (other === undefined) files.set(file.agent, { stem, file });
      else {
        broken.add(stem);
        problems.push(twice(name, `${other.stem}${REPROS_ENDING}`, file.agent));
      }
    } catch (thrown) {
      broken.add(stem);
      problems.push(asProblem(thrown));
    }
  }
  return { files, broken, specs: names.filter((name) => SPEC_NAME.test(name)), problems };
}

/** By agent, the traces of which the repros in a folder were made. */
export function committedTraces(dir: string): Map<string, Set<string>> {
  return new Map(
    [...readCommitted(dir).files].map(([agent, { file }]) => [
      agent,
      new Set(file.repros.map(({ source }) => source.trace)),
    ]),
  );
}

/**
 * The beginning of an agent's file names: that of its committed file, which a person may have renamed; else its own, unless a
 * file of that name holds another agent, whose repros must not be overwritten.
 */
export function stemOf(agent: string, { files }: Committed): string {
  const known = files.get(agent)?.stem;
  if (known !== undefined) return known;
  const stem = fileStem(agent);
  const isTaken = [...files.values()].some((other) => other.stem.toLowerCase() === stem);
  return isTaken ? `${stem}-${sha256(agent, 8)}` : stem;
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir).sort(byCodeUnit);
  } catch {
    return [];
  }
}

function twice(name: string, other: string, agent: string): Problem {
  return problem("E_REPROS_TWICE", "error", {
    to: `use the repros in ${oneLine(name, 100)}`,
    because: `${oneLine(other, 100)} holds the agent ${oneLine(agent, 80)} already`,
    fix: "Move its repros into that file, or give it the name of another agent",
  });
}
