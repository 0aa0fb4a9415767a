import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { failure, messageOf, TwiceshyError } from "../shared/error.ts";
import { syntaxErrorPlace } from "../shared/json-place.ts";
import { isObject, type Json } from "../shared/json.ts";
import { parseJson } from "../shared/parse.ts";
import { oneLine } from "../shared/text.ts";
import { readChecked, type Checked, type CheckedNotes } from "./checked.ts";
import type { ReprosFile } from "./repro.ts";

/** The version that this package reads and writes; equal to `REPROS_VERSION`, without the schema library. */
const VERSION = 1;

/**
 * Reads a repros file inside a test, where no schema library is loaded: it was checked when it was generated. Merge
 * conflicts, broken JSON and a newer version are still found (`E_REPROS_READ`, `E_REPROS_CONFLICT`, `E_REPROS_JSON`,
 * `E_REPROS_VERSION`, `E_REPROS_SCHEMA`).
 */
export function loadRepros(path: string): ReprosFile {
  return parseRepros(path, readText(path)) as unknown as ReprosFile;
}

/** The same, with what is known of a file that did not change since notes about it were made. */
export function loadChecked(
  path: string,
  notes: CheckedNotes | undefined,
): { readonly file: ReprosFile; readonly checked: Checked | undefined } {
  if (notes === undefined) return { file: loadRepros(path), checked: undefined };
  const { text, checked } = orUnreadable(path, () => readChecked(path, notes));
  const file = checked?.plain === true ? readPlain(path, text) : parseRepros(path, text);
  return { file: file as unknown as ReprosFile, checked };
}

/** The text of a repros file; `E_REPROS_READ` says why it cannot be read. */
export function readText(path: string): string {
  return orUnreadable(path, () => readFileSync(path, "utf8"));
}

function orUnreadable<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw failure("E_REPROS_READ", {
      to: `read the repros ${path}`,
      because: oneLine(messageOf(cause), 300),
      fix: "Restore the file from version control, or generate it again",
      cause,
    });
  }
}

/** The JSON of a repros file of a known version; its repros are not checked yet. */
export function parseRepros(path: string, text: string): { readonly [key: string]: Json } {
  refuseConflict(path, text);
  return asRepros(path, parse(path, text));
}

/** The same of a text that was found to be plain JSON. */
function readPlain(path: string, text: string): { readonly [key: string]: Json } {
  return asRepros(path, JSON.parse(text) as Json);
}

function asRepros(path: string, value: Json): { readonly [key: string]: Json } {
  if (!isObject(value)) throw unusable(path, "it holds no object");
  const version = value["formatVersion"];
  if (version !== VERSION) throw wrongVersion(path, version);
  if (!Array.isArray(value["repros"])) throw unusable(path, "/repros is no list");
  if (!isObject(value["blobs"])) throw unusable(path, "/blobs is no object");
  return value;
}

const MARKS = ["<<<<<<<", ">>>>>>>", "|||||||"];

function refuseConflict(path: string, text: string): void {
  if (!MARKS.some((mark) => text.includes(mark))) return;
  const lines = text.split("\n");
  const line = lines.findIndex((candidate) => /^(?:<{7}|>{7}|\|{7})(?: |\r?$)/.test(candidate));
  if (line === -1) return;
  throw failure("E_REPROS_CONFLICT", {
    to: `read the repros ${path}`,
    because: `line ${line + 1} is a merge-conflict marker (${oneLine(lines[line] ?? "", 60)})`,
    fix: `Resolve the conflict in ${basename(path)}, or take one side and generate again`,
  });
}

/** A value in a repro lies some levels deeper than in its trace, for which 128 are allowed. */
export const LIMITS = { depth: 256, nodes: 50_000_000 };

function parse(path: string, text: string): Json {
  try {
    return parseJson(text, LIMITS);
  } catch (cause) {
    throw failure("E_REPROS_JSON", {
      to: `read the repros ${path}`,
      because: placeOf(text, cause),
      fix: "Correct that place, or restore the file from version control",
      cause,
    });
  }
}

function placeOf(text: string, cause: unknown): string {
  if (!TwiceshyError.is(cause) || cause.code !== "E_JSON_SYNTAX") return messageOf(cause);
  const place = syntaxErrorPlace(text.startsWith("\uFEFF") ? text.slice(1) : text);
  const line = text.slice(0, place).split("\n").length;
  return place >= text.length ? `it ends too early, in line ${line}` : `line ${line} is no JSON`;
}

function wrongVersion(path: string, version: Json | undefined): TwiceshyError {
  const newer = typeof version === "number" && version > VERSION;
  return failure("E_REPROS_VERSION", {
    to: `read the repros ${path}`,
    because:
      version === undefined
        ? `it has no formatVersion; this package reads version ${VERSION}`
        : `its formatVersion is ${oneLine(JSON.stringify(version), 40)}, this package reads version ${VERSION}`,
    fix: newer
      ? "Install the newer twiceshy that wrote it"
      : "Restore the file, or generate it again",
  });
}

function unusable(path: string, because: string): TwiceshyError {
  return failure("E_REPROS_SCHEMA", {
    to: `read the repros ${path}`,
    because,
    fix: "Correct that place, or restore the file from version control",
  });
}
