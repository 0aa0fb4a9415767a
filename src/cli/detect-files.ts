import type { Config } from "../config/config.ts";
import { real, type Failure } from "../detector/detector.ts";
import { looker } from "../generate/look.ts";
import { readTraces, type ReadItem } from "../importer/importer.ts";
import { oneLine } from "../shared/text.ts";
import type { Args } from "./args.ts";
import { EXIT } from "./command.ts";
import { colours, type Io, note, say } from "./io.ts";
import { typedPath } from "./project.ts";
import { counted } from "./table.ts";

/** What is said of one record of a trace file. */
export interface RecordReport {
  /** As it was typed, or below the folder that was. */
  readonly file: string;
  /** What the file calls it; else its number, from 0; null when the file is one record. */
  readonly record: string | number | null;
  readonly format: string | null;
  readonly failing: boolean;
  readonly failures: readonly Shown[];
  /** Why it could not be read; null when it could. */
  readonly error: string | null;
  /** Why it is no run of its own, though nothing is wrong with it. */
  readonly skipped?: string;
}

type Shown = Pick<Failure, "kind" | "severity" | "message"> & { readonly step: number | null };

/** A record that belongs to a run which is read elsewhere. */
const ASIDE = "E_RECORD_ASIDE";
/** Files in which each line is a record, also when there is one line. */
const LINES = /\.(?:jsonl|ndjson)$/iu;

/** Finds the failures in trace files, without a store: one line a record, in the order of the input. */
export function detectFiles(config: Config, args: Args, io: Io): number {
  const json = args.flag("json");
  const count = { read: 0, failing: 0, broken: 0 };
  const paths = args.positionals.map((path) => typedPath(io, path));
  for (const report of reports(config, paths)) {
    if (report.error !== null) count.broken += 1;
    else if (report.skipped === undefined) count.read += 1;
    if (report.failing) count.failing += 1;
    if (json) say(io, JSON.stringify(report));
    else print(io, report);
  }
  if (!json) say(io, `${counted(count.read, "trace")} looked at, ${count.failing} failing`);
  if (count.broken === 0) return EXIT.passed;
  note(io, `${counted(count.broken, "record")} could not be read`);
  if (count.read === 0) return EXIT.invalid;
  return args.flag("strict") ? EXIT.incomplete : EXIT.passed;
}

function* reports(config: Config, paths: readonly string[]): Generator<RecordReport> {
  const look = looker(config);
  for (const { item, alone } of withCompany(readTraces(paths, { redact: config.redact }))) {
    const about = {
      file: item.file,
      record: recordOf(item, alone),
      format: item.format ?? null,
    };
    if ("trace" in item) {
      const { failures } = look(item.trace);
      const shown = failures.map((one) => shownOf(one));
      yield { ...about, failing: real(failures).length > 0, failures: shown, error: null };
      continue;
    }
    const { code, message } = "error" in item ? item.error : item.skipped;
    const aside = code === ASIDE;
    yield {
      ...about,
      failing: false,
      failures: [],
      error: aside ? null : message,
      ...(aside ? { skipped: message } : {}),
    };
  }
}

function shownOf({ kind, severity, step, message }: Failure): Shown {
  return { kind, severity, step: step ?? null, message };
}

/**
 * Says of each item whether its file gives no other; the order stays.
 * @yields each item
 */
function* withCompany(
  items: Iterable<ReadItem>,
): Generator<{ readonly item: ReadItem; readonly alone: boolean }> {
  let held: { readonly item: ReadItem; readonly first: boolean } | undefined;
  for (const item of items) {
    const first = held?.item.file !== item.file;
    if (held !== undefined) yield { item: held.item, alone: held.first && first };
    held = { item, first };
  }
  if (held !== undefined) yield { item: held.item, alone: held.first };
}

function recordOf({ file, key, line, record }: ReadItem, alone: boolean): RecordReport["record"] {
  if (key !== undefined) return key;
  return alone && record === 0 && (line === undefined || !LINES.test(file)) ? null : record;
}

function print(io: Io, { file, record, failures, error, skipped }: RecordReport): void {
  const { bold, dim, red, yellow } = colours(io);
  const place = oneLine(record === null ? file : `${file}, record ${record}`, 300);
  if (error !== null) note(io, `${yellow("broken")}  ${oneLine(error, 600)}`);
  if (skipped !== undefined) note(io, dim(`skipped  ${oneLine(skipped, 600)}`));
  if (failures.length === 0) return;
  say(io, bold(place));
  for (const { severity, kind, step, message } of failures) {
    const at = step === null ? "" : ` at step ${step}`;
    const line = `${severity.padEnd(6)} ${oneLine(kind, 60)}${at}: ${oneLine(message, 200)}`;
    say(io, `  ${severity === "low" ? dim(line) : red(line)}`);
  }
}
