import type { Failure } from "../detector/detector.ts";
import { answerAbout, answerIn, offTrack, type JudgeAnswer } from "../detector/judge.ts";
import type { JudgeFunction } from "../detector/judge.ts";
import { PROMPT_VERSION } from "../detector/judge-prompt.ts";
import { redactedTrace } from "../repro/redacted.ts";
import { messageOf, TwiceshyError } from "../shared/error.ts";
import { sha256 } from "../shared/hash.ts";
import { turns } from "../shared/in-order.ts";
import { createRedactor, type RedactOptions } from "../shared/redact.ts";
import { oneLine } from "../shared/text.ts";
import type { Trace } from "../trace/trace.ts";
import { contentOf } from "./look.ts";

/** A judge that is ready to be asked. */
export interface Judge {
  /** Who answers, for a person. */
  readonly model: string;
  /** Who answers, exactly: answers of another name are never taken for this one's. */
  readonly name: string;
  readonly ask: JudgeFunction;
  /** Traces that are judged at once. */
  readonly concurrency: number;
  readonly minConfidence: number;
  /** Whether what only the judge found makes a trace failing. */
  readonly gate: boolean;
  /** By which every trace is redacted before it is sent; missing when it stays on this machine. */
  readonly redact?: RedactOptions;
}

/** Where answers are kept from run to run; a store is one. */
export interface AnswerShelf {
  note(name: string): string | undefined;
  keepNote(name: string, value: string): void;
}

/** What came of judging one trace. */
export interface Opinion {
  /** The run went off track; perhaps low. */
  readonly failure?: Failure;
  /** Why it was not judged: that is neither a pass nor a failure. */
  readonly unjudged?: { readonly code: string; readonly message: string };
  /** Whether the judge was asked now. */
  readonly asked: boolean;
}

/** After these nobody else would be answered either. */
const HOPELESS: ReadonlySet<string> = new Set([
  "E_OLLAMA_HOST",
  "E_OLLAMA_UNREACHABLE",
  "E_OLLAMA_MODEL",
]);
/** A judge that failed so often, one time after the other, is not asked again. */
const MOST_FAILED = 5;

/**
 * Judges traces, several at once: each content is asked about once, its answer is kept on the shelf, and a judge that does not
 * answer is soon left alone. The promises never reject, except for what the shelf throws.
 */
export function judging(judge: Judge, shelf?: AnswerShelf): (trace: Trace) => Promise<Opinion> {
  const known = new Map<string, Promise<Answered>>();
  const takeTurn = turns(judge.concurrency);
  const state: State = { failed: 0 };
  return async (given) => {
    const trace = sent(given, judge);
    const key = `judge ${sha256([PROMPT_VERSION, judge.name, contentOf(trace)].join("\n"), 32)}`;
    const kept = keptIn(shelf?.note(key));
    if (kept !== undefined) return opinionOf({ answer: kept }, given, { judge, asked: false });
    const first = known.get(key);
    const answered = first ?? takeTurn(() => answer(trace, judge, state));
    known.set(key, answered);
    const result = await answered;
    known.delete(key);
    const asked = first === undefined && result.asked;
    if (asked && "answer" in result) shelf?.keepNote(key, JSON.stringify(result.answer));
    return opinionOf(result, given, { judge, asked });
  };
}

interface State {
  /** Failures in a row. */
  failed: number;
  /** Why nobody is asked any more. */
  stopped?: Unjudged;
}

type Unjudged = NonNullable<Opinion["unjudged"]>;
type Answered = ({ readonly answer: JudgeAnswer } | { readonly unjudged: Unjudged }) & {
  readonly asked: boolean;
};

async function answer(trace: Trace, judge: Judge, state: State): Promise<Answered> {
  if (state.stopped !== undefined) return { unjudged: state.stopped, asked: false };
  try {
    const given = await answerAbout(trace, judge.ask);
    state.failed = 0;
    return { answer: given, asked: true };
  } catch (thrown) {
    const unjudged = problemOf(thrown, judge);
    state.failed += 1;
    if (HOPELESS.has(unjudged.code) || state.failed >= MOST_FAILED) state.stopped ??= unjudged;
    return { unjudged, asked: true };
  }
}

function problemOf(thrown: unknown, { model }: Judge): Unjudged {
  const message = oneLine(messageOf(thrown), 600);
  if (TwiceshyError.is(thrown)) return { code: thrown.code, message };
  return {
    code: "E_JUDGE_FAILED",
    message: `Failed to ask the judge ${oneLine(model, 100)}: it threw ${message}`,
  };
}

function opinionOf(
  result: { readonly answer: JudgeAnswer } | { readonly unjudged: Unjudged },
  trace: Trace,
  { judge, asked }: { readonly judge: Judge; readonly asked: boolean },
): Opinion {
  if ("unjudged" in result) return { unjudged: result.unjudged, asked };
  const failure = offTrack(result.answer, trace, judge.minConfidence);
  return { asked, ...(failure === undefined ? {} : { failure }) };
}

/** A kept answer; nothing when it is not one that we would keep. */
function keptIn(text: string | undefined): JudgeAnswer | undefined {
  if (text === undefined) return undefined;
  const kept = answerIn(text);
  return "answer" in kept ? kept.answer : undefined;
}

/** What the judge may see of a trace. */
function sent(trace: Trace, { redact }: Judge): Trace {
  if (redact === undefined) return trace;
  const redactor = createRedactor(redact);
  const { meta } = trace;
  return {
    ...redactedTrace(trace, redactor),
    ...(meta === undefined ? {} : { meta: redactor.value(meta) as typeof meta }),
  };
}
