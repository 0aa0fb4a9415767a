import { existsSync, readFileSync } from "node:fs";
import { oneLine } from "../shared/text.ts";
import { idOfKey } from "./baseline-file.ts";
import type { VerdictMeta } from "./verdict-meta.ts";

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

/** A test that says of itself what it did not judge. */
export interface NotedTest {
  readonly file: string;
  readonly title: string;
  readonly text: string;
}

/** Green tests that did not judge everything: searches whose budget ended, recordings that answered too little. */
export function openTests(tests: readonly NotedTest[]): string[] {
  if (tests.length === 0) return [];
  const more = tests.length > SHOWN ? [`   and ${tests.length - SHOWN} more`] : [];
  return [
    ` not judged whole  ${tests.length}: searches and perturbed runs that say nothing about a part`,
    ...tests
      .slice(0, SHOWN)
      .flatMap(({ file, title, text }) => [
        `   ↳ ${oneLine(file)} ${oneLine(title, 120)}`,
        `     ${text}`,
      ]),
    ...more,
  ];
}

/** Entries of baselines without a test, as the runner found them. */
export function obsoleteLines(
  files: readonly { readonly file: string; readonly keys: readonly string[] }[],
): string[] {
  return files.flatMap(({ file, keys }) => {
    const ids = keys.flatMap((key) => idOfKey(key) ?? []);
    if (ids.length === 0) return [];
    return [
      ` obsolete  ${file}: ${oneLine(ids.join(", "), 200)} ${ids.length === 1 ? "has" : "have"} no test any more; -u removes them from the baseline`,
    ];
  });
}

function kindOf(verdict: VerdictMeta): string | undefined {
  return verdict.listed ?? (verdict.known ? "known" : undefined);
}

function linesFor({ file, path, title, verdict }: Row): string[] {
  const line = lineOf(path, verdict.repro);
  const place = line === undefined ? file : `${file}:${line}`;
  return [`   ↳ ${oneLine(place)} ${oneLine(title, 120)}`, `     ${oneLine(verdict.message, 300)}`];
}

/** Where the test's title stands; looked up only for what is printed, because the runner's own locations cost every test. */
export function lineOf(path: string, id: string): number | undefined {
  if (!existsSync(path)) return undefined;
  const at = readFileSync(path, "utf8")
    .split("\n")
    .findIndex((line) => line.includes(`[${id}]`));
  return at === -1 ? undefined : at + 1;
}
