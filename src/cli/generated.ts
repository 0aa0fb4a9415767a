import { relative } from "node:path";
import type { GenerateResult } from "../generate/result.ts";
import { oneLine } from "../shared/text.ts";
import { EXIT } from "./command.ts";
import { colours, type Io, note, say } from "./io.ts";
import { columns, counted } from "./table.ts";

/** Codes of problems that only say that something is still to be set up. */
const SET_UP: ReadonlySet<string> = new Set(["E_AGENT_UNCONFIGURED"]);

/** Prints what a generation found wrong; `known` are messages that were printed before. */
export function printProblems(
  io: Io,
  { problems }: GenerateResult,
  known: ReadonlySet<string> = new Set(),
): void {
  const { red, dim } = colours(io, io.stderr);
  for (const { severity, message, code } of problems) {
    if (known.has(message)) continue;
    const line = `${oneLine(message, 600)} [${code}]`;
    note(io, severity === "error" ? red(`problem  ${line}`) : dim(`notice   ${line}`));
  }
}

/** Prints the counts, and each file that was written; `unread` records were lost before. */
export function printGenerated(
  io: Io,
  { counts, written, removed, stale }: GenerateResult,
  unread = counts.unread,
): void {
  const waiting = counts.waiting === 0 ? "" : `, ${counts.waiting} waiting for an expected answer`;
  const others =
    counts.others === 0
      ? ""
      : `; ${counted(counts.others, "more failing trace")} of these causes counted with them (repros.most)`;
  const rows = [
    [
      "traces",
      String(counts.traces),
      unread === 0 ? "" : `${counted(unread, "record")} could not be read`,
    ],
    [
      "failing",
      String(counts.failing),
      counts.unproved === 0 ? "" : `${counts.unproved} cannot be replayed`,
    ],
    ["repros", String(counts.repros), `${counts.pending} pending${waiting}${others}`],
    ["clusters", String(counts.clusters), ""],
  ];
  for (const line of columns(rows)) say(io, line);
  for (const path of written) say(io, `wrote    ${shown(io, path)}`);
  for (const path of removed) say(io, `removed  ${shown(io, path)}`);
  for (const path of stale) say(io, `stale    ${shown(io, path)}: nothing is written in CI`);
}

/** 2 for files that could not be used or written; 3 for records and failing traces that are missing in the result, when the user asked. */
export function generatedCode(
  { complete, problems, counts }: GenerateResult,
  strict = false,
): number {
  const unusable = problems.some(
    ({ severity, code }) => severity === "error" && !isRecord(code) && !SET_UP.has(code),
  );
  if (unusable || !complete) return EXIT.invalid;
  return strict && counts.unread + counts.unproved > 0 ? EXIT.incomplete : EXIT.passed;
}

function isRecord(code: string): boolean {
  return /^E_(?:FILE|RECORD|FOLDER|JSON)_/.test(code);
}

function shown(io: Io, path: string): string {
  return oneLine(relative(io.cwd, path) || path, 200);
}
