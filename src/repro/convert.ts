import type { Check } from "../check/check.ts";
import {
  detect,
  real,
  signaturesOf,
  type DetectOptions,
  type Failure,
} from "../detector/detector.ts";
import { byCodeUnit, type Json } from "../shared/json.ts";
import {
  createRedactor,
  redactorBy,
  type RedactOptions,
  type Redactor,
  type RedactRules,
} from "../shared/redact.ts";
import type { Trace } from "../trace/trace.ts";
import { cutOf } from "./cut.ts";
import { prefixOf } from "./ending.ts";
import { reproDigest, writtenDigest } from "./hash.ts";
import { inferChecks, type Inferred } from "./infer.ts";
import type { Judgement } from "./judge.ts";
import { prove } from "./prove.ts";
import { recordingsOf } from "./recordings.ts";
import { redactedFailure, redactedTrace } from "./redacted.ts";
import type { Recording, Repro } from "./repro.ts";
import { titleOf } from "./title.ts";

export interface ConvertOptions {
  /** As the replays will match. */
  readonly volatile?: readonly string[];
  readonly matching?: "keyed" | "loose";
  readonly redact?: RedactOptions;
  /** In place of `redact`, where many traces are converted by the same rules. */
  readonly rules?: RedactRules;
  /** As the failures were detected. */
  readonly detect?: DetectOptions;
}

export interface ConvertContext {
  /** Name of the agent whose file the repro goes into. */
  readonly agent: string;
  /** A later success of the same task. */
  readonly success?: Trace;
  readonly options?: ConvertOptions;
}

/** A repro with the large answers that it names, or why there is none. */
export type Conversion =
  | {
      readonly repro: Repro;
      readonly blobs: Readonly<Record<string, Json>>;
      /** Whole digest of which the repro's id is the beginning. */
      readonly digest: string;
    }
  | { readonly unproved: { readonly trace: string; readonly reason: string } };

/**
 * Makes a failed trace a repro: redacted, cut at its first failing step, and proved by a replay of the recorded run,
 * which must fail again with a recorded signature. A failure that only a score or a judge knows cannot come back: its
 * repro has `needs` set. Never throws for what a trace holds.
 */
export function toRepro(
  trace: Trace,
  failures: readonly Failure[],
  context: ConvertContext,
): Conversion {
  const { options = {} } = context;
  const { rules } = options;
  const redactor = rules === undefined ? createRedactor(options.redact) : redactorBy(rules);
  const run = redactedTrace(trace, redactor);
  const crash = failures.find(({ kind }) => kind === "detector_crash");
  const found = failures
    .filter(({ kind }) => kind !== "detector_crash")
    .map((failure) => redactedFailure(failure, redactor));
  if (real(found).length === 0) {
    return unproved(trace, crash?.message ?? "it has no failure but low ones");
  }
  const answers = answersOf(run);
  if (answers.reason !== undefined) return unproved(trace, answers.reason);
  const parts = { run, found, context, redactor, note: answers.note };
  const cut = provableCut(run, found, context.options);
  const proved = (cut === undefined ? undefined : attempt(parts, cut)) ?? attempt(parts, undefined);
  if (proved.proof.verdict === "still_fails") return converted(proved.draft);
  if (isKnownByOthersOnly(run, found)) {
    const { repro, ...rest } = proved.draft;
    return converted({ repro: { ...repro, needs: "an expected answer" }, ...rest });
  }
  const { verdict, reason } = proved.proof;
  return unproved(trace, `a replay of the recorded run gives ${verdict}: ${reason}`);
}

function unproved(trace: Trace, reason: string): Conversion {
  return { unproved: { trace: trace.id, reason } };
}

function converted({ repro, ...rest }: Draft): Conversion {
  return { repro: { ...repro, written: writtenDigest(repro) }, ...rest };
}

interface Draft {
  readonly repro: Repro;
  readonly blobs: Readonly<Record<string, Json>>;
  readonly digest: string;
}

/** A repro with its proof; nothing when it is cut and the proof fails, as a failure may need what came after it. */
function attempt(parts: Parts, cut: undefined): { draft: Draft; proof: Judgement };
function attempt(parts: Parts, cut: number): { draft: Draft; proof: Judgement } | undefined;
function attempt(
  parts: Parts,
  cut: number | undefined,
): { draft: Draft; proof: Judgement } | undefined {
  const { options = {} } = parts.context;
  const draft = draftOf(parts, cut);
  const proof = prove(draft.repro, parts.run, { ...options, blobs: draft.blobs });
  return cut !== undefined && proof.verdict !== "still_fails" ? undefined : { draft, proof };
}

interface Parts {
  readonly run: Trace;
  readonly found: readonly Failure[];
  readonly context: ConvertContext;
  readonly redactor: Redactor;
  readonly note: string | undefined;
}

