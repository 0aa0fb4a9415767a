import { closeSync, fstatSync, openSync, readFileSync, statSync, type BigIntStats } from "node:fs";
import { basename, join } from "node:path";
import { sha256 } from "../shared/hash.ts";
import { canonical, isObject, type Json } from "../shared/json.ts";
import type { RedactOptions } from "../shared/redact.ts";

/** What is known of a repros file that was looked through before, byte for byte, by the same rules of redaction. */
export interface Checked {
  readonly repros: ReadonlyMap<string, CheckedRepro>;
  /** Whether `JSON.parse` alone reads the file as our own reader does. */
  readonly plain: boolean;
}

export interface CheckedRepro {
  /** Its content hash. */
  readonly hash: string;
  /** Whether redaction would change nothing in it, so that it need not be done again. */
  readonly clean: boolean;
}

/** Where the notes about repros files are kept, and what they hold for; plain data. */
export interface CheckedNotes {
  /** The folder. */
  readonly dir: string;
  /** Digest of the rules and of our version. */
  readonly rules: string;
}

/** Version of a note's form, and of all that decides what stands in it beside the options. */
const FORM = "2";

export function notesIn(dir: string, redact: RedactOptions, engine: string): CheckedNotes {
  const rules = sha256([FORM, engine, canonical(redact as unknown as Json)].join("\n"), 32);
  return { dir, rules };
}

/** What a note says; it is found by the name of the file that it is about. */
export interface Note {
  readonly path: string;
  /** Size, times and inode of the file when it was read. */
  readonly stamp: string;
  readonly rules: string;
  readonly plain: boolean;
  readonly repros: Readonly<Record<string, readonly [hash: string, clean: boolean]>>;
}

export function notePath(path: string, { dir }: CheckedNotes): string {
  return join(dir, `${basename(path)}.checked`);
}

/** Whether there is a note about the file as it is now. */
export function isNoted(path: string, notes: CheckedNotes): boolean {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats !== undefined && noteOf(path, stampOf(stats), notes) !== undefined;
}

/** The text of a repros file, and what is known of this very text. */
export function readChecked(
  path: string,
  notes: CheckedNotes,
): { readonly text: string; readonly checked: Checked | undefined } {
  const { text, stamp } = readStamped(path);
  return { text, checked: noteOf(path, stamp, notes) };
}

/** A file's text with its stamp. */
export function readStamped(path: string): { readonly text: string; readonly stamp: string } {
  const fd = openSync(path, "r");
  try {
    const stamp = stampOf(fstatSync(fd, { bigint: true }));
    return { text: readFileSync(fd, "utf8"), stamp };
  } finally {
    closeSync(fd);
  }
}

function stampOf({ size, mtimeNs, ctimeNs, ino }: BigIntStats): string {
  return [size, mtimeNs, ctimeNs, ino].join(" ");
}

/** A note is a cache: one that cannot be read, or is about anything else, is none. */
function noteOf(path: string, stamp: string, notes: CheckedNotes): Checked | undefined {
  try {
    const note: unknown = JSON.parse(readFileSync(notePath(path, notes), "utf8"));
    if (!isObject(note) || !isObject(note["repros"])) return undefined;
    const fits = note["path"] === path && note["stamp"] === stamp && note["rules"] === notes.rules;
    if (!fits) return undefined;
    const repros = new Map(Object.entries(note["repros"]).map(reproOf));
    return { repros, plain: note["plain"] === true };
  } catch {
    return undefined;
  }
}

function reproOf([id, entry]: [string, Json]): [string, CheckedRepro] {
  const [hash, clean] = Array.isArray(entry) ? entry : [];
  if (typeof hash !== "string") throw new TypeError("a note without a hash");
  return [id, { hash, clean: clean === true }];
}
