import type { Config } from "../config/config.ts";
import { confidenceOf, real, type Failure } from "../detector/detector.ts";
import { looker } from "../generate/look.ts";
import { readTraces, type ReadItem } from "../importer/importer.ts";
import { oneLine } from "../shared/text.ts";
import type { Args } from "./args.ts";
import { EXIT } from "./command.ts";
import { colours, type Io, note, say } from "./io.ts";
import { openFileJudge, type FileJudge } from "./judge-files.ts";
import { printJudged, printUnjudged, unjudgedCode } from "./print-judged.ts";
import { typedPath } from "./project.ts";
import { readCode } from "./read-code.ts";
import type { RecordReport, Reported, Shown } from "./record-report.ts";
import { counted } from "./table.ts";

/** A record that belongs to a run which is read elsewhere. */
const ASIDE = "E_RECORD_ASIDE";
/** Files in which each line is a record, also when there is one line. */
const LINES = /\.(?:jsonl|ndjson)$/iu;

/** Finds the failures in trace files, without a store: one line a record, in the order of the input. */
export async function detectFiles(config: Config, args: Args, io: Io): Promise<number> {
  const json = args.flag("json");
  const count = { read: 0, failing: 0 };
  const skipped: { file: string; code: string }[] = [];
  const broken: { file: string; code: string }[] = [];
  const named = args.positionals.map((path) => typedPath(io, path));
  const judge =
    config.judge === undefined ? undefined : await openFileJudge(config, config.judge, io);
  const found = reports(config, named);
  for await (const { item, report } of judge === undefined ? found : judge.over(found)) {
    if ("trace" in item) count.read += 1;
    else if ("error" in item) broken.push({ file: item.file, code: item.error.code });
    else skipped.push({ file: item.file, code: item.skipped.code });
    if (report.failing) count.failing += 1;
    if (json) say(io, JSON.stringify(report));
    else print(io, report, "skipped" in item);
  }
  if (!json) say(io, `${counted(count.read, "trace")} looked at, ${count.failing} failing`);
  if (broken.length > 0) note(io, `${counted(broken.length, "record")} could not be read`);
  if (skipped.length > 0) note(io, `${skipped.length} skipped`);
  const code = readCode(
    { read: count.read, broken, skipped },
    { named, strict: args.flag("strict") },
  );
  return judge === undefined ? code : endOf(io, { judge, json, code });
}

/** Says what the judge came to, after the records. */
async function endOf(
  io: Io,
  {
    judge,
    json,
    code,
  }: { readonly judge: FileJudge; readonly json: boolean; readonly code: number },
): Promise<number> {
  await judge.close();
  const total = judge.total();
  if (json) printUnjudged(io, total.unjudged);
  else printJudged(io, total, []);
  return code === EXIT.passed ? unjudgedCode(total.unjudged) : code;
}

function* reports(config: Config, paths: readonly string[]): Generator<Reported> {
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
      const failing = real(failures).length > 0;
      yield { item, report: { ...about, failing, failures: shown, error: null } };
      continue;
    }
    const { code, message } = "error" in item ? item.error : item.skipped;
    const aside = code === ASIDE;
    const read = aside ? { error: null, skipped: message } : { error: message };
    yield { item, report: { ...about, failing: false, failures: [], ...read } };
  }
}

function shownOf(failure: Failure): Shown {
  const { kind, severity, step, message } = failure;
  return { kind, severity, step: step ?? null, message, confidence: confidenceOf(failure) };
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

function print(
  io: Io,
  { file, record, failures, error, skipped }: RecordReport,
  nothingLost: boolean,
): void {
  const { bold, dim, red, yellow } = colours(io);
  const place = oneLine(record === null ? file : `${file}, record ${record}`, 300);
  const reason = error ?? skipped;
  if (reason !== undefined && reason !== null)
    note(
      io,
      nothingLost
        ? dim(`skipped  ${oneLine(reason, 600)}`)
        : `${yellow("broken")}   ${oneLine(reason, 600)}`,
    );
  if (failures.length === 0) return;
  say(io, bold(place));
  for (const { severity, kind, step, message, detector } of failures) {
    const at = step === null ? "" : ` at step ${step}`;
    const by = detector === undefined ? "" : ` (${detector})`;
    const line = `${severity.padEnd(6)} ${oneLine(kind, 60)}${by}${at}: ${oneLine(message, 200)}`;
    say(io, `  ${severity === "low" ? dim(line) : red(line)}`);
  }
}
