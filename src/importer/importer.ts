import { sha256 } from "../shared/hash.ts";
import type { Json } from "../shared/json.ts";
import { openRules, type RedactOptions } from "../shared/redact.ts";
import { traceIdOf } from "../trace/identity.ts";
import type { Trace } from "../trace/trace.ts";
import { readFile } from "./file-reading.ts";
import { traceFiles } from "./files.ts";
import { surroundings, type Siblings } from "./siblings.ts";

/** Where a record stands, and what the caller said about it. */
export interface About {
  readonly file: string;
  /** Position in the file, from 0. */
  readonly record: number;
  /** For traces that name no agent. */
  readonly agent: string;
  /** The files around it, for formats that spread a run over several. */
  readonly siblings?: Siblings;
}

/** A trace as an importer hands it over; the reader adds what is missing, redacts and checks it. */
export type Draft = Omit<Trace, "schemaVersion" | "id" | "taskId"> & {
  /** The record's own id; by default the content gives it. */
  id?: string;
  /** The record's own task id; by default the task gives it. */
  taskId?: string;
};

export interface ImportedTrace {
  readonly draft: Draft;
  /** What a reader should know: renumbered steps, results without a call. */
  readonly warnings: readonly string[];
  /** What the record calls it when it holds several: a member's name, or a place in a list. */
  readonly key?: string | number;
}

/** One foreign format. Adding one is one file and one line in `builtin.ts`. */
export interface Importer {
  /** The format's name; becomes the trace's `source`. */
  readonly name: string;
  /** Whether it reads any list of messages, and so is asked only when no other format claims a record. */
  readonly general?: true;
  /** Whether a record is of this format; pure and total. */
  recognises(record: Json): boolean;
  /**
   * The record's traces. Throws a TwiceshyError when the record cannot be read; one with the code `E_RECORD_ASIDE` when
   * it is no run of its own, because it belongs to one that is read elsewhere: the record is then skipped.
   */
  read(record: Json, about: About): readonly ImportedTrace[];
  /** For formats whose traces are spread over several records of a file. */
  gather?(about: Pick<About, "file" | "agent" | "siblings">): Gatherer;
}

/** Puts one file's records together; what is still open at the end of the file comes out of `end`. */
export interface Gatherer {
  /** Whether a record belongs to a spread trace; the others go to `read`. */
  takes(record: Json): boolean;
  add(record: Json, about: About): readonly ImportedTrace[];
  /** One function a trace, so that a bad one does not hide the others. */
  end(): readonly Late[];
}

/** Reads a trace out of several records; `record` is the one in which it began, when that is known. */
export type Late = (() => ImportedTrace) | { readonly record: number; read(): ImportedTrace };

/** Why something was not read. */
export interface Problem {
  /** `E_FILE_…` or `E_RECORD_…`. */
  readonly code: string;
  readonly message: string;
}

/** Where an item was found. */
export interface Place {
  readonly file: string;
  /** From 1; missing for a record of a document. */
  readonly line?: number;
  /** Position in the file, from 0. */
  readonly record: number;
  /** What the file itself calls it: the name of the member, or the place in the list, in which the trace stands. */
  readonly key?: string | number;
  /** The importer's name, once the format is known. */
  readonly format?: string;
}

/**
 * What reading gives, in the order of the input. `error`: something that should have been a trace is lost.
 * `skipped`: nothing is lost that was whole: a file without traces, a torn last line.
 */
export type ReadItem =
  | ReadTrace
  | (Place & { readonly error: Problem })
  | (Place & { readonly skipped: Problem });

export type ReadTrace = Place & {
  readonly trace: Trace;
  readonly warnings: readonly string[];
  /** The trace as JSON, for whoever keeps it: it had to be written to tell it from others of its id. */
  readonly body: string;
  /** SHA-256 of that. */
  readonly hash: string;
};

/** A trace before its id was compared with those of the others. */
export type RawTrace = Omit<ReadTrace, "body" | "hash">;
export type RawItem = RawTrace | Exclude<ReadItem, ReadTrace>;

export interface ReadOptions {
  /** Agent of the traces that name none. Default `agent`. */
  readonly agent?: string;
  /** Secrets are replaced before anything else sees a trace, unless `off` is set. */
  readonly redact?: RedactOptions;
}

/**
 * Reads traces from files and folders (globs are expanded by the caller), in the order of the paths and records. Formats
 * are told apart by content, record by record. Never throws: what cannot be read is an item with a reason, and the rest
 * is read. Reading the same bytes again gives the same traces with the same ids.
 *
 *     for (const item of readTraces(["runs/"])) if ("trace" in item) add(item.trace);
 * @yields each trace and each thing that could not be read
 */
export function* readTraces(
  paths: readonly string[],
  options: ReadOptions = {},
): Generator<ReadItem> {
  const ids = new Map<string, string>();
  const rules = openRules(options.redact ?? {});
  const { agent } = options;
  const about = { rules, ...(agent === undefined ? {} : { agent }) };
  const siblingsOf = surroundings(paths);
  for (const file of traceFiles(paths)) {
    if ("problem" in file) {
      const { code, message } = file.problem;
      yield {
        file: file.path,
        record: 0,
        ...(file.skip ? { skipped: { code, message } } : { error: { code, message } }),
      };
      continue;
    }
    for (const item of readFile(file, about, siblingsOf(file.path))) {
      yield "trace" in item ? withOwnId(item, ids) : item;
    }
  }
}

/** Keeps the second of two traces with one id and different contents, under an id made of its content. */
function withOwnId(item: RawTrace, ids: Map<string, string>): ReadTrace {
  const body = JSON.stringify(item.trace);
  const hash = sha256(body);
  const before = ids.get(item.trace.id);
  if (before === undefined) ids.set(item.trace.id, hash);
  if (before === undefined || before === hash) return { ...item, body, hash };
  const { id, ...rest } = item.trace;
  const fresh = traceIdOf(rest);
  const warning = `another trace has the id ${id} and other content: this one is kept as ${fresh}`;
  const trace: Trace = { ...rest, id: fresh };
  const text = JSON.stringify(trace);
  const warnings = [...item.warnings, warning];
  return { ...item, trace, warnings, body: text, hash: sha256(text) };
}
