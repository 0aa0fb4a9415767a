import { readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { sha256 } from "../shared/hash.ts";
import { openStore, type Damage, type Store } from "../store/store.ts";
import { committedStamps, inputsOf, stampsOf } from "./fast.ts";
import type { Ingested } from "./ingest.ts";
import type { Judged } from "./judge-stored.ts";
import type { GenerateResult } from "./result.ts";

/** What `process` is asked for. */
export interface ProcessInput {
  /** Files and folders that a person named. */
  readonly paths: readonly string[];
  /** The project's own trace files. */
  readonly own: readonly string[];
  readonly format?: string | undefined;
  readonly agent?: string | undefined;
}

/** What reading, looking and generating gave. */
export interface Processed {
  readonly read: readonly Ingested[];
  readonly damaged: readonly Damage[];
  /** Missing when no model was asked. */
  readonly judged?: Judged;
  readonly result: GenerateResult;
}

interface Note {
  readonly inputs: string;
  readonly others: readonly string[];
  readonly processed: Processed;
}

const NOTE = "processed-2";
const BESIDE = /\.jsonl?$/u;
const ABOVE = ["../report.json", "../result.json", "../results.json", "../metadata.json"];

/**
 * What processing gave the last time, when nothing has changed since: neither the files, options, specs and repros nor the
 * store. Loads no importer, detector or schema. Throws E_STORE_*.
 */
export function processedBefore(config: Config, input: ProcessInput): Processed | undefined {
  const store = openStore(config.store);
  try {
    const note = noteIn(store);
    if (note?.inputs !== digestOf(config, input, { store, others: note?.others ?? [] }))
      return undefined;
    const { read, damaged, judged, result } = note.processed;
    return {
      read: read.map((each) => knownNow(each)),
      damaged,
      ...(judged === undefined ? {} : { judged: nobodyAsked(judged) }),
      result: nothingWritten(result),
    };
  } finally {
    store.close();
  }
}

/** Lets the next run see at a glance that nothing changed. */
export function rememberProcessed(
  config: Config,
  input: ProcessInput & { readonly seen: string },
  processed: Processed,
): void {
  // What could not be done is tried again; a file that changed while it was read is not remembered.
  if (!processed.result.complete || config.ci || processed.damaged.length > 0) return;
  if (processed.judged !== undefined && processed.judged.unjudged.traces > 0) return;
  if (input.seen !== inputStamps(input)) return;
  const others = processed.result.inputs;
  const store = openStore(config.store);
  try {
    const inputs = digestOf(config, input, { store, others });
    store.keepNote(NOTE, JSON.stringify({ inputs, others, processed } satisfies Note));
  } finally {
    store.close();
  }
}

/** Size and times of the files that are read, and of those beside them that may tell of the same run: a report, a score. */
export function inputStamps({ paths, own }: Pick<ProcessInput, "paths" | "own">): string {
  const folders = [...new Set(paths.map((path) => dirname(path)))];
  const beside = folders.flatMap((folder) =>
    namesIn(folder)
      .filter((name) => BESIDE.test(name))
      .concat(ABOVE)
      .map((name) => join(folder, name)),
  );
  return stampsOf([...paths, ...own, ...beside]);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function digestOf(
  config: Config,
  input: ProcessInput,
  { store, others }: { readonly store: Store; readonly others: readonly string[] },
): string {
  const { paths, own, format, agent } = input;
  const options = JSON.stringify([paths, own, format ?? null, agent ?? null]);
  const traces = `${inputStamps(input)}\n${stampsOf(judgeFile(config))}`;
  const committed = committedStamps(config.specs.dir);
  return sha256(
    [options, committed, store.stamp(), inputsOf(config, { traces, others })].join("\n"),
  );
}

/** The file of a judge that is named as "file#export". */
function judgeFile({ root, judge }: Config): string[] {
  const ask = judge?.ask;
  return typeof ask === "string" ? [resolve(root, ask.slice(0, ask.lastIndexOf("#")))] : [];
}

function noteIn(store: Store): Note | undefined {
  try {
    const text = store.note(NOTE);
    return text === undefined ? undefined : (JSON.parse(text) as Note);
  } catch {
    return undefined;
  }
}

/** The same files read again: nothing in them is new. */
function knownNow(read: Ingested): Ingested {
  const { added, known, extended } = read;
  return { ...read, added: 0, extended: 0, known: added + known + extended, renamed: [] };
}

function nothingWritten(result: GenerateResult): GenerateResult {
  return { ...result, written: [], removed: [] };
}

function nobodyAsked(judged: Judged): Judged {
  const offTrack = judged.offTrack.map((one) => ({ ...one, asked: false }));
  return { ...judged, asked: 0, offTrack };
}
