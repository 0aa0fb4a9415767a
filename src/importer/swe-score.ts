import { failure } from "../shared/error.ts";
import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { Score } from "../trace/trace.ts";
import type { About, Importer } from "./importer.ts";
import { objectIn, own } from "./member.ts";

/** A file beside a run, and whether it tells of that run alone. */
interface Candidate {
  readonly name: string;
  readonly alone: boolean;
}

/** Whether hidden tests found an issue resolved, as a report beside the run says; undefined when there is none. */
export function resolvedScore(about: About, id: string): Score | undefined {
  for (const { name, alone } of candidates(about.file)) {
    const report = about.siblings?.json(name);
    const value = isObject(report) ? resolvedIn(report, id, alone) : undefined;
    if (value !== undefined) return { name: "resolved", value, passed: value };
  }
  return undefined;
}

/** `a/b.traj.json` and `a/b.traj` give `b`. */
export function runName(file: string): string {
  const base = file.replaceAll("\\", "/").split("/").at(-1) ?? file;
  return base.replace(/(?:\.traj)?(?:\.jsonl?)?$/, "");
}

function candidates(file: string): Candidate[] {
  return [
    { name: `${runName(file)}.report.json`, alone: true },
    { name: "report.json", alone: true },
    { name: "results.json", alone: false },
    { name: "../report.json", alone: false },
    { name: "../results.json", alone: false },
  ];
}

/** Reports are flat, by instance, or lists of the instances that are resolved and not. */
function resolvedIn(report: JsonObject, id: string, alone: boolean): boolean | undefined {
  const flat = own(report, "resolved");
  if (alone && typeof flat === "boolean") return flat;
  const members = Object.keys(report);
  const only = alone && members.length === 1 ? members[0] : undefined;
  for (const key of [id, only]) {
    const value = key === undefined ? undefined : own(objectIn(report, key), "resolved");
    if (typeof value === "boolean") return value;
  }
  if (listed(report, ["resolved_ids", "resolved"], id)) return true;
  return listed(report, ["unresolved_ids", "unresolved", "error_ids", "empty_patch_ids"], id)
    ? false
    : undefined;
}

function listed(report: JsonObject, keys: readonly string[], id: string): boolean {
  return keys.some((key) => {
    const list = own(report, key);
    return Array.isArray(list) && list.includes(id);
  });
}

/** The report of a benchmark's hidden tests: its score is attached to the run beside it. */
export const sweReport: Importer = {
  name: "swe-report",

  recognises(record: Json): boolean {
    if (!isObject(record)) return false;
    if (isReport(record) || isSummary(record)) return true;
    const members = Object.values(record);
    return members.length > 0 && members.every((member) => isObject(member) && isReport(member));
  },

  read() {
    throw failure("E_RECORD_ASIDE", {
      to: "read the record as a run",
      because: "it is a report of tests; its score is attached to the run beside it",
      fix: "Nothing is to be done",
    });
  },
};

/** The results of many runs: lists of the instances that are resolved and not. */
function isSummary(record: JsonObject): boolean {
  return ["resolved_ids", "unresolved_ids"].every((key) => Array.isArray(own(record, key)));
}

function isReport(record: JsonObject): boolean {
  return (
    typeof own(record, "resolved") === "boolean" &&
    (isObject(own(record, "tests_status")) || typeof own(record, "patch_exists") === "boolean")
  );
}
