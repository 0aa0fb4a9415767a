import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Fault } from "../fault/fault.ts";
import { faultProblems } from "../fault/check-fault.ts";
import { failure, messageOf } from "../shared/error.ts";
import { readCapped, writeAtomic } from "../shared/file.ts";
import { sha256 } from "../shared/hash.ts";
import { byCodeUnit, canonical, fileText, isObject, type Json } from "../shared/json.ts";
import { parseJson } from "../shared/parse.ts";
import type { Order } from "./order.ts";

/** A schedule that broke something, as it is kept beside the test: data, not a seed, so that no version of a library can change it. */
export interface Finding {
  readonly formatVersion: 1;
  /** The test that found it, by its whole name. */
  readonly test: string;
  readonly faults: readonly Fault[];
  /** The order of calls that were under way together, where it matters. */
  readonly order?: Order;
  /** The task, where the search varies it. */
  readonly task?: Json;
  /** What was wrong, in one sentence; information only. */
  readonly said: string;
}

const MAX_BYTES = 1_000_000;

/**
 * Findings of one test, in the order of their files' names; a folder that is not there has none.
 * @throws E_FINDING_READ for a file that cannot be read as one, with its path and what to do
 */
export function readFindings(folder: string, test: string): readonly Finding[] {
  return namesIn(folder)
    .map((name) => readFinding(join(folder, name)))
    .filter((finding) => finding.test === test);
}

/** Writes one file, named by its content; the same finding twice is one file. Returns its path. */
export function saveFinding(folder: string, finding: Finding): string {
  const { said: _, ...identity } = finding;
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${sha256(canonical(identity as unknown as Json), 16)}.json`);
  writeAtomic(path, fileText(finding as unknown as Json), { inside: folder });
  return path;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^[0-9a-f]{16}\.json$/.test(name))
      .sort(byCodeUnit);
  } catch {
    return [];
  }
}

function readFinding(path: string): Finding {
  const value = parsed(path);
  const problem = problemOf(value);
  if (problem !== undefined) throw unreadable(path, problem);
  return value as unknown as Finding;
}

function parsed(path: string): Json {
  try {
    return parseJson(readCapped(path, MAX_BYTES));
  } catch (thrown) {
    throw unreadable(path, messageOf(thrown));
  }
}

function problemOf(value: Json): string | undefined {
  if (!isObject(value)) return "it is no object";
  const { formatVersion, test, faults, order, said } = value;
  if (formatVersion !== 1) return `its formatVersion is ${canonical(formatVersion)}, not 1`;
  if (typeof test !== "string" || typeof said !== "string") return "test or said is no text";
  if (!Array.isArray(faults) || !faults.every((fault) => isObject(fault)))
    return "faults is no list of faults";
  if (order !== undefined && !(Array.isArray(order) && order.every((pick) => isPick(pick))))
    return "order is no list of whole numbers";
  return faults
    .flatMap((fault, n) =>
      faultProblems(fault as unknown as Fault, undefined).map(
        (problem) => `faults/${n}: ${problem}`,
      ),
    )
    .at(0);
}

function isPick(value: Json): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

function unreadable(path: string, because: string): Error {
  return failure("E_FINDING_READ", {
    to: `read the finding ${path}`,
    because,
    fix: "Restore the file from version control, or delete it to search again",
  });
}
