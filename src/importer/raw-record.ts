import { messageOf, TwiceshyError } from "../shared/error.ts";
import type { Json } from "../shared/json.ts";
import type { Place, Problem } from "./importer.ts";

/** One record of a file as it stands there, or why it cannot be read. */
export type RawRecord = {
  readonly record: number;
  /** From 1; missing in a document of several lines. */
  readonly line?: number;
  /** Name of the member in which it stands, in an object of records; its place in a document that is a list of them. */
  readonly key?: string | number;
} & ({ readonly value: Json } | { readonly problem: Problem; readonly torn?: true });

const RECORD_CODES: ReadonlyMap<string, string> = new Map([
  ["E_JSON_SYNTAX", "E_RECORD_JSON"],
  ["E_JSON_DEPTH", "E_RECORD_DEPTH"],
  ["E_JSON_NODES", "E_RECORD_NODES"],
]);

/** Anything thrown while reading as a problem of a record. */
export function problemOf(thrown: unknown): Problem {
  if (!TwiceshyError.is(thrown)) return { code: "E_RECORD_READ", message: messageOf(thrown) };
  return { code: RECORD_CODES.get(thrown.code) ?? thrown.code, message: thrown.message };
}

/** A problem with its place before it, as plain data. */
export function placed(place: Place, { code, message }: Problem): Problem {
  const record = place.line === undefined ? `, record ${place.record}` : `:${place.line}`;
  const where = code.startsWith("E_FILE_") ? "" : record;
  return { code, message: `${place.file}${where}: ${message}` };
}
