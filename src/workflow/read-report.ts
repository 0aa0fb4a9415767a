import { failure, TwiceshyError } from "../shared/error.ts";
import { validateSchema } from "../shared/json-schema.ts";
import { isObject, type Json } from "../shared/json.ts";
import { readLines } from "../shared/lines.ts";
import { parseJson } from "../shared/parse.ts";
import { oneLine } from "../shared/text.ts";
import { recordProblem } from "./record-problem.ts";
import { REPORT_VERSION, type Report, type ReportEnd } from "./report.ts";
import type { ReportHeader, TrialRecord } from "./report.ts";

/** A line holds a whole trial, and the header a whole state; whatever we can write can be read. */
const LONGEST_LINE = 512 * 1024 * 1024;
const JSON_LIMITS = { depth: 400, nodes: 50_000_000 };

/**
 * Reads a report and judges everything in it again: ids, times, states, checks, faults, verdicts. A report that says otherwise than its
 * evidence is refused with the place (E_REPORT_FORGED); one that is no report, too (E_REPORT_FORMAT). A torn tail or a missing end makes
 * it partial. Throws E_FILE_* when the path cannot be read. It loads the JSON Schema library, so it is not for code inside of tests.
 */
export function readReport(path: string): Report {
  const reading = new Reading(path);
  for (const line of readLines(path, { maxLineBytes: LONGEST_LINE })) {
    if (line.tooLong === true || line.invalid !== undefined)
      throw noReport(path, line.number, line.invalid ?? "the line is too long");
    reading.line(line.number, line.text ?? "", line.torn === true);
  }
  return reading.report();
}

class Reading {
  readonly #path: string;
  #header: ReportHeader | undefined;
  readonly #trials: TrialRecord[] = [];
  #end: ReportEnd | undefined;
  #torn = false;

  constructor(path: string) {
    this.#path = path;
  }

  line(number: number, text: string, torn: boolean): void {
    let record: Json;
    try {
      record = parseJson(text, JSON_LIMITS);
    } catch {
      // Written in part when the process or the machine died.
      if (torn && this.#header !== undefined) {
        this.#torn = true;
        return;
      }
      throw noReport(this.#path, number, "it is not JSON");
    }
    const kind = isObject(record) ? record["record"] : undefined;
    if (this.#end !== undefined) throw this.#forged(number, "there is more after the end");
    if (this.#header === undefined) this.#header = this.#headerOf(number, record);
    else if (kind === "trial") this.#trial(number, record as unknown as TrialRecord);
    else if (kind === "end") this.#end = record as unknown as ReportEnd;
    else throw this.#forged(number, `a record of the kind ${shown(kind)} does not belong there`);
  }

  report(): Report {
    if (this.#header === undefined) throw noReport(this.#path, 1, "there is no header");
    const partial = this.#torn || this.#end === undefined ? UNFINISHED : this.#end.partial;
    const missing = this.#end !== undefined && partial === undefined ? this.#missing() : undefined;
    if (missing !== undefined) throw forged(this.#path, missing);
    return {
      header: this.#header,
      trials: this.#trials,
      ...(partial === undefined ? {} : { partial }),
      notes: this.#end?.notes ?? [],
    };
  }

  #trial(number: number, record: TrialRecord): void {
    const header = this.#header;
    if (header === undefined) return;
    const problem = this.#orderProblem(header, record) ?? judged(record, header);
    if (problem === undefined) this.#trials.push(record);
    else throw this.#forged(number, problem);
  }

  /** Trials come scenario by scenario in any order; the numbers of each run from 1. */
  #orderProblem(header: ReportHeader, { scenario, number }: TrialRecord): string | undefined {
    const planned = header.scenarios.find(({ id }) => id === scenario);
    if (planned === undefined) return `the header knows no scenario ${shown(scenario)}`;
    const before = this.#trials.filter((trial) => trial.scenario === scenario);
    if (before.some((trial) => trial.number === number))
      return `trial ${number} of ${shown(scenario)} is there twice`;
    if (!Number.isSafeInteger(number) || number < 1 || number > planned.trials)
      return `trial ${String(number)} of ${shown(scenario)} was never planned`;
    return undefined;
  }

  /** A whole report has every trial, or none but a control that did not pass. */
  #missing(): string | undefined {
    for (const { id, trials } of this.#header?.scenarios ?? []) {
      const found = this.#trials.filter(({ scenario }) => scenario === id).length;
      if (found < trials)
        return `it says that it is whole, but has ${found} of ${trials} trials of ${shown(id)}`;
    }
    return undefined;
  }

  #headerOf(number: number, record: Json): ReportHeader {
    if (!isObject(record) || record["record"] !== "header")
      throw noReport(this.#path, number, "it is no header of a report");
    if (record["schemaVersion"] !== REPORT_VERSION)
      throw noReport(
        this.#path,
        number,
        `its format is ${shown(record["schemaVersion"])}, and this version reads ${REPORT_VERSION}`,
      );
    const { scenarios, tools, workflow, agent } = record;
    const lists = Array.isArray(scenarios) && Array.isArray(tools);
    if (!lists || !isObject(workflow) || !isObject(agent) || record["initialState"] === undefined)
      throw noReport(this.#path, number, "its header is not whole");
    return record as unknown as ReportHeader;
  }

  #forged(line: number, problem: string): Error {
    return forged(this.#path, `line ${line}: ${problem}`);
  }
}

const UNFINISHED = "the report has no end: its run was interrupted, or is still under way";

/** What is wrong with a record; whatever it holds, nothing is thrown. */
function judged(record: TrialRecord, header: ReportHeader): string | undefined {
  try {
    return recordProblem(record, { header, validate: validateSchema });
  } catch (thrown) {
    if (TwiceshyError.is(thrown)) throw thrown;
    return "the record is not one that twiceshy writes";
  }
}

function forged(path: string, problem: string): Error {
  return failure("E_REPORT_FORGED", {
    to: `read the report ${oneLine(path, 300)}`,
    because: `it does not agree with its own evidence: ${problem}`,
    fix: "Use the report as it was written, or run the workflow again",
  });
}

function noReport(path: string, line: number, because: string): Error {
  return failure("E_REPORT_FORMAT", {
    to: `read the report ${oneLine(path, 300)}`,
    because: `line ${line}: ${because}`,
    fix: "Name a report that twiceshy wrote",
  });
}

function shown(value: unknown): string {
  return oneLine(JSON.stringify(value) ?? "undefined", 80);
}
