import { EXIT } from "./command.ts";

/** What a reading of files came to. */
export interface ReadOutcome {
  /** Traces and exported tests that were read, known ones too. */
  readonly read: number;
  /** What could not be read. */
  readonly broken: readonly Unread[];
  /** What was left out. */
  readonly skipped: readonly Unread[];
}

interface Unread {
  readonly file: string;
  readonly code?: string;
}

/** Nothing is missing: a record that is read elsewhere, a line that is still being written, a file of another kind in a folder. */
const HARMLESS = /^E_(?:RECORD_(?:ASIDE|TORN)|FILE_FORMAT)$/;

/** Codes of a path that is no trace file at all; a log that is damaged, too large or not to be trusted is one. */
const NO_TRACES =
  /^E_(?:FILE_(?:MISSING|KIND|EMPTY|UNREADABLE|ENCODING|FORMAT)|FOLDER_EMPTY|RECORD_(?:FORMAT|JSON))$/;

/**
 * 2 when nothing was read because a path that a person named is no trace file; 3 when something could not be read and the
 * person asked to hear of it.
 */
export function readCode(
  { read, broken, skipped }: ReadOutcome,
  { named, strict }: { readonly named: readonly string[]; readonly strict: boolean },
): number {
  const missing = broken.length + skipped.filter(({ code }) => !HARMLESS.test(code ?? "")).length;
  if (missing === 0) return EXIT.passed;
  const useless = broken.some(
    ({ file, code }) => named.includes(file) && NO_TRACES.test(code ?? ""),
  );
  if (read === 0 && useless) return EXIT.invalid;
  return strict ? EXIT.incomplete : EXIT.passed;
}
