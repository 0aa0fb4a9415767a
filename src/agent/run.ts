import { deadline, monotonic } from "../shared/clock.ts";
import { within } from "../boundary/ambient.ts";
import { boundary as compose, type Boundary } from "../boundary/boundary.ts";
import type { InstrumentOptions } from "../boundary/instrument.ts";
import { isRefusal, limits as limitCalls } from "../boundary/limits.ts";
import { isStream } from "../boundary/stream.ts";
import { errorOf } from "../boundary/tool-error.ts";
import type { Recorder } from "../trace/recorder.ts";
import type { Agent, Tools } from "./agent.ts";
import { contextOf, isNames } from "./context.ts";

/** What an agent is run with. */
export interface ExecuteOptions extends InstrumentOptions {
  readonly recorder: Recorder;
  /** What answers and records the calls; the budgets are put before it here. */
  readonly boundary: Boundary;
  /** Live tools; or, in a replay, the names of the tools that the boundary answers itself. Default: none. */
  readonly tools?: Tools | readonly string[];
  /** Calls, and milliseconds. */
  readonly limits?: { readonly toolCalls?: number; readonly ms?: number };
  /** Ends the execution from outside. */
  readonly signal?: AbortSignal | undefined;
}

/** How an execution ended. */
type Ending =
  | { readonly kind: "returned"; readonly value: unknown }
  | { readonly kind: "threw"; readonly thrown: unknown }
  | { readonly kind: "timeout" | "overrun" | "aborted" };

/** An agent that was told that its budget is used up has this long to answer with what it has. */
const GRACE_MS = 1000;

/**
 * Runs an agent inside a boundary and writes its output, error or timeout into the recorder, then finishes the trace.
 * Never throws. When it resolves the agent may still be running: its later calls are refused and change nothing.
 */
export async function execute(agent: Agent, task: unknown, options: ExecuteOptions): Promise<void> {
  const { recorder } = options;
  const execution = new Execution(options);
  try {
    const ending = await execution.start(agent, task);
    execution.end(ending);
    conclude(recorder, ending, execution.overrun);
    if (ending.kind === "timeout") recorder.error(timeoutError(options.limits?.ms));
    recorder.finish(statusOf(ending, execution.overrun));
  } catch (thrown) {
    recorder.error(thrown);
    recorder.finish("error");
  } finally {
    execution.close();
  }
}

/** One execution under way: its budgets and its end. */
class Execution {
  readonly #options: ExecuteOptions;
  /** Tells the agent to stop; made when it asks for the signal, as few do. */
  #cancel: AbortController | undefined;
  #cancelled: { readonly reason: unknown } | undefined;
  /** Once it is aborted, late calls are refused. */
  readonly #over = { aborted: false };
  readonly #cleanups: (() => void)[] = [];
  #end: (ending: Ending) => void = () => undefined;
  /** The refusal of the first call beyond the budget. */
  overrun: Error | undefined;

  constructor(options: ExecuteOptions) {
    this.#options = options;
  }

