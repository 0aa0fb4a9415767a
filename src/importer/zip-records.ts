import { failure } from "../shared/error.ts";
import { isObject, type JsonObject } from "../shared/json.ts";
import { parseJson } from "../shared/parse.ts";
import { problemOf, type RawRecord } from "./raw-record.ts";
import { openZip, type ZipMember } from "./zip.ts";

const SAMPLE = /^samples\/[^/\\]+\.json$/;
/** What a log says of itself: at its end, or when it began, for one that never ended. */
const HEADERS = ["header.json", "_journal/start.json"];
const NODES = 2_000_000;

/**
 * The samples of a zipped log (`.eval`), in the order of the archive, each as a log of one sample. The names of members only tell
 * them apart; a name that would lead out of a folder is named as a problem.
 * @yields each sample, or why it cannot be read
 */
export function* zipRecords(path: string): Generator<RawRecord> {
  const zip = openZip(path);
  try {
    const header = headerOf(zip.members);
    let record = 0;
    for (const member of zip.members) {
      if (leaves(member.name)) yield { record: record++, problem: outside(member.name) };
      else if (SAMPLE.test(member.name)) yield sampleOf(member, header, record++);
    }
    if (record === 0) yield { record, problem: noSample(zip.members.length) };
  } finally {
    zip.close();
  }
}

function sampleOf(member: ZipMember, header: JsonObject, record: number): RawRecord {
  const key = member.name.slice("samples/".length, -".json".length);
  try {
    const sample = parseJson(member.bytes().toString("utf8"), { nodes: NODES });
    return { record, key, value: { ...header, samples: [sample] } };
  } catch (thrown) {
    return { record, key, problem: problemOf(thrown) };
  }
}

/** A log without a header is read all the same: its samples are whole. */
function headerOf(members: readonly ZipMember[]): JsonObject {
  for (const name of HEADERS) {
    const member = members.find((one) => one.name === name);
    if (member === undefined) continue;
    try {
      const { samples: _summaries, ...header } = asObject(
        parseJson(member.bytes().toString("utf8"), { nodes: NODES }),
      );
      return { version: 2, status: "started", eval: {}, ...header };
    } catch {
      continue;
    }
  }
  return { version: 2, status: "started", eval: {} };
}

function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function leaves(name: string): boolean {
  return (
    name.startsWith("/") ||
    name.includes("\\") ||
    /^[A-Za-z]:/.test(name) ||
    name.split("/").includes("..")
  );
}

function outside(name: string): Error & { code: string } {
  return failure("E_RECORD_ZIP", {
    to: `read the member ${JSON.stringify(name.slice(0, 200))} of the zip archive`,
    because: "its name leads out of the archive's folder",
    fix: "Do not trust this file; nothing was written and the other members were read",
  });
}

function noSample(members: number): Error & { code: string } {
  return failure("E_RECORD_EMPTY", {
    to: "read the zip archive",
    because: `none of its ${members} members is a sample of a log`,
    fix: "Name a log with samples, or unpack the archive first",
  });
}
