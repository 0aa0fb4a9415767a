import type { Check } from "../check/check.ts";
import type { Fault } from "../fault/fault.ts";
import type { Json } from "../shared/json.ts";
import type { Trial } from "./trial-result.ts";
import type { TrialClock } from "./workflow.ts";

export const REPORT_VERSION = "twiceshy.report/1";

/**
 * The first record of a report file. A report is JSON lines, written trial by trial: one header, one record for each trial (the control first),
 * one end. A file without its end is partial, and is read as such. Each line ends with its digest (see `Chain`), which no record holds.
 * The conditions of all trials are data here, and every digest of them is made again by whoever reads.
 */
export interface ReportHeader {
  readonly record: "header";
  readonly schemaVersion: typeof REPORT_VERSION;
  readonly workflow: {
    readonly id: string;
    readonly title?: string;
    readonly task: Json;
    readonly limits: ReportedLimits;
    readonly clock: Required<TrialClock> | "real";
    readonly checks: readonly ReportedCheck[];
  };
  readonly agent: { readonly id: string; readonly version: string };
  /** Digest of what two reports must share: task, world (with its code), limits, clock, workflow checks; without titles and labels. */
  readonly fingerprint: string;
  readonly commit?: string;
  /** Epoch milliseconds; the only volatile member, left out when a fixed report is asked for. */
  readonly createdAt?: number;
  /** The world's digest (start state and code), and the one of the start state as it is written here. */
  readonly world: { readonly digest: string; readonly initialState: string };
  readonly initialState: Json;
  readonly tools: readonly { readonly name: string; readonly kind: "read" | "write" }[];
  /** The control, then every scenario. */
  readonly scenarios: readonly ReportedScenario[];
}

/** A check as data; of a function only the digest of its source is known, so that its result cannot be judged again. */
export type ReportedCheck = Check & { readonly id: string; readonly label?: string };

export interface ReportedLimits {
  readonly toolCalls: number;
  /** Null: no limit. */
  readonly repeatedCalls: number | null;
  readonly ms: number;
}

/** One scenario with the conditions of its trials. */
export interface ReportedScenario {
  readonly id: string;
  readonly title: string;
  /** Digest of its faults, checks, task and limits, made before secrets were taken out. */
  readonly digest: string;
  readonly trials: number;
  readonly faults: readonly Fault[];
  readonly checks: readonly ReportedCheck[];
  readonly limits: ReportedLimits;
  /** Where it is not the workflow's. */
  readonly task?: Json;
}

/** One trial as data. Its final state is the start state and the mutations; it is not kept. */
export interface TrialRecord extends Pick<
  Trial,
  | "verdict"
  | "reason"
  | "issue"
  | "faults"
  | "checks"
  | "events"
  | "completion"
  | "toolCalls"
  | "clock"
  | "notes"
> {
  readonly record: "trial";
  readonly scenario: string;
  /** From 1. */
  readonly number: number;
  /** Where it is not the header's: the workflow makes a world for each trial. */
  readonly initialState?: Json;
}

export interface ReportEnd {
  readonly record: "end";
  /** Why trials are missing, when they are. */
  readonly partial?: string;
  readonly notes?: readonly string[];
}

/** A whole report, as it is read back: every verdict recomputed. */
export interface Report {
  readonly header: ReportHeader;
  readonly trials: readonly TrialRecord[];
  readonly partial?: string;
  readonly notes: readonly string[];
}
