import { readFileSync } from "node:fs";
import { isVerdict } from "../check/verdict.ts";
import { failure, messageOf, type TwiceshyError } from "../shared/error.ts";
import { writeAtomic } from "../shared/file.ts";
import { fileText, isObject, type Json, type JsonObject } from "../shared/json.ts";
import { child } from "../shared/pointer.ts";
import { oneLine } from "../shared/text.ts";
import type { BaselineEntry, BaselineFile } from "./baseline.ts";

/** Equal to `BASELINE_VERSION`, without loading the schema library: this file is read inside tests. */
const VERSION: BaselineFile["formatVersion"] = 1;

/** A baseline without any entry. */
export function emptyBaseline(agent: string): BaselineFile {
  return { formatVersion: VERSION, agent, entries: {} };
}

/**
 * Reads a baseline; undefined when there is no such file. A damaged one is never taken for an empty one: E_BASELINE_READ,
 * E_BASELINE_CONFLICT (merge-conflict markers, with the line), E_BASELINE_JSON, E_BASELINE_VERSION, E_BASELINE_SCHEMA.
 */
export function readBaseline(path: string): BaselineFile | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    if (isObject(cause) && cause["code"] === "ENOENT") return undefined;
    throw failure("E_BASELINE_READ", {
      to: `read the baseline ${path}`,
      because: oneLine(messageOf(cause), 300),
      fix: "Make the file readable, or restore it from version control",
      cause,
    });
  }
  return parseBaseline(text, path);
}

/** The baseline in a text; `path` is for the error messages. It is parsed as JSON, never evaluated. */
export function parseBaseline(text: string, path: string): BaselineFile {
  refuseConflict(text, path);
  const value = parse(text, path);
  if (!isObject(value)) throw unusable(path, "it holds no object");
  const version = value["formatVersion"];
  if (version !== VERSION) throw wrongVersion(path, version);
  const entries = value["entries"];
  if (typeof value["agent"] !== "string") throw unusable(path, "/agent is no text");
  if (!isObject(entries)) throw unusable(path, "/entries is no object");
  const other = otherMember(value, ["formatVersion", "agent", "entries"]);
  if (other !== undefined) throw unusable(path, `${oneLine(other, 80)} is unknown`);
  for (const [id, entry] of Object.entries(entries)) refuseBadEntry(path, id, entry);
  return value as unknown as BaselineFile;
}

/** The text of a baseline, the same bytes for the same content: sorted entries, sorted keys. */
export function baselineText(file: BaselineFile): string {
  return fileText(file as unknown as Json);
}

/** Writes a baseline whole or not at all; only inside the folder `inside` when given. An equal file is left alone. */
export function writeBaseline(
  path: string,
  file: BaselineFile,
  options: { readonly inside?: string } = {},
): void {
  const text = baselineText(file);
  if (currentText(path)?.replaceAll("\r\n", "\n") === text) return;
  writeAtomic(path, text, options);
}

function currentText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function refuseConflict(text: string, path: string): void {
  if (!["<<<<<<<", ">>>>>>>", "|||||||"].some((mark) => text.includes(mark))) return;
  const lines = text.split("\n");
  const line = lines.findIndex((candidate) => /^(?:<{7}|>{7}|\|{7})(?:\s|$)/.test(candidate));
  if (line === -1) return;
  throw failure("E_BASELINE_CONFLICT", {
    to: `read the baseline ${path}`,
    because: `line ${String(line + 1)} is a merge-conflict marker (${oneLine(lines[line] ?? "", 60)})`,
    fix: "Keep the wanted entry of each side; what is missing is written again by a local run",
  });
}

function parse(text: string, path: string): Json {
  try {
    return JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text) as Json;
  } catch (cause) {
    const message = messageOf(cause);
    const position = /at position (?<at>\d+)/.exec(message)?.groups?.["at"];
    const line = (position === undefined ? text : text.slice(0, Number(position))).split(
      "\n",
    ).length;
    throw failure("E_BASELINE_JSON", {
      to: `read the baseline ${path}`,
      because: `it is no JSON: line ${String(line)}: ${oneLine(message.replace(/ in JSON at position.*$/s, ""), 160)}`,
      fix: "Correct that place, or restore the file from version control",
      cause,
    });
  }
}

function refuseBadEntry(path: string, id: string, entry: Json): void {
  const problem = isObject(entry) ? entryProblem(entry) : " is no object";
  if (problem === undefined) return;
  throw unusable(path, `${oneLine(child("/entries", id), 100)}${problem}`);
}

function entryProblem(entry: JsonObject): string | undefined {
  const { verdict, hash, signatures, note } = entry;
  const texts = Array.isArray(signatures) && signatures.every((item) => typeof item === "string");
  if (!isVerdict(verdict)) return "/verdict is no verdict";
  if (typeof hash !== "string") return "/hash is no text";
  if (signatures !== undefined && !texts) return "/signatures is no list of texts";
  if (note !== undefined && typeof note !== "string") return "/note is no text";
  const known: readonly (keyof BaselineEntry)[] = ["verdict", "hash", "signatures", "note"];
  const other = otherMember(entry, known);
  return other === undefined ? undefined : `${oneLine(other, 80)} is unknown`;
}

/** The JSON Pointer of the first member that is not known, after `pointer`. */
function otherMember(value: object, known: readonly string[]): string | undefined {
  const other = Object.keys(value).find((key) => !known.includes(key));
  return other === undefined ? undefined : child("", other);
}

function wrongVersion(path: string, version: Json | undefined): TwiceshyError {
  const newer = typeof version === "number" && version > VERSION;
  return failure("E_BASELINE_VERSION", {
    to: `read the baseline ${path}`,
    because:
      version === undefined
        ? `it has no formatVersion; this package reads version ${String(VERSION)}`
        : `its formatVersion is ${oneLine(JSON.stringify(version), 40)}, this package reads version ${String(VERSION)}`,
    fix: newer
      ? "Install the newer twiceshy that wrote it"
      : "Restore the file from version control",
  });
}

function unusable(path: string, because: string): TwiceshyError {
  return failure("E_BASELINE_SCHEMA", {
    to: `read the baseline ${path}`,
    because,
    fix: "Correct that place, or restore the file from version control",
  });
}
