import type { Json } from "../shared/json.ts";
import type { Trial } from "./trial-result.ts";

export const REPORT_VERSION = "twiceshy.report/1";

/**
 * The first record of a report file. A report is JSON lines, written trial by trial: one header, one record for each trial (the control first),
 * one end. A file without its end is partial, and is read as such.
 */
export interface ReportHeader {
  readonly record: "header";
  readonly schemaVersion: typeof REPORT_VERSION;
  readonly workflow: { readonly id: string; readonly title?: string; readonly task: Json };
  readonly agent: { readonly id: string; readonly version: string };
  /** Digest of what two reports must share: task, world (with its code), limits, clock, workflow checks; without titles and labels. */
  readonly fingerprint: string;
  readonly commit?: string;
  /** Epoch milliseconds; the only volatile member, left out when a fixed report is asked for. */
  readonly createdAt?: number;
  readonly initialState: Json;
  readonly tools: readonly { readonly name: string; readonly kind: "read" | "write" }[];
  /** The control, then every scenario, with a digest of its own conditions (faults, checks, task, limits). */
  readonly scenarios: readonly {
    readonly id: string;
    readonly title: string;
    readonly digest: string;
    readonly trials: number;
    /** Where it is not the workflow's. */
    readonly task?: Json;
  }[];
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
