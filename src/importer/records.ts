import { closeSync, readSync, statSync } from "node:fs";
import { failure } from "../shared/error.ts";
import { openRegular, readCapped } from "../shared/file.ts";
import { isObject, type Json } from "../shared/json.ts";
import { readLines } from "../shared/lines.ts";
import { parseJson } from "../shared/parse.ts";
import type { Problem } from "./importer.ts";
import { problemOf, type RawRecord } from "./raw-record.ts";
import { zipRecords } from "./zip-records.ts";
import { isZip } from "./zip.ts";

/** Largest file that is read as one JSON document; lines have a cap of their own and no limit on their number. */
const DOCUMENT_BYTES = 64 * 1024 * 1024;
const DOCUMENT_NODES = 2_000_000;

/** Whether some importer knows a value; decides whether a list or object is one record or holds several. */
type Known = (value: Json) => boolean;

/**
 * The records of a file, in order: those of one JSON document, else one or more a line (LF only). A file that cannot be
 * read at all gives one problem. Never throws.
 * @yields each record
 */
export function* recordsOf(path: string, known: Known): Generator<RawRecord> {
  try {
    if (path.endsWith(".eval") ? !isJsonText(path) : isZip(path)) {
      yield* zipRecords(path);
      return;
    }
    const encoding = wrongEncoding(path);
    if (encoding !== undefined) {
      yield { record: 0, problem: encoding };
      return;
    }
    const whole = documentOf(path);
    if (whole === undefined) yield* lineRecords(path, known);
    else if ("value" in whole) {
      const listed = Array.isArray(whole.value) && !known(whole.value);
      yield* numbered(unpack(whole.value, known), { line: whole.line, listed });
    } else yield* afterBrokenDocument(path, known, whole.problem);
  } catch (thrown) {
    yield { record: 0, problem: problemOf(thrown) };
  }
}

/** The file as one document; undefined when it has no line, or when its first line is JSON and others follow. */
function documentOf(
  path: string,
): { value: Json; line?: number } | { problem: Problem } | undefined {
  let first: { value: Json; line: number } | undefined;
  for (const line of readLines(path)) {
    if (first !== undefined) return undefined;
    if (line.text === undefined) return wholeFile(path);
    try {
      first = { value: parseJson(line.text), line: line.number };
    } catch {
      return wholeFile(path);
    }
  }
  return first;
}

function wholeFile(path: string): { value: Json } | { problem: Problem } {
  if (statSync(path).size > DOCUMENT_BYTES) {
    return {
      problem: failure("E_RECORD_SIZE", {
        to: "read the file as one JSON document",
        because: `it is larger than ${DOCUMENT_BYTES / 1024 / 1024} MiB`,
        fix: "Write one record a line",
      }),
    };
  }
  try {
    return { value: parseJson(readCapped(path, DOCUMENT_BYTES), { nodes: DOCUMENT_NODES }) };
  } catch (thrown) {
    return { problem: problemOf(thrown) };
  }
}

/**
 * Lines of a file whose first line is no JSON: a broken line before good ones, or a document that is cut off.
 * @yields the records of the lines, or one problem
 */
function* afterBrokenDocument(path: string, known: Known, problem: Problem): Generator<RawRecord> {
  let anyValue = false;
  for (const raw of lineRecords(path, known)) {
    if ("value" in raw && (isObject(raw.value) || Array.isArray(raw.value))) anyValue = true;
    if (anyValue) break;
    if (raw.record > 1000) break;
  }
  if (anyValue) yield* lineRecords(path, known);
  else yield { record: 0, problem };
}

function* lineRecords(path: string, known: Known): Generator<RawRecord> {
  let record = 0;
  for (const line of readLines(path)) {
    if (line.text === undefined) {
      yield { record: record++, line: line.number, problem: unreadableLine(line) };
      continue;
    }
    let value: Json;
    try {
      value = parseJson(line.text);
    } catch (thrown) {
      const torn = line.torn === true && record > 0;
      yield {
        record: record++,
        line: line.number,
        problem: torn ? tornLine() : problemOf(thrown),
        ...(torn ? { torn } : {}),
      };
      continue;
    }
    for (const each of unpack(value, known)) yield { record: record++, line: line.number, ...each };
  }
}

interface Document {
  readonly line: number | undefined;
  /** Whether it is a list of records, whose places are their keys. */
  readonly listed: boolean;
}

function* numbered(values: Iterable<Unpacked>, { line, listed }: Document): Generator<RawRecord> {
  let record = 0;
  for (const each of values) {
    const key = listed ? { key: record } : {};
    yield { record, ...key, ...each, ...(line === undefined ? {} : { line }) };
    record++;
  }
}

interface Unpacked {
  readonly value: Json;
  readonly key?: string;
}

/** A value that an importer knows is one record; else the items of a list, or the members of an object of records. */
function unpack(value: Json, known: Known): readonly Unpacked[] {
  if (known(value)) return [{ value }];
  if (Array.isArray(value)) return value.map((item) => ({ value: item }));
  if (!isObject(value)) return [{ value }];
  const members = Object.entries(value);
  return members.some(([, member]) => isObject(member) && known(member))
    ? members.map(([key, member]) => ({ value: member, key }))
    : [{ value }];
}

/** A zipped log may have been unpacked, or was never packed. */
function isJsonText(path: string): boolean {
  const head = Buffer.alloc(64);
  const handle = openRegular(path);
  try {
    const length = readSync(handle, head, 0, head.length, 0);
    return /^\uFEFF?\s*[[{]/.test(head.toString("utf8", 0, length));
  } finally {
    closeSync(handle);
  }
}

/** UTF-16 tells itself by its mark or by a zero beside each letter. */
function wrongEncoding(path: string): Problem | undefined {
  const head = Buffer.alloc(4);
  const handle = openRegular(path);
  try {
    if (readSync(handle, head, 0, 4, 0) < 2) return undefined;
  } finally {
    closeSync(handle);
  }
  const [a, b] = head;
  const marked = (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff);
  const zeroes = (a === 0) !== (b === 0);
  if (!marked && !zeroes) return undefined;
  return failure("E_FILE_ENCODING", {
    to: "read the file",
    because: "it is UTF-16 text",
    fix: "Save it as UTF-8",
  });
}

function unreadableLine(line: { readonly tooLong?: true; readonly invalid?: string }): Problem {
  return line.tooLong === true
    ? failure("E_RECORD_SIZE", {
        to: "read the line",
        because: "it is longer than 32 MiB",
        fix: "Shorten its largest texts or leave it out",
      })
    : failure("E_RECORD_ENCODING", {
        to: "read the line",
        because: line.invalid ?? "it is no UTF-8 text",
        fix: "Save the file as UTF-8",
      });
}

function tornLine(): Problem {
  return failure("E_RECORD_TORN", {
    to: "read the last line",
    because: "it is cut off: the program that wrote it was stopped",
    fix: "Nothing is to be done; the lines before it were read",
  });
}