function draftOf({ run, found, context, redactor, note }: Parts, cut: number | undefined): Draft {
  const blobs = new Map<string, Json>();
  const success = context.success && redactedTrace(context.success, redactor);
  const failure = recordingsOf(run, { cut }, blobs);
  const retry = success === undefined ? [] : retryOf(success, failure.length, blobs);
  const inferred = success === undefined ? undefined : inferChecks(run, success);
  const after = cut === undefined ? [] : toolsOf(run.steps.slice(cut + 1));
  const { expected, outputSchema } = run;
  const content = {
    task: run.task,
    cassette: [...failure, ...retry],
    signatures: [...signaturesOf(found)],
  };
  const digest = reproDigest(context.agent, content);
  const repro: Repro = {
    ...content,
    id: digest.slice(0, 8),
    status: "pending",
    origin: success === undefined ? "inferred" : "retry",
    title: titleOf(run.task),
    cluster: "",
    taskId: run.taskId,
    tools: offered([run, ...(success === undefined ? [] : [success])]),
    checks: checksOf(content.signatures, inferred),
    failures: found.map(({ detector: _detector, ...failure }) => failure),
    ...(expected === undefined ? {} : { expected }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...budgetOf(run),
    ...(cut === undefined ? {} : { cut }),
    ...(after.length === 0 ? {} : { after }),
    seen: 1,
    source: {
      trace: run.id,
      agentVersion: run.agentVersion,
      format: run.source,
      status: run.status,
    },
    ...(inferred === undefined ? {} : { diff: inferred.diff }),
    ...(note === undefined ? {} : { notes: note }),
  };
  return { repro, blobs: Object.fromEntries(blobs), digest };
}

/** The budget of calls, where it stopped the run. */
function budgetOf({ status, limits, steps }: Trace): Pick<Repro, "limits"> {
  const calls = steps.filter(({ kind }) => kind === "tool").length;
  const { toolCalls } = limits ?? {};
  if (status !== "timeout" || toolCalls === undefined || calls < toolCalls) return {};
  return { limits: { toolCalls } };
}

function checksOf(signatures: readonly string[], inferred: Inferred | undefined): Check[] {
  return [{ type: "no_failure", signatures: [...signatures] }, ...(inferred?.checks ?? [])];
}

function retryOf(success: Trace, offset: number, blobs: Map<string, Json>): Recording[] {
  const recordings = recordingsOf(success, { offset }, blobs);
  for (const recording of recordings) recording.from = "retry";
  return recordings;
}

/**
 * The cut, unless the run went on and something failed that does not show before that: then the whole run is needed, as what
 * cannot show again cannot be seen to be gone. A budget that ran out, or a claim about the tool that failed, only follows from what
 * shows by the cut.
 */
function provableCut(
  run: Trace,
  found: readonly Failure[],
  options: ConvertOptions = {},
): number | undefined {
  const cut = cutOf(run, found);
  if (cut === undefined || toolsOf(run.steps.slice(cut + 1)).length === 0) return cut;
  const shown = signaturesOf(detect(prefixOf(run, cut + 1, "open"), options.detect));
  const early = real(found).filter(({ signature }) => shown.includes(signature));
  const tools = new Set(early.map(({ tool }) => tool));
  const late = real(found).filter(
    ({ kind, signature, tool }) =>
      kind !== "timeout" && !shown.includes(signature) && (tool === undefined || !tools.has(tool)),
  );
  return early.length > 0 && late.length === 0 ? cut : undefined;
}

function toolsOf(steps: Trace["steps"]): string[] {
  const names = steps.flatMap((step) => (step.kind === "tool" ? [step.name] : []));
  return [...new Set(names)].sort(byCodeUnit);
}

function offered(traces: readonly Trace[]): string[] {
  const names = traces.flatMap((trace) => [...(trace.tools ?? []), ...toolsOf(trace.steps)]);
  return [...new Set(names)].sort(byCodeUnit);
}

/** What can be said of a run whose calls were not all answered. */
function answersOf(run: Trace): { readonly reason?: string; readonly note?: string } {
  const calls = run.steps.filter((step) => step.kind === "tool");
  const open = calls.filter(({ result }) => result === undefined);
  const notes = run.truncated === undefined ? [] : [`The record is not whole: ${run.truncated}.`];
  if (open.length > 0 && open.length === calls.length && run.status !== "timeout") {
    return { reason: `none of its ${calls.length} tool calls has a recorded answer` };
  }
  if (open.length > 0) {
    notes.push(
      `${open.length} of ${calls.length} tool calls have no recorded answer; a replay that makes them waits until its time is over.`,
    );
  }
  return notes.length === 0 ? {} : { note: notes.join(" ") };
}

/** Whether nothing that a replay could find again made the run fail: a score without the right answer, or a judge. */
function isKnownByOthersOnly(run: Trace, found: readonly Failure[]): boolean {
  const scored = run.score?.passed === false && run.expected === undefined;
  return real(found).every(
    ({ kind, detector }) => detector === "judge" || (scored && kind === "wrong_answer"),
  );
}
