import { failure, messageOf } from "../shared/error.ts";
import { isObject, type Json } from "../shared/json.ts";
import { clip, oneLine } from "../shared/text.ts";
import type { Trace } from "../trace/trace.ts";
import { signatureOf, type Failure, type Severity } from "./detector.ts";
import { questionAbout } from "./judge-prompt.ts";

/** What a judge says of a trace. */
export interface JudgeAnswer {
  readonly off_track: boolean;
  /** Index of the step where it first went off track. */
  readonly step?: number | null;
  /** One sentence; needed when it is off track. */
  readonly reason?: string;
  /** From 0 to 1. */
  readonly confidence?: number;
}

export interface JudgeContext {
  /** The trace that the prompt is about; redacted, unless it only goes to a model of this machine. */
  readonly trace: Trace;
  /** JSON Schema that the answer must meet. */
  readonly format: Json;
  /** Aborted when the answer would come too late. */
  readonly signal?: AbortSignal;
}

/** Asks a model, and gives what it says: a text with JSON in it, or the answer itself. */
export type JudgeFunction = (
  prompt: string,
  context: JudgeContext,
) => string | JudgeAnswer | Promise<string | JudgeAnswer>;

export interface JudgeOptions {
  /** From this confidence on a trace counts as off track; below it the failure is low. Default 0.6. */
  readonly minConfidence?: number;
  readonly signal?: AbortSignal;
}

const MIN_CONFIDENCE = 0.6;
/** From here on the failure is high. */
const CERTAIN = 0.9;
const LONGEST_REASON = 300;

/**
 * The opt-in, model-backed detector: one failure of kind `off_track`, or none. Rejects as `ask` does, and with E_JUDGE_ANSWER when
 * its answer cannot be used, so that a judge who said nothing is not taken for one who found nothing.
 */
export async function judge(
  trace: Trace,
  ask: JudgeFunction,
  options: JudgeOptions = {},
): Promise<Failure[]> {
  const found = offTrack(await answerAbout(trace, ask, options), trace, options.minConfidence);
  return found === undefined ? [] : [found];
}

/** The judge's answer, checked. An answer that cannot be used is asked for once more. */
export async function answerAbout(
  trace: Trace,
  ask: JudgeFunction,
  { signal }: Pick<JudgeOptions, "signal"> = {},
): Promise<JudgeAnswer> {
  const { prompt, format } = questionAbout(trace);
  const context = { trace, format, ...(signal === undefined ? {} : { signal }) };
  const first = answerIn(await ask(prompt, context));
  if ("answer" in first) return first.answer;
  const again = `${prompt}\n\nAn earlier answer could not be used: ${first.because}. Answer with that one JSON object.`;
  const second = answerIn(await ask(again, context));
  if ("answer" in second) return second.answer;
  throw failure("E_JUDGE_ANSWER", {
    to: `judge the trace ${oneLine(trace.id, 80)}`,
    because: `the judge's answer could not be used, twice: ${second.because}`,
    fix: "Take a model that keeps to a JSON schema, or look at what the function returns",
  });
}

/** The failure that an answer means; undefined for a run that stayed on track. */
export function offTrack(
  { off_track: isOff, step, reason = "", confidence }: JudgeAnswer,
  trace: Trace,
  minConfidence = MIN_CONFIDENCE,
): Failure | undefined {
  if (!isOff) return undefined;
  const sure = confidence === undefined ? "" : ` (confidence ${Number(confidence.toFixed(2))})`;
  return {
    kind: "off_track",
    detector: "judge",
    severity: severityOf(confidence, minConfidence),
    signature: signatureOf("off_track", {}),
    message: `${reason}${sure}`,
    // A model that miscounts is still right about the rest.
    ...(typeof step === "number" && trace.steps[step] !== undefined ? { step } : {}),
  };
}

function severityOf(confidence: number | undefined, minConfidence: number): Severity {
  if (confidence === undefined) return "medium";
  if (confidence < minConfidence) return "low";
  return confidence >= CERTAIN ? "high" : "medium";
}

type Checked = { readonly answer: JudgeAnswer } | { readonly because: string };

/** The answer in what a judge gave: an object, or the JSON in a text, between the first `{` and the last `}` when there is chatter. */
export function answerIn(given: unknown): Checked {
  if (typeof given === "string") {
    // Some models think aloud before they answer.
    const value = jsonIn(given.replace(/<think>[^]*?<\/think>/g, ""));
    if (value !== undefined) return checked(value);
    return { because: given.trim() === "" ? "it was empty" : "it held no JSON object" };
  }
  try {
    return checked(given);
  } catch (thrown) {
    return { because: `it could not be read: ${oneLine(messageOf(thrown), 100)}` };
  }
}

function jsonIn(text: string): unknown {
  for (const part of [text, text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1)]) {
    try {
      const value: unknown = JSON.parse(part);
      if (isObject(value)) return value;
    } catch {
      // Perhaps only a part of it is JSON.
    }
  }
  return undefined;
}

function checked(value: unknown): Checked {
  if (!isObject(value)) return { because: "it was no object" };
  const { off_track: isOff, step, reason, confidence } = value;
  if (typeof isOff !== "boolean") return { because: '"off_track" was neither true nor false' };
  if (step !== undefined && step !== null && !(Number.isInteger(step) && Number(step) >= 0))
    return { because: '"step" was neither the number of a step nor null' };
  if (reason !== undefined && reason !== null && typeof reason !== "string")
    return { because: '"reason" was no text' };
  if (isOff && (typeof reason !== "string" || reason.trim() === ""))
    return { because: '"reason" was missing' };
  if (confidence !== undefined && confidence !== null && !isShare(confidence))
    return { because: '"confidence" was no number from 0 to 1' };
  return {
    answer: {
      off_track: isOff,
      ...(typeof step === "number" ? { step } : {}),
      ...(typeof reason === "string" ? { reason: clip(reason.trim(), LONGEST_REASON) } : {}),
      ...(typeof confidence === "number" ? { confidence } : {}),
    },
  };
}

function isShare(value: unknown): boolean {
  return typeof value === "number" && value >= 0 && value <= 1;
}
