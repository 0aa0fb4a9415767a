import { clip, oneLine } from "../shared/text.ts";
import { isAbsence } from "./absence.ts";
import type { Detector, Finding } from "./detector.ts";
import { isTelling, wordsIn, wordsOf } from "./leaves.ts";
import { didItsWork } from "./malformed-output.ts";
import type { TraceView } from "./view.ts";

/** The agent stopped before the work was done. */
export const abandoned: Detector = {
  kind: "abandoned",
  detector: "heuristic",
  summary:
    "The run ended without an answer, gave up without a reason in its results, or ended right after a failed call. A refusal for policy is none.",
  detect(view, { output }) {
    const { trace, answer, calls } = view;
    if (trace.status === "error" || trace.status === "timeout") return [];
    if (answer === undefined) {
      if (output === "optional" && calls.at(-1)?.error === undefined) return [];
      const low = didItsWork(view) || isPart(view) || trace.score?.passed === true;
      return [{ severity: low ? "low" : "medium", message: "The run ended without an answer." }];
    }
    if (!view.answered) return [];
    const found = view.blocked ? blocked(view) : (gaveUp(view) ?? brokeOff(view));
    return found === undefined ? [] : [found];
  },
};

/** Why a record ends before its run does, which is not the agent's doing. */
const PART: ReadonlySet<string> = new Set([
  "content_not_exported",
  "continued_elsewhere",
  "expected_values",
  "steps_in_pickles",
  "stored_elsewhere",
  "unfinished",
  "waiting_for_approval",
]);

/** Whether the record is known to show only a part of the run, or begins in the middle, so that its end says nothing. */
function isPart({ trace }: TraceView): boolean {
  if (trace.truncated !== undefined) return PART.has(trace.truncated);
  return trace.task === null && !trace.steps.some((step) => step.kind === "input");
}

/** A blocked completion is honest; it is a failure only when nothing that a tool answered can be its reason. */
function blocked(view: TraceView): Finding | undefined {
  const { calls, wording } = view;
  if (wording.refuses || hasReason(view) || quotes(view)) return undefined;
  return at(
    view,
    calls.length === 0 ? "low" : "medium",
    "The agent said that it was blocked, and no tool result shows why",
  );
}

function gaveUp(view: TraceView): Finding | undefined {
  const { wording, calls } = view;
  if (!wording.gaveUp || (wording.refuses && !wording.surrenders)) return undefined;
  const didMost = wording.claims && calls.some((call) => call.effect === "write" && call.worked);
  const excused = didMost || hasReason(view) || quotes(view) || isTalk(view) || wording.offers;
  const low = !wording.surrenders && excused && !nothingWorked(view);
  return at(view, low ? "low" : "medium", "The agent gave up");
}

function brokeOff(view: TraceView): Finding | undefined {
  const { wording, calls, honest } = view;
  if (wording.unfinished && !wording.claims)
    return at(view, "low", "The answer says that the work is not finished");
  const last = calls.at(-1);
  if (last === undefined || honest || wording.claims || wording.asks) return undefined;
  // A writing tool that failed unsaid is an unsupported claim.
  if (last.effect === "write" || last.error === undefined || !view.lost.includes(last))
    return undefined;
  const message = `The run ended right after ${last.tool} failed, and the answer does not say so.`;
  return { severity: "medium", step: last.at, tool: last.tool, message: clip(message, 500) };
}

/** A call failed or found nothing: a reason to stop. */
function hasReason({ calls }: TraceView): boolean {
  return calls.some((call) => call.error !== undefined || (call.empty && call.effect !== "write"));
}

/**
 * Whether several tools were asked and none had anything to give, one of them by an error: whoever asked got nothing.
 * That there is none is an answer, and a deed that failed is reported as such.
 */
function nothingWorked({ calls }: TraceView): boolean {
  const asked = calls.filter((call) => call.effect !== "note");
  const tools = new Set(asked.map((call) => call.tool));
  return (
    tools.size > 1 &&
    asked.every((call) => call.effect !== "write" && (call.empty || call.error !== undefined)) &&
    asked.some((call) => call.error !== undefined && !isAbsence(call.error))
  );
}

/** Whether the answer names something that a tool answered and the task does not. */
function quotes({ calls, text, trace }: TraceView): boolean {
  const asked = wordsIn(trace.task);
  const said = new Set(
    wordsOf(text)
      .map((word) => word.toLowerCase())
      .filter((word) => isTelling(word) && !asked.has(word)),
  );
  return calls.some(
    ({ step }) =>
      step.result?.ok === true && [...wordsIn(step.result.data)].some((word) => said.has(word)),
  );
}

/** A conversation in which tools were used: its last words answer the last question alone. */
function isTalk({ calls, trace }: TraceView): boolean {
  const spoken = trace.steps.filter((step) => step.kind === "input").length;
  return spoken > 1 && calls.some((call) => call.worked && !call.empty);
}

function at({ outputAt, text }: TraceView, severity: "low" | "medium", what: string): Finding {
  return {
    severity,
    message: `${what}: ${oneLine(text, 120)}`,
    ...(outputAt === undefined ? {} : { step: outputAt }),
  };
}
