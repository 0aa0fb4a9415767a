import {
  readTraces,
  type ReadItem,
  type ReadOptions,
  type ReadTrace,
} from "../importer/importer.ts";
import { failure, TwiceshyError } from "../shared/error.ts";
import { oneLine, title } from "../shared/text.ts";
import { counted } from "./table.ts";

/** Traces that a message lists. */
const MOST_LISTED = 20;

export interface Wanted extends ReadOptions {
  /** As messages show it. */
  readonly path: string;
  /** A record's number or name, or a trace's id. Default: the only trace. */
  readonly record?: string | undefined;
  /** An importer's name: traces of another format are refused. */
  readonly format?: string | undefined;
}

/** The trace that is meant, and what should be known about the others. */
export interface OneTrace {
  readonly found: ReadTrace;
  /** Records that could not be read. */
  readonly broken: number;
}

/**
 * One trace of a file or folder.
 * @throws E_TRACE_CHOICE, with a list, when several could be meant or none; what is wrong with the file when it holds no trace at all
 */
export function oneTrace(wanted: Wanted): OneTrace {
  const { path, record, format } = wanted;
  const listed: ReadTrace[] = [];
  const matching: ReadTrace[] = [];
  let traces = 0;
  let broken = 0;
  let problem: { readonly code: string; readonly message: string } | undefined;
  for (const item of readTraces([path], wanted)) {
    if (!("trace" in item)) {
      if ("error" in item) broken += 1;
      problem ??= "error" in item ? item.error : item.skipped;
      continue;
    }
    if (format !== undefined && item.format !== format) {
      problem ??= otherFormat(item, format);
      continue;
    }
    traces += 1;
    if (listed.length < MOST_LISTED) listed.push(item);
    if (record !== undefined && rank(item, record) > 0) matching.push(item);
    // Enough to say that one must be chosen.
    if (record === undefined && traces > MOST_LISTED) break;
  }
  if (traces === 0)
    throw problem === undefined ? noTrace(path) : new TwiceshyError(problem.code, problem.message);
  const best = Math.max(...matching.map((item) => rank(item, record ?? "")), 0);
  const meant =
    record === undefined ? listed : matching.filter((item) => rank(item, record) === best);
  const [found] = meant;
  if (found !== undefined && meant.length === 1 && (record !== undefined || traces === 1))
    return { found, broken };
  throw choice(wanted, { listed: meant.length > 1 ? meant.slice(0, MOST_LISTED) : listed, traces });
}

/** How surely an item is meant: by its id, by its name, by its number; 0 when it is not. */
function rank({ trace, key, record }: ReadItem & ReadTrace, wanted: string): number {
  if (trace.id === wanted) return 3;
  if (key !== undefined && String(key) === wanted) return 2;
  return String(record) === wanted ? 1 : 0;
}

function choice(
  { path, record }: Wanted,
  { listed, traces }: { readonly listed: readonly ReadTrace[]; readonly traces: number },
): Error {
  const count = traces > MOST_LISTED && record === undefined ? `more than ${MOST_LISTED}` : traces;
  const because =
    record === undefined
      ? `it holds ${count} traces`
      : `--record ${oneLine(record, 60)} is ${listed.length > 1 && listed.every((item) => rank(item, record) > 0) ? "several" : "none"} of its traces`;
  const lines = listed.map(
    ({ trace, key, record: number }) =>
      `  ${oneLine(String(key ?? number), 40)}  ${oneLine(trace.id, 60)}  ${counted(callsOf(trace), "tool call")}  ${title(taskText(trace.task))}`,
  );
  const more = traces > listed.length ? ["  and others"] : [];
  const list = [...lines, ...more].join("\n");
  const { message } = failure("E_TRACE_CHOICE", {
    to: `choose a trace of ${oneLine(path, 300)}`,
    because,
    fix: "Say which with --record, by the number or the id",
  });
  return new TwiceshyError("E_TRACE_CHOICE", `${message.slice(0, -1)}:\n${list}\n`);
}

function callsOf({ steps }: ReadTrace["trace"]): number {
  return steps.filter(({ kind }) => kind === "tool").length;
}

function taskText(task: unknown): string {
  return typeof task === "string" ? task : (JSON.stringify(task) ?? "");
}

function otherFormat(
  { file, format }: ReadTrace,
  wanted: string,
): { readonly code: string; readonly message: string } {
  const { code, message } = failure("E_RECORD_FORMAT", {
    to: `read a trace of the format ${wanted} from ${oneLine(file, 300)}`,
    because: `it is of the format ${format ?? "unknown"}`,
    fix: 'Run "twiceshy scaffold", which reads every format',
  });
  return { code, message };
}

function noTrace(path: string): Error {
  return failure("E_FILE_FORMAT", {
    to: `read a trace from ${oneLine(path, 300)}`,
    because: "it holds none",
    fix: 'See "twiceshy ingest --help" for the formats',
  });
}
