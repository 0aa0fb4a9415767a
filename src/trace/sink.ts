import { closeSync, fstatSync, mkdirSync, openSync, readSync, statSync, writeSync } from "node:fs";
import path from "node:path";
import { failure, messageOf } from "../shared/error.ts";
import { isPromiseLike } from "./promise-like.ts";
import type { Step, ToolStep, Trace } from "./trace.ts";

/**
 * Where traces go: the path of a JSONL file (each step is written as it happens), an object with `add`, as a store has,
 * or any function. The last two get whole traces.
 *
 * A JSONL file holds two shapes of lines, each one JSON value ended by LF:
 * - a whole trace: the `Trace` object itself;
 * - a trace while it happens, joined by `traceId`:
 *   `{"schemaVersion":"twiceshy.trace/1","traceId":"tr_…","open":{…the trace without id, steps and what `close` tells…}}`,
 *   `{"traceId":"tr_…","step":{…Step…}}` at each step, a tool call at its invocation,
 *   `{"traceId":"tr_…","more":{"index":3,"result":{…},"durationMs":4,"settled":0,…}}` when a call is answered,
 *   `{"traceId":"tr_…","close":{"status":"ok","endedAt":…,"durationMs":…,"output":…,"usage":{…},"truncated":"…"}}`.
 * Lines of several traces may be mixed. `assemble` makes traces of them; a killed process loses at most the line that
 * it was writing, and the next writer closes that torn line with an LF first.
 */
export type Sink = string | { add(trace: Trace): unknown } | ((trace: Trace) => unknown);

/** What is known when a trace begins. */
export type TraceHead = Omit<
  Trace,
  "steps" | "status" | "output" | "endedAt" | "durationMs" | "usage" | "truncated"
>;
/** What a tool step is given after its invocation. */
export type StepMore = { index: number } & Partial<
  Pick<ToolStep, "result" | "durationMs" | "batch" | "settled" | "sync">
>;

/** Writes one trace. No member ever throws. */
export interface Writer {
  open(head: TraceHead): void;
  step(step: Step): void;
  more(more: StepMore): void;
  /** Resolves when the sink has taken the trace; undefined when it has already. */
  close(trace: Trace): Promise<void> | undefined;
  /** Why the trace is not whole in the sink, as `disk_full`; undefined while all is well. */
  problem(): string | undefined;
}

/** A sink that appends each whole trace to a JSONL file as one line. */
export function traceLines(file: string): { add(trace: Trace): void } {
  return {
    add(trace) {
      const fd = openAppend(file);
      try {
        append(fd, trace);
      } finally {
        closeSync(fd);
      }
    },
  };
}

/** Opens a sink for one trace. A sink that fails is given up for that trace, with one warning. */
export function openSink(sink: Sink | undefined, warn: (message: string) => void): Writer {
  if (sink === undefined) return NOWHERE;
  const raw = rawWriter(sink);
  let problem: string | undefined;
  const fail = (error: unknown): void => {
    if (problem !== undefined) return;
    problem = problemOf(error);
    const where = typeof sink === "string" ? `the file ${sink}` : "its sink";
    attempt(() => {
      warn(
        `Failed to write a trace to ${where}: ${messageOf(error).replace(/\.$/, "")}. The agent goes on; the trace is marked as truncated.`,
      );
    });
  };
  const attempt = (write: () => unknown, onError?: (error: unknown) => void): unknown => {
    try {
      return write();
    } catch (error) {
      onError?.(error);
      return undefined;
    }
  };
  const guarded = (write: () => unknown): unknown =>
    problem === undefined ? attempt(write, fail) : undefined;
  return {
    open: (head) => void guarded(() => raw.open?.(head)),
    step: (step) => void guarded(() => raw.step?.(step)),
    more: (more) => void guarded(() => raw.more?.(more)),
    close(trace) {
      const closing = guarded(() => raw.close(trace));
      attempt(() => raw.release?.());
      return isPromiseLike(closing)
        ? Promise.resolve(closing).then(() => undefined, fail)
        : undefined;
    },
    problem: () => problem,
  };
}

/** A replay's trace is kept by nobody. */
const NOWHERE: Writer = {
  open: () => undefined,
  step: () => undefined,
  more: () => undefined,
  close: () => undefined,
  problem: () => undefined,
};

interface RawWriter {
  open?(head: TraceHead): void;
  step?(step: Step): void;
  more?(more: StepMore): void;
  close(trace: Trace): unknown;
  release?(): void;
}

function rawWriter(sink: Sink): RawWriter {
  if (typeof sink === "string") return stepWriter(sink);
  if (typeof sink === "function") return { close: (trace) => sink(trace) };
  if (typeof sink === "object" && sink !== null && typeof sink.add === "function")
    return { close: (trace) => sink.add(trace) };
  const refuse = (): never => {
    throw failure("E_SINK_KIND", {
      to: "open a sink for traces",
      because: `${sink === null ? "null" : `a value of type ${typeof sink}`} is none`,
      fix: "Give the path of a JSONL file, an object with add(trace), or a function of a trace",
    });
  };
  return { open: refuse, close: refuse };
}

function stepWriter(file: string): RawWriter {
  let fd: number | undefined;
  let traceId = "";
  const line = (record: object): void => {
    if (fd !== undefined) append(fd, record);
  };
  return {
    open({ id, schemaVersion, ...head }) {
      fd = openAppend(file);
      traceId = id;
      line({ schemaVersion, traceId, open: head });
    },
    step: (step) => line({ traceId, step }),
    more: (more) => line({ traceId, more }),
    close: ({ status, endedAt, durationMs, output, usage, truncated }) =>
      line({ traceId, close: { status, endedAt, durationMs, output, usage, truncated } }),
    release() {
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
    },
  };
}

/** Opens a file for appending, for its owner only, and closes a torn last line. */
function openAppend(file: string): number {
  refuseSpecial(file);
  mkdirSync(path.dirname(path.resolve(file)), { recursive: true, mode: 0o700 });
  const fd = openSync(file, "a+", 0o600);
  try {
    const { size } = fstatSync(fd);
    const last = Buffer.alloc(1);
    if (size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a)
      writeAll(fd, Buffer.from("\n"));
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** A pipe or device would block for ever, or swallow the trace. */
function refuseSpecial(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined || stats.isFile()) return;
  throw failure("E_SINK_FILE", {
    to: `write traces to ${file}`,
    because: stats.isDirectory() ? "it is a folder" : "it is no regular file",
    fix: "Give the path of a JSONL file, as .twiceshy/traces/agent.jsonl",
  });
}

/** One system call a line, so that lines of several writers do not mix. */
function append(fd: number, record: object): void {
  writeAll(fd, Buffer.from(`${JSON.stringify(record)}\n`));
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
}

function problemOf(error: unknown): string {
  const code =
    typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  if (code === "ENOSPC" || code === "EDQUOT") return "disk_full";
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") return "not_writable";
  return "sink_failed";
}
