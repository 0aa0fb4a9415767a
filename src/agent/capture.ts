import { join } from "node:path";
import { decode } from "../shared/encode.ts";
import { messageOf } from "../shared/error.ts";
import { withOwnSecrets } from "../shared/environment.ts";
import { slug } from "../shared/text.ts";
import { ambient, within } from "../boundary/ambient.ts";
import { answerVia, boundary, isPromise, type Boundary } from "../boundary/boundary.ts";
import { isRefusal, limits } from "../boundary/limits.ts";
import { isRecordedStream, isStream, tapStream } from "../boundary/stream.ts";
import { rebuildError } from "../boundary/tool-error.ts";
import { growingOf } from "../trace/growing.ts";
import { Recorder, type RecorderOptions } from "../trace/recorder.ts";
import type { Sink } from "../trace/sink.ts";
import type { ToolResult } from "../trace/trace.ts";
import { warnOnce } from "../trace/warn-once.ts";
import type { AgentRecorder } from "./agent.ts";
import { wordsOf } from "./context.ts";

/** What a capture is made with. */
export interface CaptureOptions extends Omit<RecorderOptions, "limits" | "source"> {
  /** Default `.twiceshy/traces/<agent>.jsonl` in the working folder. */
  readonly sink?: Sink;
  /** Calls beyond this are refused with an error; by default none is. */
  readonly maxToolCalls?: number;
}

/**
 * Runs a function and records beside it the calls of all instrumented tools: returns what it returns, throws what it
 * throws, also when recording is not possible. For production.
 *
 *     const answer = await capture({ agent: "support-bot", task }, () => run(task, { tools }));
 */
export function capture<R>(options: CaptureOptions, run: (recorder: AgentRecorder) => R): R {
  const outer = ambient();
  const recorder = recorderOf(options, outer);
  if (recorder === undefined) return run(NO_RECORDER);
  const inner = boundaryOf(recorder, options, outer);
  let value: R;
  try {
    value = within(inner, () => run(wordsOf(recorder)));
  } catch (thrown) {
    threw(recorder, thrown);
    throw thrown;
  }
  return watched(value, { recorder, inner }) as R;
}

/** In a replay nothing is captured: what is replayed did not happen. */
function recorderOf(options: CaptureOptions, outer: Boundary | undefined): Recorder | undefined {
  if (outer?.runs === "replay") return undefined;
  try {
    const { maxToolCalls, ...about } = options;
    return new Recorder({
      sink: defaultSink(about.agent),
      ...about,
      redact: withOwnSecrets(about.redact),
      ...(maxToolCalls === undefined ? {} : { limits: { toolCalls: maxToolCalls } }),
    });
  } catch (thrown) {
    warn(
      options,
      `Failed to capture an agent: ${messageOf(thrown)}. The agent goes on; nothing is recorded.`,
    );
    return undefined;
  }
}

/** Where the runners and the command line look for traces. A name of an agent becomes no path by itself. */
function defaultSink(agent = "agent"): string {
  return join(".twiceshy", "traces", `${slug(agent) || "agent"}.jsonl`);
}

/** Calls go on to the boundary around this one, if any, so that a recording of the whole has them, too. */
function boundaryOf(
  recorder: Recorder,
  { maxToolCalls }: CaptureOptions,
  outer: Boundary | undefined,
): Boundary {
  const layers = maxToolCalls === undefined ? [] : [limits({ toolCalls: maxToolCalls })];
  const { call, nextId } = boundary([...layers, recorder.layer()], answerVia(outer));
  return outer?.runs === undefined ? { call, nextId } : { call, nextId, runs: outer.runs };
}

interface Capturing {
  readonly recorder: Recorder;
  readonly inner: Boundary;
}

/** The value that the caller gets; the trace ends when the value is settled, or read to its end. */
function watched(value: unknown, capturing: Capturing): unknown {
  const { recorder, inner } = capturing;
  if (isPromise(value)) {
    return Promise.resolve(value).then(
      (settled: unknown) => watched(settled, capturing),
      (thrown: unknown) => {
        threw(recorder, thrown);
        throw thrown;
      },
    );
  }
  if (!isStream(value)) {
    returned(recorder, value);
    return value;
  }
  const { stream, result } = tapStream(value, (run) => within(inner, run));
  growingOf(result)?.onEnd((whole) => streamed(recorder, whole));
  return stream;
}

function returned(recorder: Recorder, value: unknown): void {
  if (value !== undefined && !recorder.hasOutput()) recorder.output(value);
  recorder.finish("ok");
}

function threw(recorder: Recorder, thrown: unknown): void {
  recorder.error(thrown);
  recorder.finish(isRefusal(thrown) ? "timeout" : "error");
}

function streamed(recorder: Recorder, whole: ToolResult): void {
  if (!whole.ok) threw(recorder, rebuildError(whole.error));
  else if (isRecordedStream(whole.data)) {
    const chunks = whole.data.v.map((chunk) => decode(chunk));
    returned(
      recorder,
      chunks.every((chunk) => typeof chunk === "string") ? chunks.join("") : chunks,
    );
  }
}

function warn(options: CaptureOptions, message: string): void {
  try {
    (options.onWarning ?? warnOnce)(message);
  } catch {
    // Warnings are for people; a broken listener must not reach the agent.
  }
}

/** For a function that is run without a recording. */
const NO_RECORDER: AgentRecorder = {
  model: () => undefined,
  reasoning: () => undefined,
  output: () => undefined,
};