  /** Starts the agent; resolves when it has ended, or its time has. */
  start(agent: Agent, task: unknown): Promise<Ending> {
    const { limits, signal } = this.#options;
    const until = limits?.ms === undefined ? undefined : monotonic() + limits.ms;
    const ending = new Promise<Ending>((resolve) => {
      this.#end = resolve;
    });
    if (limits?.ms !== undefined)
      this.#cleanups.push(deadline(limits.ms, () => this.#end({ kind: "timeout" })));
    if (signal !== undefined) this.#watch(signal);
    const boundary = this.#limited(until);
    const { recorder, tools = {}, writes, params } = this.#options;
    const signalOf = (): AbortSignal => this.#signal();
    const context = contextOf({ boundary, tools, recorder, signalOf, writes, params });
    within(boundary, () =>
      this.#run(
        () => (agent as (task: unknown, context: unknown) => unknown)(task, context),
        until,
      ),
    );
    return ending;
  }

  /** From now on calls are refused, and an agent that still runs is told to stop. */
  end(ending: Ending): void {
    this.#over.aborted = true;
    if (ending.kind !== "returned" && ending.kind !== "threw") this.#stop();
  }

  #signal(): AbortSignal {
    if (this.#cancel === undefined) {
      this.#cancel = new AbortController();
      if (this.#cancelled !== undefined) this.#cancel.abort(this.#cancelled.reason);
    }
    return this.#cancel.signal;
  }

  #stop(reason?: Error): void {
    this.#cancelled ??= { reason };
    this.#cancel?.abort(reason);
  }

  close(): void {
    for (const cleanup of this.#cleanups) cleanup();
  }

  /** The boundary with the budgets before it. */
  #limited(until: number | undefined): Boundary {
    const { boundary, limits, tools = {} } = this.#options;
    const layer = limitCalls({
      toolCalls: limits?.toolCalls,
      until,
      signal: this.#over,
      onRefused: (error) => this.#refused(error),
    });
    const { call } = compose([layer], boundary.call);
    return { call, nextId: boundary.nextId, runs: isNames(tools) ? "replay" : "record" };
  }

  #refused(error: Error): void {
    const code = "code" in error ? error.code : undefined;
    if (code === "E_TIME_BUDGET") this.#end({ kind: "timeout" });
    if (code !== "E_CALL_BUDGET" || this.overrun !== undefined) return;
    this.overrun = error;
    this.#stop(error);
    this.#cleanups.push(deadline(GRACE_MS, () => this.#end({ kind: "overrun" })));
  }

  #watch(signal: AbortSignal): void {
    const abort = (): void => this.#end({ kind: "aborted" });
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    this.#cleanups.push(() => signal.removeEventListener("abort", abort));
  }

  /** Starts the agent; whatever comes of it ends the execution, unless that has ended before. */
  #run(run: () => unknown, until: number | undefined): void {
    const settle = async (): Promise<void> => {
      try {
        const value = await run();
        this.#end({
          kind: "returned",
          value: isStream(value) ? await this.#drained(value, until) : value,
        });
      } catch (thrown) {
        this.#end({ kind: "threw", thrown });
      }
    };
    void settle();
  }

  /** Reads a streamed answer to its end: joined when it is text, else its chunks. */
  async #drained(stream: object, until: number | undefined): Promise<unknown> {
    const chunks: unknown[] = [];
    for await (const chunk of stream as AsyncIterable<unknown>) {
      if (this.#over.aborted) return undefined;
      if (until !== undefined && monotonic() >= until) {
        this.#end({ kind: "timeout" });
        return undefined;
      }
      chunks.push(chunk);
    }
    return chunks.every((chunk) => typeof chunk === "string") ? chunks.join("") : chunks;
  }
}

function conclude(recorder: Recorder, ending: Ending, overrun: Error | undefined): void {
  if (ending.kind === "returned" && ending.value !== undefined && !recorder.hasOutput())
    recorder.output(ending.value);
  if (ending.kind === "threw" && !isRefusal(ending.thrown)) recorder.error(ending.thrown);
  if (ending.kind === "aborted")
    recorder.error(
      errorOf({ name: "AbortError", message: "the execution was ended from outside" }),
    );
  const refusal =
    overrun ?? (ending.kind === "threw" && isRefusal(ending.thrown) ? ending.thrown : undefined);
  if (refusal !== undefined && ending.kind !== "timeout") recorder.error(refusal);
}

function statusOf(
  ending: Ending,
  overrun: Error | undefined,
): "ok" | "error" | "timeout" | "incomplete" {
  if (overrun !== undefined || ending.kind === "timeout" || ending.kind === "overrun")
    return "timeout";
  if (ending.kind === "aborted") return "incomplete";
  if (ending.kind === "threw") return isRefusal(ending.thrown) ? "timeout" : "error";
  return "ok";
}

function timeoutError(ms: number | undefined): Error {
  const message = `Timeout: the agent was still running after ${ms ?? 0} ms`;
  return errorOf({ name: "Timeout", code: "E_AGENT_TIMEOUT", message });
}
