import { clip } from "../shared/text.ts";
import type { Detector } from "./detector.ts";
import { leavesOf } from "./leaves.ts";

/** How services say that a model had no more tokens. */
const SPENT = /^(?:length|max[_-]?(?:output[_-]?)?tokens|model_length)$/iu;
/** A mark by which a text says that its end is left out; at the very end. */
const MARK =
  /(?:\.\.\.|…)?\s*[([<{]\s*(?:\.\.\.|…)?\s*(?:(?:output|text|list|response|content|rest)\s+)?(?:truncated|cut off|abgeschnitten|gekürzt|truncad[oa]|tronquée?|troncat[oa])\s*(?:\.\.\.|…)?\s*[)\]>}][.!]?\s*$/iu;

/** The answer stops before its end. */
export const truncatedOutput: Detector = {
  kind: "truncated_output",
  detector: "rule",
  summary:
    "The answer was cut off: the model had no more tokens, or the answer itself says so at its end. A cut text that a tool gave is none.",
  detect({ trace, answered, calls, outputAt, text }) {
    if (!answered || trace.status === "error" || trace.status === "timeout") return [];
    const reason = trace.meta?.["finish_reason"];
    const spent = typeof reason === "string" && SPENT.test(reason);
    const mark = spent ? undefined : MARK.exec(text.slice(-200))?.[0].trim();
    if (!spent && mark === undefined) return [];
    const given = calls.some(({ step }) =>
      leavesOf(step.result?.ok === true ? step.result.data : undefined).some(
        (leaf) => mark !== undefined && leaf.text.includes(mark),
      ),
    );
    if (given) return [];
    const message =
      mark === undefined
        ? "The answer was cut off, because the model had used up its tokens."
        : `The answer ends with "${mark}": the rest of it is missing.`;
    return [
      {
        // Whoever recorded the run may have cut the text too.
        severity: spent ? "medium" : "low",
        message: clip(message, 500),
        ...(outputAt === undefined ? {} : { step: outputAt }),
      },
    ];
  },
};
