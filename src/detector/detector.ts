import { messageOf } from "../shared/error.ts";
import { byCodeUnit, type Json } from "../shared/json.ts";
import type { Trace } from "../trace/trace.ts";
import * as builtin from "./builtin.ts";
import { view, type TraceView } from "./view.ts";

export type Severity = "low" | "medium" | "high";

/** How sure it is that the run failed by what was found. */
export type Confidence = "low" | "medium" | "high";

/** A bad outcome that a detector observed in a trace. */
export interface Failure {
  /** `tool_error`, `loop`, ... */
  readonly kind: string;
  readonly detector: "rule" | "heuristic" | "judge";
  /** Why, in one sentence. May quote the trace: sanitise before printing. */
  readonly message: string;
  /** Index of the step where it shows; missing when it belongs to the whole trace. */
  readonly step?: number;
  readonly tool?: string;
  /** `low` never makes a trace failing. */
  readonly severity: Severity;
  /** Identity without free text: `kind:tool`, or `exception:Class`. */
  readonly signature: string;
}

/** What a detector returns; `detect` adds kind, detector and signature. */
export interface Finding {
  readonly message: string;
  readonly severity: Severity;
  readonly step?: number;
  readonly tool?: string;
  /** Takes the tool's place in the signature, as the class of an exception. */
  readonly subject?: string;
}

/** One failure kind: a pure, total function of a trace. */
export interface Detector {
  readonly kind: string;
  readonly detector: "rule" | "heuristic";
  /** One line for the docs table. */
  readonly summary: string;
  /** Whether a blocked completion makes all its findings low. */
  readonly excusedWhenBlocked?: true;
  /** Whether ground truth by which the run passed makes all its findings low. */
  readonly excusedWhenPassed?: true;
  detect(trace: TraceView, options: DetectOptions): readonly Finding[];
}

export interface DetectOptions {
  /** Equal calls without progress that make a loop. Default 3. */
  readonly loopRepeat?: number;
  /** Time that a run may take, in milliseconds; by default only the trace's own limit counts. */
  readonly budgetMs?: number;
  /** Whether an agent may end well without any output. Default `required`. */
  readonly output?: "required" | "optional";
  /** Tools whose work the task needs, as an earlier run of it showed: claiming success without it is unsupported. */
  readonly needed?: readonly string[];
  /** Validates an output against a user's JSON Schema: problems, or nothing when it holds. */
  readonly validate?: (schema: Json, value: Json) => readonly string[];
}

export type { Trace, TraceView };

const ORDER: Readonly<Record<Severity, number>> = { high: 0, medium: 1, low: 2 };

/**
 * Every failure in a trace: the gravest first, then by step (those of the whole trace last), then by signature.
 * Never throws: a detector that crashes is itself a failure of kind `detector_crash`, so that it is never a pass.
 */
export function detect(trace: Trace, options: DetectOptions = {}): Failure[] {
  let seen: TraceView;
  let isPassed: boolean;
  try {
    seen = view(trace);
    isPassed = trace.score?.passed === true;
  } catch (thrown) {
    return [crashOf("view", thrown)];
  }
  const failures: Failure[] = [];
  for (const detector of DETECTORS) {
    try {
      const excused = isPassed && detector.excusedWhenPassed === true;
      for (const finding of detector.detect(seen, options))
        failures.push(failureOf(detector, excused ? { ...finding, severity: "low" } : finding));
    } catch (thrown) {
      failures.push(crashOf(detector.kind, thrown));
    }
  }
  return failures.length > 1 ? failures.sort(byWeight) : failures;
}

/** Whether failures of these signatures can be found in a run that ended blocked, which excuses the others. */
export function outliveHonesty(signatures: readonly string[]): boolean {
  return !signatures.every((signature) => EXCUSED.has(signature.slice(0, signature.indexOf(":"))));
}

const DETECTORS: readonly Detector[] = Object.values<Detector>(builtin);
const EXCUSED: ReadonlySet<string> = new Set(
  DETECTORS.flatMap(({ kind, excusedWhenBlocked }) => (excusedWhenBlocked === true ? [kind] : [])),
);

/** Beside those of the detectors: the judge's, and that of a detector that crashed. */
const MORE_KINDS = ["detector_crash", "off_track"];
const KINDS: ReadonlySet<string> = new Set([...DETECTORS.map(({ kind }) => kind), ...MORE_KINDS]);

/** Whether a failure can have this kind. */
export function isFailureKind(kind: string): boolean {
  return KINDS.has(kind);
}

/** Every kind that a failure can have, sorted; the judge's and that of a crashed detector are no detectors of the list. */
export function failureKinds(): string[] {
  return [...KINDS].sort(byCodeUnit);
}

/**
 * How sure it is that the run failed by this: `high` for what the record itself says (a rule), `medium` for what is read out of it,
 * `low` for a hint. A failure of low confidence is of low severity, and so never makes a trace failing; what a judge
 * says is as sure as it is grave, as its own confidence decides that.
 */
export function confidenceOf({
  severity,
  detector,
}: Pick<Failure, "severity" | "detector">): Confidence {
  if (severity === "low" || detector === "judge") return severity;
  return detector === "rule" ? "high" : "medium";
}

/** The failures that make a trace failing: those that are not low. */
export function real(failures: readonly Failure[]): Failure[] {
  return failures.filter((failure) => failure.severity !== "low");
}

/** The sorted distinct signatures of the failures that are not low. */
export function signaturesOf(failures: readonly Failure[]): string[] {
  if (failures.length === 0) return [];
  return [...new Set(real(failures).map((failure) => failure.signature))].sort(byCodeUnit);
}

/** The identity of a failure without free text: `kind:` and its subject, else its tool, else `-`. */
export function signatureOf(kind: string, about: Pick<Finding, "subject" | "tool">): string {
  return `${kind}:${about.subject ?? about.tool ?? "-"}`;
}

function failureOf(
  { kind, detector }: Pick<Detector, "kind" | "detector">,
  finding: Finding,
): Failure {
  const { subject: _subject, ...shown } = finding;
  return { kind, detector, signature: signatureOf(kind, finding), ...shown };
}

function crashOf(name: string, thrown: unknown): Failure {
  const message = `The detector ${name} crashed: ${messageOf(thrown)}`;
  const finding: Finding = { severity: "high", subject: name, message };
  return failureOf({ kind: "detector_crash", detector: "rule" }, finding);
}

function byWeight(a: Failure, b: Failure): number {
  const step = (failure: Failure): number => failure.step ?? Number.MAX_SAFE_INTEGER;
  return (
    ORDER[a.severity] - ORDER[b.severity] ||
    step(a) - step(b) ||
    byCodeUnit(a.signature, b.signature)
  );
}

/** Whether an answer reports a failure, refuses, or is a blocked completion: nothing is claimed that is not so. */
export function isHonest(trace: Trace): boolean {
  return view(trace).honest;
}
