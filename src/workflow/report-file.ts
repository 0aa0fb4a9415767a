import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { withOwnSecrets } from "../shared/environment.ts";
import { failure, messageOf } from "../shared/error.ts";
import { same, type Json } from "../shared/json.ts";
import { createRedactor, type Redactor, type RedactOptions } from "../shared/redact.ts";
import { oneLine } from "../shared/text.ts";
import { validateOf } from "./finished-trial.ts";
import { Chain } from "./chain.ts";
import { recordOf, underHeader } from "./record.ts";
import { redactHeader, redactRecord } from "./redact-report.ts";
import { settleRecord } from "./settle-record.ts";
import type { ReportEnd, ReportHeader } from "./report.ts";
import type { Trial } from "./trial-result.ts";

/** A place for a report that is taken, and still empty. */
export interface ReportPlace {
  readonly path: string;
  /** Open for writing. */
  readonly descriptor: number;
  /** Gives the place up again: the empty file is removed. */
  release(): void;
}

/** A report that is being written, a line for each trial. */
export interface ReportWriter {
  /** Writes a trial down, redacted; `number` counts from 1 in its scenario. Never throws. */
  add(trial: Trial, number: number, about?: AddOptions): void;
  /** Writes the end; without one the report is partial. */
  end(partial?: string, notes?: readonly string[]): void;
  /** Why the report is not whole: the disk is full, for instance. */
  readonly problem: string | undefined;
}

interface AddOptions {
  /** That the trial began with the header's state is known. */
  readonly sameStart?: boolean;
}

/** How a report is written. */
export interface ReportOptions {
  /** What is redacted beside the built-in rules and the process's own secrets; `false` keeps everything. */
  readonly redact?: RedactOptions | false;
}

/**
 * Takes the place of a report before anything is run. Never overwrites: E_REPORT_EXISTS when there is something. Makes missing folders.
 */
export function reserveReport(path: string): ReportPlace {
  let descriptor: number;
  try {
    mkdirSync(dirname(path), { recursive: true });
    descriptor = openSync(path, "wx", 0o600);
  } catch (thrown) {
    throw notReserved(path, thrown);
  }
  return {
    path,
    descriptor,
    release() {
      closeSync(descriptor);
      rmSync(path, { force: true });
    },
  };
}

/** Opens a report at a path that is free, or at a place that was taken before, and writes its header. Throws E_REPORT_*. */
export async function openReport(
  place: string | ReportPlace,
  header: ReportHeader,
  options: ReportOptions = {},
): Promise<ReportWriter> {
  const taken = typeof place === "string" ? reserveReport(place) : place;
  const redact = withOwnSecrets(options.redact);
  const redactor = createRedactor(redact === false ? { off: true } : redact);
  const writer = new Writer(taken, header, redactor);
  writer.open();
  return writer;
}

/** Writes lines as they come: what is written is there whatever happens to the process. */
class Writer implements ReportWriter {
  problem: string | undefined;
  readonly #place: ReportPlace;
  readonly #given: ReportHeader;
  readonly #header: ReportHeader;
  readonly #redactor: Redactor;
  readonly #chain = new Chain();
  #trials = 0;
  #closed = false;

  constructor(place: ReportPlace, header: ReportHeader, redactor: Redactor) {
    this.#place = place;
    this.#given = header;
    this.#redactor = redactor;
    this.#header = redactHeader(header, redactor);
  }

  open(): void {
    this.#line(this.#header);
  }

  add(trial: Trial, number: number, { sameStart = false }: AddOptions = {}): void {
    if (this.#closed) return;
    this.#trials++;
    const own = sameStart ? undefined : this.#ownStart(trial);
    const record = underHeader(recordOf(trial, number, own), this.#given);
    const redacted = underHeader(redactRecord(record, this.#redactor), this.#header);
    const validate = validateOf(trial);
    this.#line(settleRecord(redacted, record, { header: this.#header, validate }));
  }

  end(partial?: string, notes: readonly string[] = []): void {
    if (this.#closed) return;
    const why = partial ?? this.#missing();
    const end: ReportEnd = {
      record: "end",
      ...(why === undefined ? {} : { partial: why }),
      ...(notes.length === 0 ? {} : { notes }),
    };
    this.#line(this.#redactor.value(end as unknown as Json) as object);
    this.#closed = true;
    closeSync(this.#place.descriptor);
  }

  #missing(): string | undefined {
    const planned = this.#given.scenarios.reduce((sum, { trials }) => sum + trials, 0);
    return this.#trials < planned ? `${this.#trials} of ${planned} trials were run` : undefined;
  }

  /** The start state, where it is another than the header's. */
  #ownStart(trial: Trial): Json | undefined {
    const initialState = trial.initialState as Json;
    const common = this.#given.initialState;
    return initialState === common || same(initialState, common) ? undefined : initialState;
  }

  #line(record: object): void {
    if (this.problem !== undefined) return;
    try {
      const bytes = Buffer.from(`${this.#chain.seal(record)}\n`);
      for (let from = 0; from < bytes.length;)
        from += writeSync(this.#place.descriptor, bytes, from);
    } catch (thrown) {
      this.problem = `the report is not whole: ${oneLine(messageOf(thrown), 300)}`;
    }
  }
}

function notReserved(path: string, thrown: unknown): Error {
  const shown = oneLine(path, 300);
  const exists =
    typeof thrown === "object" && thrown !== null && "code" in thrown && thrown.code === "EEXIST";
  if (exists)
    return failure("E_REPORT_EXISTS", {
      to: `write a report to ${shown}`,
      because: "there is something already, and a report never overwrites",
      fix: "Choose another path, or move the old report away",
    });
  return failure("E_REPORT_PLACE", {
    to: `write a report to ${shown}`,
    because: oneLine(messageOf(thrown), 300),
    fix: "Choose a path that can be written",
    cause: thrown,
  });
}
