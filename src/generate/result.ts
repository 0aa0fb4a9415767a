import type { Problem } from "./problem.ts";

/** What a generation found and did. Paths are absolute. */
export interface GenerateResult {
  /** Files that were written, in that order: repros before the specs that read them. */
  readonly written: readonly string[];
  /** Specs without any test left. */
  readonly removed: readonly string[];
  /** In CI, where nothing is written: the files that would be written or removed. */
  readonly stale: readonly string[];
  /** Whether every file is on disk as it should be; when not, a problem says why. */
  readonly complete: boolean;
  readonly agents: readonly GeneratedAgent[];
  /** Errors first, then notices; within them in the order of the input. */
  readonly problems: readonly Problem[];
  readonly counts: Counts;
  /** Files outside the traces and specs that were looked at, there or not. */
  readonly inputs: readonly string[];
}

/** The files of one agent. */
export interface GeneratedAgent {
  readonly agent: string;
  readonly repros: string;
  readonly specs: readonly string[];
}

export interface Counts {
  readonly traces: number;
  readonly failing: number;
  /** Records that should have been traces and could not be read. */
  readonly unread: number;
  /** Failing traces that gave no repro. */
  readonly unproved: number;
  /** Failing traces beyond what `repros.most` allows, counted with the repros of their cause. */
  readonly others: number;
  /** Repros in the files, of every status. */
  readonly repros: number;
  readonly pending: number;
  /** Repros that wait for an expected answer. */
  readonly waiting: number;
  readonly clusters: number;
}
