import { encode } from "../shared/encode.ts";
import { monotonic, now } from "../shared/clock.ts";
import { canonical, isObject, type Json, type JsonObject } from "../shared/json.ts";
import { createRedactor, type Redactor, type RedactOptions } from "../shared/redact.ts";
import { CallLog, redactedError, type CheckedCalls, type RecordLayer } from "./call-log.ts";
import { expectedOf } from "./expected.ts";
import { newTraceId, taskIdOf } from "./identity.ts";
import { openSink, type Sink, type TraceHead, type Writer } from "./sink.ts";
import { describeError } from "./trace-error.ts";
import { totalUsage, usageOf } from "./usage.ts";
import { warnOnce } from "./warn-once.ts";
import type { Step, Trace, TRACE_VERSION, TraceStatus, Usage } from "./trace.ts";

/** The compiler keeps it equal to the schema's; importing that value would load the schema library. */
const VERSION: typeof TRACE_VERSION = "twiceshy.trace/1";

/** What a recorder is made with; everything but the task may be left out. */
export interface RecorderOptions {
  readonly task: unknown;
  /** Name of the agent; default `agent`. */
  readonly agent?: string;
  /** Default `0`. */
  readonly agentVersion?: string;
  /** Groups retries; default: derived from the task's content. */
  readonly taskId?: string | undefined;
  /** Default `live`. */
  readonly source?: string;
  readonly limits?: { readonly toolCalls?: number; readonly ms?: number };
  /** JSON Schema that the output must meet. */
  readonly outputSchema?: unknown;
  /** The right answer: a value, or `{ equals }`, `{ contains }`, `{ matches }`. */
  readonly expected?: unknown;
  readonly sink?: Sink;
  /** What counts as a secret beside the built-in rules; `false` keeps everything as it is. */
  readonly redact?: RedactOptions | boolean | undefined;
  /** Names of the tools that the agent is offered. */
  readonly tools?: readonly string[];
  /** Anything else to keep with the trace. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Told once when the sink fails; the agent never notices. Default: a warning of the process. */
  readonly onWarning?: (message: string) => void;
}

/** What an agent may tell beside a model's response. */
interface ModelAbout {
  readonly prompt?: unknown;
  readonly model?: string;
  readonly usage?: Usage;
}

/** What a replay knows beforehand. */
interface KnownAbout {
  /** In place of one by `options.redact`. */
  readonly redactor?: Redactor;
  /** The task, encoded, and its id as they stand in a file in which this redactor's rules find nothing. */
  readonly checked?: { readonly task: Json; readonly taskId?: string | undefined } | undefined;
}

type Seed<S> = S extends Step ? Omit<S, "index" | "at"> : never;

/**
 * Writes down one agent execution. Every value is copied at the moment it is given and redacted before it is kept or
 * written. No method throws, and none changes the trace once it is finished.
 */
