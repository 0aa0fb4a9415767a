import { clip } from "../shared/text.ts";
import type { Detector } from "./detector.ts";
import { leavesOf } from "./leaves.ts";
import type { TraceView } from "./view.ts";

/** Something like an order or tracking number: letters and digits, or many digits. */
const ID =
  /(?<![\p{L}\p{N}_./:@#-])#?(?=[\p{L}\p{N}_-]*\d)[\p{L}\p{N}][\p{L}\p{N}_-]{4,}(?![\p{L}\p{N}_@:/]|[.,]\d)/gu;
/** Dates, times, sizes, years, ordinals and amounts are computed and written in many ways. */
const NO_ID =
  /^(?:\d{4}-\d{2}(?:-\d{2})?(?:T\S*)?|\d{1,2}-\d{1,2}-\d{2,4}|\d{4}-\d{4}|\d{1,3}(?:-\d{1,3})+|\d+(?:st|nd|rd|th|s|m|h|ms|am|pm|px|kb|mb|gb|km|kg|min|mins|hours?|days?|-\p{L}+)|\p{L}+-\d{1,2}|\d{5,6}|utf-?\d+|sha-?\d+|base64|v\d[\w-]*)$/iu;
const SHORTEST = 5;

/** The answer holds a number that nothing in the run gave. */
export const ungroundedAnswer: Detector = {
  kind: "ungrounded_answer",
  detector: "heuristic",
  summary:
    "The answer names an id that occurs nowhere in the task or the results, while the look-up had found nothing.",
  excusedWhenPassed: true,
  detect(view) {
    const last = view.calls.findLast((call) => call.effect !== "write" && call.effect !== "note");
    if (!view.answered || last === undefined || !(last.empty || last.error !== undefined))
      return [];
    const invented = inventedIn(view);
    if (invented === undefined) return [];
    // Very clear only when no call at all had anything to give.
    const clear = view.calls.every((call) => call.empty || call.error !== undefined);
    return [
      {
        severity: clear ? "medium" : "low",
        tool: last.tool,
        step: view.outputAt ?? last.at,
        message: clip(
          `The answer names ${invented}, which is in no tool result; ${last.tool} had found nothing.`,
          500,
        ),
      },
    ];
  },
};

function inventedIn(view: TraceView): string | undefined {
  const candidates =
    view.text
      .normalize("NFC")
      .match(ID)
      ?.map((id) => id.replace(/^#|[-_]+$/gu, "")) ?? [];
  const ids = candidates.filter((id) => id.length >= SHORTEST && !NO_ID.test(id));
  if (ids.length === 0) return undefined;
  const known = knownIn(view);
  return ids.find((id) => !known.includes(id.toLowerCase()));
}

/** Everything that the agent was told, in one lower-case text. */
function knownIn({ trace, calls }: TraceView): string {
  const told = [
    trace.task,
    ...trace.steps.flatMap((step) => (step.kind === "input" ? [step.content] : [])),
    ...trace.steps.flatMap((step) =>
      step.kind === "model" && step.prompt !== undefined ? [step.prompt] : [],
    ),
    ...calls.map((call) => (call.step.result?.ok === true ? call.step.result.data : null)),
    ...calls.map((call) => call.error?.message ?? null),
    ...calls.map((call) => call.step.args),
  ];
  return told
    .flatMap((value) => leavesOf(value).map((leaf) => leaf.text))
    .join("\n")
    .normalize("NFC")
    .toLowerCase();
}
