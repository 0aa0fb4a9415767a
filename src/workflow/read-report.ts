import { failure, TwiceshyError } from "../shared/error.ts";
import { validateSchema } from "../shared/json-schema.ts";
import { isObject, type Json } from "../shared/json.ts";
import { readLines } from "../shared/lines.ts";
import { parseJson } from "../shared/parse.ts";
import { oneLine } from "../shared/text.ts";
import { Chain } from "./chain.ts";
import { headerProblem } from "./header-problem.ts";
import { recordProblem } from "./record-problem.ts";
import { REPORT_VERSION, type Report, type ReportEnd } from "./report.ts";
import type { ReportHeader, TrialRecord } from "./report.ts";

/** A line holds a whole trial, and the header a whole state; whatever we can write can be read. */
const LONGEST_LINE = 512 * 1024 * 1024;
const JSON_LIMITS = { depth: 400, nodes: 50_000_000 };

/**
 * Reads a report and judges everything in it again: digests, conditions, ids, times, states, checks, faults, verdicts. A line that was
 * edited, and a report that says otherwise than its evidence, are refused with the line (E_REPORT_FORGED); one that is no report, too (E_REPORT_FORMAT). A torn tail or a missing end makes
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
  readonly #chain = new Chain();
  #header: ReportHeader | undefined;
  readonly #trials: TrialRecord[] = [];
  readonly #counts = new Map<string, number>();
  #end: ReportEnd | undefined;
  #torn = false;

  constructor(path: string) {
    this.#path = path;
  }

  line(number: number, text: string, torn: boolean): void {
    const { body, problem } = this.#chain.open(text);
    let record: Json;
    try {
      record = parseJson(body, JSON_LIMITS);
    } catch {
      // Written in part when the process or the machine died.
      if (torn && this.#header !== undefined) {
        this.#torn = true;
        return;
      }
      throw noReport(this.#path, number, "it is not JSON");
    }
    if (this.#header === undefined) requireHeader(this.#path, number, record);
    if (problem !== undefined) throw this.#forged(number, this.#told(problem, record));
    const kind = isObject(record) ? record["record"] : undefined;
    if (this.#end !== undefined) throw this.#forged(number, "there is more after the end");
    if (this.#header === undefined)
      this.#header = this.#headerOf(number, record as unknown as ReportHeader);
    else if (kind === "trial") this.#trial(number, record as unknown as TrialRecord);
    else if (kind === "end") this.#end = this.#endOf(number, record as unknown as ReportEnd);
    else throw this.#forged(number, `a record of the kind ${shown(kind)} does not belong there`);
  }

  /** What a line that was edited says otherwise than its evidence tells most. */
  #told(problem: string, record: Json): string {
    const header = this.#header;
    if (header === undefined || !isObject(record) || record["record"] !== "trial") return problem;
    const said = judged(record as unknown as TrialRecord, header);
    return said === undefined ? problem : `${problem}; ${said}`;
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

  /** Scenarios may come in any order, as tests that run side by side end; the numbers of each run from 1 without a gap. */
  #orderProblem(header: ReportHeader, { scenario, number }: TrialRecord): string | undefined {
    const planned = header.scenarios.find(({ id }) => id === scenario);
    if (planned === undefined) return `the header knows no scenario ${shown(scenario)}`;
    const before = this.#counts.get(scenario) ?? 0;
    if (Number.isSafeInteger(number) && number >= 1 && number <= before)
      return `trial ${number} of ${shown(scenario)} is there twice`;
    if (number !== before + 1)
      return `trial ${String(number)} of ${shown(scenario)} comes where ${before + 1} is to come`;
    if (number > planned.trials) return `trial ${number} of ${shown(scenario)} was never planned`;
    this.#counts.set(scenario, number);
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

  #headerOf(number: number, header: ReportHeader): ReportHeader {
    const problem = whatever(() => headerProblem(header));
    if (problem !== undefined) throw this.#forged(number, problem);
    return header;
  }

  #endOf(number: number, end: ReportEnd): ReportEnd {
    const { partial = "", notes = [] } = end;
    if (typeof partial !== "string" || !Array.isArray(notes))
      throw this.#forged(number, "its end is not one that twiceshy writes");
    return end;
  }

  #forged(line: number, problem: string): Error {
    return forged(this.#path, `line ${line}: ${problem}`);
  }
}

const UNFINISHED = "the report has no end: its run was interrupted, or is still under way";

function judged(record: TrialRecord, header: ReportHeader): string | undefined {
  return whatever(() => recordProblem(record, { header, validate: validateSchema }));
}

/** What is wrong with a record; whatever it holds, nothing is thrown. */
function whatever(problemOf: () => string | undefined): string | undefined {
  try {
    return problemOf();
  } catch (thrown) {
    if (TwiceshyError.is(thrown)) throw thrown;
    return "the record is not one that twiceshy writes";
  }
}

/** What is no report at all, and what another version wrote. */
function requireHeader(path: string, number: number, record: Json): void {
  if (!isObject(record) || record["record"] !== "header")
    throw noReport(path, number, "it is no header of a report");
  if (record["schemaVersion"] === REPORT_VERSION) return;
  const format = shown(record["schemaVersion"]);
  throw noReport(path, number, `its format is ${format}, and this version reads ${REPORT_VERSION}`);
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
