import { existsSync, readFileSync } from "node:fs";
import type { TestModule } from "vitest/node";
import { oneLine } from "../src/shared/text.ts";
import { noteIn } from "./trial-note.ts";
import { verdictIn, type VerdictMeta } from "./verdict-meta.ts";

/** One judged repro of the run. */
export interface Row {
  /** Relative to the project's root. */
  readonly file: string;
  readonly path: string;
  readonly title: string;
  readonly verdict: VerdictMeta;
}

const HEADINGS = [
  ["known", "known failures", "fail as accepted in the baseline"],
  ["unreviewed", "unreviewed", "pending repros that cannot fail this run; confirm or reject them"],
  [
    "improved",
    "improved",
    "pass now, the entry is stale; run once locally and commit the baseline",
  ],
  ["needs review", "need review", "changed since they were accepted"],
] as const;

/** Entries of a list that are printed; the baseline has them all. */
const SHOWN = 20;

/** Every judged test of a module. */
export function rowsOf(module: TestModule): Row[] {
  const rows: Row[] = [];
  for (const test of module.children.allTests()) {
    const verdict = verdictIn(test.meta());
    if (verdict === undefined) continue;
    rows.push({ file: module.relativeModuleId, path: module.moduleId, title: test.name, verdict });
  }
  return rows;
}

/** The lines of the section; none when there is nothing to say. */
export function section(rows: readonly Row[]): string[] {
  const lines: string[] = [];
  for (const [kind, heading, meaning] of HEADINGS) {
    const some = rows.filter((row) => kindOf(row.verdict) === kind);
    if (some.length === 0) continue;
    lines.push(` ${heading}  ${some.length}: ${meaning}`);
    for (const row of some.slice(0, SHOWN)) lines.push(...linesFor(row));
    if (some.length > SHOWN) lines.push(`   and ${some.length - SHOWN} more`);
  }
  return lines;
}

/** Green tests that did not judge everything: searches whose budget ended, recordings that answered too little. */
export function openTests(modules: readonly TestModule[]): string[] {
  const lines = modules.flatMap((module) =>
    [...module.children.allTests()].flatMap((test) => {
      const text = noteIn(test.meta());
      if (text === undefined) return [];
      return [
        [`   ↳ ${oneLine(module.relativeModuleId)} ${oneLine(test.name, 120)}`, `     ${text}`],
      ];
    }),
  );
  if (lines.length === 0) return [];
  const more = lines.length > SHOWN ? [`   and ${lines.length - SHOWN} more`] : [];
  return [
    ` not judged whole  ${lines.length}: searches and perturbed runs that say nothing about a part`,
    ...lines.slice(0, SHOWN).flat(),
    ...more,
  ];
}

function kindOf(verdict: VerdictMeta): string | undefined {
  return verdict.listed ?? (verdict.known ? "known" : undefined);
}

function linesFor({ file, path, title, verdict }: Row): string[] {
  const place = `${file}${lineOf(path, verdict.repro)}`;
  return [`   ↳ ${oneLine(place)} ${oneLine(title, 120)}`, `     ${oneLine(verdict.message, 300)}`];
}

/** Where the test's title stands; looked up only for what is printed, because the runner's own locations cost every test. */
function lineOf(path: string, id: string): string {
  if (!existsSync(path)) return "";
  const at = readFileSync(path, "utf8")
    .split("\n")
    .findIndex((line) => line.includes(`[${id}]`));
  return at === -1 ? "" : `:${at + 1}`;
}
