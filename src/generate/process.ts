import type { Config } from "../config/config.ts";
import { sha256 } from "../shared/hash.ts";
import { openStore, type Damage, type Store } from "../store/store.ts";
import { committedStamps, inputsOf, stampsOf } from "./fast.ts";
import type { Ingested } from "./ingest.ts";
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
  readonly result: GenerateResult;
}

interface Note {
  readonly inputs: string;
  readonly others: readonly string[];
  readonly processed: Processed;
}

const NOTE = "processed";

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
    const { read, damaged, result } = note.processed;
    return { read: read.map((each) => knownNow(each)), damaged, result: nothingWritten(result) };
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
  if (input.seen !== stampsOf([...input.paths, ...input.own])) return;
  const others = processed.result.inputs;
  const store = openStore(config.store);
  try {
    const inputs = digestOf(config, input, { store, others });
    store.keepNote(NOTE, JSON.stringify({ inputs, others, processed } satisfies Note));
  } finally {
    store.close();
  }
}

function digestOf(
  config: Config,
  { paths, own, format, agent }: ProcessInput,
  { store, others }: { readonly store: Store; readonly others: readonly string[] },
): string {
  const options = JSON.stringify([paths, own, format ?? null, agent ?? null]);
  const traces = stampsOf([...paths, ...own]);
  const committed = committedStamps(config.specs.dir);
  return sha256(
    [options, committed, store.stamp(), inputsOf(config, { traces, others })].join("\n"),
  );
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