export class Recorder {
  readonly #redactor: Redactor;
  readonly #writer: Writer;
  readonly #head: TraceHead;
  readonly #started = monotonic();
  readonly #steps: Step[] = [];
  readonly #calls: CallLog;
  #output: Json | undefined;
  #usage: Usage | undefined;
  #lost = false;
  #finished: Trace | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: RecorderOptions, known: KnownAbout = {}) {
    this.#redactor = failClosed(known.redactor ?? createRedactor(redactOptions(options.redact)));
    this.#head = this.#headOf(options, known.checked);
    this.#writer = openSink(options.sink, options.onWarning ?? warnOnce);
    this.#writer.open(this.#head);
    this.#calls = new CallLog({
      steps: this.#steps,
      redactor: this.#redactor,
      writer: this.#writer,
      ended: () => this.#finished !== undefined,
    });
    this.#add({ kind: "input", content: this.#head.task });
  }

  /** The layer of the boundary that records every call that passes it; `checked`: see `CheckedCalls`. */
  layer(checked?: CheckedCalls): RecordLayer {
    return this.#calls.layer(checked);
  }

  /** A model's response, with its prompt, name and token usage when they are known. */
  model(response: unknown, about?: ModelAbout): void {
    this.#safely(() => {
      const { prompt, model, usage: told } = about ?? {};
      const usage = usageOf(told);
      this.#add({
        kind: "model",
        content: this.#kept(response),
        ...(model === undefined ? {} : { name: this.#text(model, () => "") }),
        ...(prompt === undefined ? {} : { prompt: this.#kept(prompt) }),
        ...(usage === undefined ? {} : { usage }),
      });
      this.#usage = totalUsage(this.#usage, usage);
    });
  }

  reasoning(text: unknown): void {
    this.#safely(() => this.#add({ kind: "reasoning", content: this.#kept(text) }));
  }

  /** The agent's answer; the last one counts. */
  output(value: unknown): void {
    this.#safely(() => {
      const content = this.#kept(value);
      this.#add({ kind: "output", content });
      this.#output = content;
    });
  }

  /** Whether an answer was given. */
  hasOutput(): boolean {
    return this.#output !== undefined;
  }

  /** Something that was thrown and ended the execution. */
  error(thrown: unknown): void {
    this.#safely(() =>
      this.#add({ kind: "error", error: redactedError(describeError(thrown), this.#redactor) }),
    );
  }

  /**
   * Ends the trace and gives it; later calls give the same one. Without a status: `error` when an error was recorded,
   * `ok` when an output was, else `incomplete`.
   */
  finish(status?: TraceStatus): Trace {
    if (this.#finished !== undefined) return this.#finished;
    this.#calls.flush();
    const failed = this.#steps.some((step) => step.kind === "error");
    const told = this.#output !== undefined ? "ok" : "incomplete";
    // The head is of no more use than to become the trace.
    const trace: Trace = Object.assign(this.#head, {
      status: status ?? (failed ? "error" : told),
      endedAt: now(),
      durationMs: Math.max(0, monotonic() - this.#started),
      steps: this.#steps,
    });
    if (this.#output !== undefined) trace.output = this.#output;
    if (this.#usage !== undefined) trace.usage = this.#usage;
    this.#mark(trace);
    this.#finished = trace;
    this.#closing = this.#writer.close(trace);
    this.#mark(trace);
    return trace;
  }

  /** Resolves when the sink has taken the finished trace. */
  async written(): Promise<void> {
    await this.#closing;
    if (this.#finished !== undefined) this.#mark(this.#finished);
  }

  /** Runs a write of the agent's; one that fails is a mark in the trace, never the agent's matter. */
  #safely(write: () => void): void {
    if (this.#finished !== undefined) return;
    try {
      write();
    } catch {
      this.#lost = true;
    }
  }

  #mark(trace: Trace): void {
    const problem = this.#writer.problem() ?? (this.#lost ? "step_lost" : undefined);
    if (problem !== undefined) trace.truncated = problem;
  }

  #add(seed: Seed<Step>): void {
    // The seed is of no more use than to become the step.
    const step: Step = Object.assign(seed, { index: this.#steps.length, at: now() });
    this.#steps.push(step);
    this.#writer.step(step);
  }

  #kept(value: unknown): Json {
    return this.#redactor.value(encode(value));
  }

  /** A name that the caller gives; JavaScript gives numbers, too. */
  #text(given: unknown, otherwise: () => string): string {
    if (given === undefined || given === null) return otherwise();
    const text = typeof given === "string" ? given : canonical(encode(given));
    return this.#redactor.text(text);
  }

  #headOf(options: RecorderOptions, checked: KnownAbout["checked"]): TraceHead {
    const task = checked === undefined ? this.#kept(options.task) : checked.task;
    const { limits, outputSchema, expected, tools, meta } = options;
    const head: TraceHead = {
      schemaVersion: VERSION,
      id: newTraceId(),
      taskId: checked?.taskId ?? this.#text(options.taskId, () => taskIdOf(task)),
      task,
      agent: this.#text(options.agent, () => "agent"),
      agentVersion: this.#text(options.agentVersion, () => "0"),
      source: this.#text(options.source, () => "live"),
      startedAt: now(),
    };
    if (tools !== undefined) head.tools = tools.length > 1 ? [...tools].sort() : [...tools];
    if (limits !== undefined) head.limits = budgets(limits);
    if (outputSchema !== undefined) head.outputSchema = encode(outputSchema);
    if (expected !== undefined) head.expected = expectedOf(this.#kept(expected));
    if (meta !== undefined) head.meta = objectOf(this.#kept(meta));
    return head;
  }
}

function redactOptions(given: RedactOptions | boolean | undefined): RedactOptions {
  if (given === undefined || given === true) return {};
  return given === false ? { off: true } : given;
}

/** What cannot be looked through is not kept, and the agent does not notice. */
function failClosed(redactor: Redactor): Redactor {
  return {
    value(json) {
      try {
        return redactor.value(json);
      } catch {
        return UNREADABLE;
      }
    },
    text(text) {
      try {
        return redactor.text(text);
      } catch {
        return UNREADABLE;
      }
    },
    hasLearnt: redactor.hasLearnt,
  };
}

const UNREADABLE = "[redacted:unreadable]";

function objectOf(value: Json): JsonObject {
  return isObject(value) ? value : { value };
}

/** Only what the format can hold: an endless budget is none. */
function budgets({
  toolCalls,
  ms,
}: NonNullable<RecorderOptions["limits"]>): NonNullable<Trace["limits"]> {
  const kept: NonNullable<Trace["limits"]> = {};
  if (toolCalls !== undefined && Number.isSafeInteger(toolCalls) && toolCalls >= 0)
    kept.toolCalls = toolCalls;
  if (ms !== undefined && Number.isFinite(ms) && ms >= 0) kept.ms = ms;
  return kept;
}
