import type { Config } from "../config/config.ts";
import * as builtin from "../importer/builtin.ts";
import { importTests } from "../importer/faultspool-tests.ts";
import { readTraces, type ReadItem } from "../importer/importer.ts";
import { placed } from "../importer/raw-record.ts";
import { failure } from "../shared/error.ts";
import { nearest } from "../shared/nearest.ts";
import type { RedactOptions } from "../shared/redact.ts";
import { openStore, type Added, type WrittenTrace } from "../store/store.ts";
import { BrokenRecords } from "./broken-records.ts";
import { addTests } from "./import-tests.ts";
import { looker, rulesOf } from "./look.ts";

export interface IngestOptions {
  /** An importer's name: records of other formats are named as broken. */
  readonly format?: string;
  /** Agent of the traces that name none. */
  readonly agent?: string;
  readonly redact?: RedactOptions;
  /** Finds the failures of new traces on the way, which saves reading them again. */
  readonly look?: boolean;
  /** Told of every record that was read. */
  readonly onItem?: () => void;
}

/** A record that could not be read, or one with something to know about it. */
export interface Noted {
  readonly file: string;
  /** From 1; missing for a record of a document. */
  readonly line?: number;
  /** Position in the file, from 0. */
  readonly record: number;
  readonly code?: string;
  readonly message: string;
}

export interface Ingested extends Added {
  /** Traces that were read, known ones too. */
  readonly traces: number;
  /** Repros that were made of another tool's exported tests. */
  readonly repros: number;
  /** Records that could not be read. */
  readonly unread: number;
  /** The same by name, of each file the first thousand; and what is wrong with exported tests. */
  readonly broken: readonly Noted[];
  /** Nothing was lost: files without traces, torn last lines. */
  readonly skipped: readonly Noted[];
  readonly warnings: readonly Noted[];
  readonly formats: Readonly<Record<string, number>>;
}

/** The names of every format that can be read. */
export function formatNames(): string[] {
  return Object.values(builtin).map(({ name }) => name);
}

/**
 * Reads trace files and folders into the project's store, and exported tests into its repros. Never throws for what a file
 * holds; throws E_FORMAT_UNKNOWN, and E_STORE_* when the store cannot be used.
 */
export function ingest(
  config: Config,
  paths: readonly string[],
  options: IngestOptions = {},
): Ingested {
  checkFormat(options.format);
  const about = readOptions(config, options);
  const log = {
    traces: 0,
    broken: new BrokenRecords(),
    skipped: [] as Noted[],
    warnings: [] as Noted[],
    formats: new Map<string, number>(),
  };
  const others = new Set<string>();
  const store = openStore(config.store);
  try {
    const traces = tracesOf(readTraces(paths, about), log, { ...options, others });
    if (options.look === true) store.useRules(rulesOf(config));
    const added = store.addTraces(traces, options.look === true ? looker(config) : undefined);
    const tests = [...others].map((file) => addTests(config, file, importTests(file, about)));
    const isTests = new Set(tests.filter(({ tests: count }) => count > 0).map(({ file }) => file));
    const inTests = tests.filter(({ file }) => isTests.has(file)).flatMap(({ broken }) => broken);
    const { broken, unread } = log.broken.without(isTests);
    return {
      ...added,
      traces: log.traces,
      repros: tests.reduce((sum, { repros }) => sum + repros, 0),
      unread: unread + inTests.length,
      broken: [...broken, ...inTests],
      skipped: log.skipped.filter(({ file }) => !isTests.has(file)),
      warnings: log.warnings,
      formats: Object.fromEntries(log.formats),
    };
  } finally {
    store.close();
  }
}

function readOptions(
  config: Config,
  { agent, redact }: IngestOptions,
): { agent?: string; redact?: RedactOptions } {
  const names = Object.keys(config.agents);
  // The only configured agent is the one that is meant by traces without a name.
  const name = agent ?? (names.length === 1 && config.agent === undefined ? names[0] : undefined);
  return {
    ...(name === undefined ? {} : { agent: name }),
    ...(redact === undefined ? {} : { redact }),
  };
}

/** Throws E_FORMAT_UNKNOWN for a name that no importer has. */
export function checkFormat(format: string | undefined): void {
  if (format === undefined || formatNames().includes(format)) return;
  const meant = nearest(format, formatNames());
  throw failure("E_FORMAT_UNKNOWN", {
    to: `read traces of the format ${JSON.stringify(format)}`,
    because: "there is no such format",
    fix: `${meant === undefined ? "" : `Did you mean ${JSON.stringify(meant)}? `}Known are ${formatNames().join(", ")}`,
  });
}

interface Log {
  traces: number;
  readonly broken: BrokenRecords;
  readonly skipped: Noted[];
  readonly warnings: Noted[];
  readonly formats: Map<string, number>;
}

/**
 * The traces of what was read, as they were written down; everything else goes into the log.
 * @yields each trace
 */
function* tracesOf(
  items: Iterable<ReadItem>,
  log: Log,
  about: IngestOptions & { readonly others: Set<string> },
): Generator<WrittenTrace> {
  for (const item of items) {
    about.onItem?.();
    const place = placeOf(item);
    if ("error" in item) {
      if (item.error.code === "E_FILE_FORMAT" || item.error.code === "E_RECORD_FORMAT")
        about.others.add(item.file);
      log.broken.add(place, item.error);
    } else if ("skipped" in item) {
      if (item.skipped.code === "E_FILE_FORMAT") about.others.add(item.file);
      log.skipped.push({ ...place, ...item.skipped });
    } else if (about.format !== undefined && item.format !== about.format) {
      const message = `the record is of the format ${item.format ?? "unknown"}, not ${about.format}`;
      log.broken.add(place, placed(item, { code: "E_RECORD_FORMAT", message }));
    } else {
      log.traces += 1;
      const format = item.format ?? item.trace.source;
      log.formats.set(format, (log.formats.get(format) ?? 0) + 1);
      for (const message of item.warnings) log.warnings.push({ ...place, message });
      yield item;
    }
  }
}

function placeOf({ file, line, record }: ReadItem): Omit<Noted, "message"> {
  return { file, record, ...(line === undefined ? {} : { line }) };
}
