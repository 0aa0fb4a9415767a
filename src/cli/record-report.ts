import type { Confidence, Failure } from "../detector/detector.ts";
import type { ReadItem } from "../importer/importer.ts";

/** What is said of one record of a trace file. */
export interface RecordReport {
  /** As it was typed, or below the folder that was. */
  readonly file: string;
  /** What the file calls it; else its number, from 0; null when the file is one record. */
  readonly record: string | number | null;
  readonly format: string | null;
  readonly failing: boolean;
  readonly failures: readonly Shown[];
  /** Why it could not be read; null when it could. */
  readonly error: string | null;
  /** Why it is no run of its own, though nothing is wrong with it. */
  readonly skipped?: string;
  /** Why the judge, who was to be asked, said nothing of it. */
  readonly unjudged?: string;
}

/** A failure as it is shown. */
export type Shown = Pick<Failure, "kind" | "severity" | "message"> & {
  readonly step: number | null;
  /** How sure it is that the run failed by it; missing for a judge's, whose severity says so. */
  readonly confidence?: Confidence;
  /** Only where no rule of ours found it. */
  readonly detector?: "judge";
};

/** A record that was read, and what is said of it. */
export interface Reported {
  readonly item: ReadItem;
  readonly report: RecordReport;
}
