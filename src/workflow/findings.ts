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

/** A finding that was read, and where it is kept. */
export interface KnownFinding extends Finding {
  readonly path: string;
}

type Kinds = Parameters<typeof faultProblems>[1];

/**
 * Findings of one test, in the order of their files' names; a folder that is not there has none.
 * @throws E_FINDING_READ for a file that cannot be read as one, or is about a tool that is not there, with its path and what to do
 */
export function readFindings(folder: string, test: string, kinds?: Kinds): readonly KnownFinding[] {
  return namesIn(folder)
    .map((name) => readFinding(join(folder, name)))
    .filter((finding) => finding.test === test)
    .map((finding) => fitting(finding, kinds));
}

/** What another test found may be about another world. */
function fitting(finding: KnownFinding, kinds: Kinds): KnownFinding {
  const problem = problemOfFaults(finding.faults, kinds);
  if (problem !== undefined) throw unreadable(finding.path, problem);
  return finding;
}

/**
 * Refuses an order that picked a call where fewer waited.
 * @throws E_FINDING_READ
 */
export function checkOrder({ path, order = [] }: KnownFinding, choices: readonly number[]): void {
  const at = choices.findIndex((waiting, n) => (order[n] ?? 0) >= waiting);
  if (at === -1) return;
  const because = `order/${at} picks ${order[at] ?? 0}, and only ${choices[at] ?? 0} calls wait together there, counted from 0`;
  throw unreadable(path, because);
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

function readFinding(path: string): KnownFinding {
  const value = parsed(path);
  const problem = problemOf(value);
  if (problem !== undefined) throw unreadable(path, problem);
  return { ...(value as unknown as Finding), path };
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
  return problemOfFaults(faults as unknown as Fault[], undefined);
}

function problemOfFaults(faults: readonly Fault[], kinds: Kinds): string | undefined {
  return faults
    .flatMap((fault, n) => faultProblems(fault, kinds).map((why) => `faults/${n}: ${why}`))
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
