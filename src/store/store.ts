import type { Verdict } from "../check/verdict.ts";
import type { Failure } from "../detector/detector.ts";
import type { Trace } from "../trace/trace.ts";
import { openSqlite } from "./sqlite.ts";

/** One replay of a repro, as a run of the tests judged it. */
export interface RunVerdict {
  readonly repro: string;
  readonly verdict: Verdict;
  /** Whether an accepted `passes` was lost. */
  readonly regressed: boolean;
  readonly reason: string;
}

/** One run of the generated specs. */
export interface Run {
  readonly agent: string;
  readonly agentVersion: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly verdicts: readonly RunVerdict[];
}

export interface TraceFilter {
  readonly agent?: string;
  /** Only traces that were not looked at yet. */
  readonly undetected?: boolean;
  /** Told of every trace that cannot be read any more; reading goes on with the next one. */
  readonly onDamaged?: (damage: Damage) => void;
}

/** What looking at a trace found. */
export interface Look {
  readonly failures: readonly Failure[];
  /** Digest of what the run did; equal for runs that differ only in ids and times. Default: that of no other run. */
  readonly content?: string;
  /** What the run used up, in tokens; missing when nobody counted. */
  readonly cost?: number;
}

/** A trace that was looked at, without its steps. */
export interface Summary
  extends Look, Pick<Trace, "id" | "agent" | "taskId" | "status" | "startedAt"> {
  readonly content: string;
  /** Whether one of the failures is not low. */
  readonly failing: boolean;
}

/** A text's vector, as an embedder gave it. */
export interface StoredVector {
  readonly text: string;
  readonly vector: Float32Array;
}

/** A trace whose stored bytes are not the ones that were written. */
export interface Damage {
  readonly trace: string;
  readonly because: string;
}

/** A trace that somebody has written down already. */
export interface WrittenTrace {
  readonly trace: Trace;
  /** The trace as JSON, and the SHA-256 of that. */
  readonly body: string;
  readonly hash: string;
}

export interface Added {
  readonly added: number;
  /** Already there with the same content, or with more of the same steps. */
  readonly known: number;
  /** There with fewer of the same steps (a run that was still going on); replaced. */
  readonly extended: number;
  /** Ids that another trace already had; both are kept, this one as `<id>-<hash>`. */
  readonly renamed: readonly string[];
}

export interface StoreStats {
  readonly traces: number;
  readonly undetected: number;
  /** Traces with at least one failure that is not low. */
  readonly failing: number;
  readonly agents: readonly {
    readonly agent: string;
    readonly traces: number;
    readonly failing: number;
  }[];
  /** Failing traces by failure kind, most first; low failures are left out. */
  readonly kinds: readonly { readonly kind: string; readonly traces: number }[];
  readonly runs: number;
  readonly latestRun?: Run;
}

/**
 * The place where traces, their failures and the verdicts of runs are kept; a cache, the committed files are the truth about repros.
 * Traces must be redacted already: the recorder and the readers hand out no others.
 */
export interface Store {
  readonly path: string;
  /** Keeps one trace; makes the store a sink. */
  add(trace: Trace): void;
  /** With `look`, a trace that is new is looked at on the way, and what was found is kept with it. */
  addTraces(traces: Iterable<Trace | WrittenTrace>, look?: (trace: Trace) => Look): Added;
  /** In the order of their ids; a damaged one is told to `onDamaged` and left out. */
  traces(filter?: TraceFilter): Iterable<Trace>;
  saveFailures(found: Iterable<Look & { readonly trace: string }>): void;
  /** Forgets what was found by other rules than these, so that every trace is looked at again; a digest names them. */
  useRules(rules: string): void;
  /** Every trace that was looked at, in the order of the ids; failures only of the failing ones. */
  summaries(): Iterable<Summary>;
  /** One trace, why it cannot be read, or undefined when there is none. */
  trace(id: string): Trace | Damage | undefined;
  /** A text that was kept under a name. */
  note(name: string): string | undefined;
  keepNote(name: string, value: string): void;
  /** Changes with every trace that is added, replaced or looked at. */
  stamp(): string;
  /** The vectors of texts that one model gave; those of another name or dimension are never among them. */
  vectors(model: string, dimensions: number): Iterable<StoredVector>;
  addVectors(model: string, dimensions: number, vectors: Iterable<StoredVector>): void;
  /** What was found in a trace; undefined when it was never looked at. */
  failures(trace: string): readonly Failure[] | undefined;
  addRun(run: Run): void;
  /** Newest first. */
  runs(limit?: number): readonly Run[];
  stats(): StoreStats;
  close(): void;
}

export interface StoreOptions {
  /** How long to wait for another process's write, in milliseconds. Default 10,000. */
  readonly busyMs?: number;
}

/**
 * Opens the store at a path; makes the file (0600) and its folder (0700) when there is none. Synchronous.
 * Throws E_STORE_DRIVER, E_STORE_READONLY, E_STORE_LOCKED, E_STORE_DAMAGED, E_STORE_FOREIGN or E_STORE_VERSION, and then has written nothing.
 */
export function openStore(path: string, options: StoreOptions = {}): Store {
  return openSqlite(path, options);
}
