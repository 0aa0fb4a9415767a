import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { baselineText, emptyBaseline, readBaseline } from "../baseline/file.ts";
import type { BaselineEntry, BaselineFile } from "../baseline/baseline.ts";
import { BASELINE_ENDING } from "./names.ts";

/** The specs of one agent: the name of each, and the repros that it has tests for. */
export interface SpecIds {
  readonly name: string;
  readonly ids: readonly string[];
}

/** What must be written so that every entry stands beside the spec of its repro. */
export interface Moves {
  readonly writes: readonly { readonly path: string; readonly text: string }[];
  readonly removals: readonly string[];
}

const NOTHING: Moves = { writes: [], removals: [] };

/**
 * A repro that changes its spec (another cluster, or specs per cluster from now on) takes its baseline entry along: else it
 * would be new there, and `-u` could accept a regression. Entries of repros without a test stay where they are. A baseline
 * that cannot be read moves nothing; its spec says why.
 */
export function moveEntries(dir: string, agent: string, specs: readonly SpecIds[]): Moves {
  const homes = new Map(specs.flatMap(({ name, ids }) => ids.map((id) => [id, fileOf(name)])));
  const files = readAll(dir, specs);
  if (files === undefined) return NOTHING;
  const changed = new Set<string>();
  for (const [name, { entries }] of files) {
    for (const [id, entry] of Object.entries(entries)) {
      const home = homes.get(id);
      if (home === undefined || home === name) continue;
      const target = files.get(home) ?? { agent, entries: {} };
      files.set(home, target);
      target.entries[id] ??= entry;
      Reflect.deleteProperty(entries, id);
      changed.add(name).add(home);
    }
  }
  return movesOf(dir, files, changed);
}

interface Open {
  readonly agent: string;
  readonly entries: Record<string, BaselineEntry>;
}

function movesOf(dir: string, files: ReadonlyMap<string, Open>, changed: Set<string>): Moves {
  const writes: { path: string; text: string }[] = [];
  const removals: string[] = [];
  for (const [name, { agent, entries }] of files) {
    if (!changed.has(name)) continue;
    const path = join(dir, name);
    const file: BaselineFile = { ...emptyBaseline(agent), entries };
    if (Object.keys(entries).length > 0) writes.push({ path, text: baselineText(file) });
    else if (existsSync(path)) removals.push(path);
  }
  return { writes, removals };
}

/** Every baseline of the agent's specs, also of those that are no more; undefined when one cannot be read. */
function readAll(dir: string, specs: readonly SpecIds[]): Map<string, Open> | undefined {
  const stems = new Set(specs.map(({ name }) => name.replace(/\.c_[0-9a-f]{10}$/, "")));
  try {
    const names = readdirSync(dir).filter((name) => isOf(name, stems));
    const open = names.flatMap((name): [string, Open][] => {
      const file = readBaseline(join(dir, name));
      return file === undefined
        ? []
        : [[name, { agent: file.agent, entries: { ...file.entries } }]];
    });
    return new Map(open);
  } catch {
    return undefined;
  }
}

function isOf(name: string, stems: ReadonlySet<string>): boolean {
  if (!name.endsWith(BASELINE_ENDING)) return false;
  const spec = name.slice(0, -BASELINE_ENDING.length);
  return stems.has(spec) || stems.has(spec.replace(/\.c_[0-9a-f]{10}$/, ""));
}

function fileOf(spec: string): string {
  return `${spec}${BASELINE_ENDING}`;
}
