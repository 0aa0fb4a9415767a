import { isObject, type Json } from "../shared/json.ts";
import { clip } from "../shared/text.ts";
import type { DetectOptions, Detector } from "./detector.ts";
import { placeholderIn } from "./placeholder.ts";
import { isBlank, type TraceView } from "./view.ts";

/** The output is not of the form that was asked for. */
export const malformedOutput: Detector = {
  kind: "malformed_output",
  detector: "rule",
  summary:
    "The output is empty, is broken JSON, has a blank that was never filled, or does not meet the output schema.",
  detect(view, options) {
    const { trace, answer, outputAt } = view;
    if (trace.status === "error" || trace.status === "timeout" || answer === undefined) return [];
    const at = outputAt === undefined ? {} : { step: outputAt };
    if (isBlank(answer)) {
      if (options.output === "optional") return [];
      return [
        { severity: didItsWork(view) ? "low" : "medium", message: "The output is empty.", ...at },
      ];
    }
    const problem = problemOf(view, answer, options);
    return problem === undefined
      ? []
      : [{ severity: "medium", message: clip(problem, 500), ...at }];
  },
};

/** Whether a run that says nothing did something: it ended well, and its last call changed something. */
export function didItsWork({ trace, calls }: TraceView): boolean {
  const last = calls.at(-1);
  return trace.status === "ok" && last?.effect === "write" && last.worked;
}

function problemOf(view: TraceView, answer: Json, { validate }: DetectOptions): string | undefined {
  const { trace } = view;
  const read =
    typeof answer === "string"
      ? readJson(answer, trace.outputSchema !== undefined)
      : { value: answer };
  if (read.broken) return "The output begins like JSON but is not valid JSON.";
  const blank = placeholderIn(view);
  if (blank !== undefined) return `The output still has the blank ${blank}.`;
  // Without a validator the schema is not looked at here: the caller has the only one.
  if (trace.outputSchema === undefined || validate === undefined) return undefined;
  const candidates = [
    read.value ?? answer,
    answer,
    ...(isObject(trace.output) ? [trace.output] : []),
  ];
  const problems = candidates.map((value) => validate(trace.outputSchema ?? true, value));
  return problems.some((list) => list.length === 0)
    ? undefined
    : `The output does not meet its schema: ${problems[0]?.join("; ")}`;
}

interface Read {
  /** The value that the text holds, when it holds one. */
  readonly value?: Json;
  /** Meant as JSON, and is not. */
  readonly broken?: true;
}

/** A fence around the whole text, and a fence that says that JSON is in it. */
const WHOLE_FENCE = /^```(?:json)?[^\S\n]*\n([^]*?)\n?```$/iu;
const JSON_FENCE = /```json[^\S\n]*\n([^]*?)\n?```/iu;

/** Reads a text as JSON when it is meant as JSON; any other text gives neither a value nor a problem. */
function readJson(text: string, wanted: boolean): Read {
  const whole = text.trim();
  // Most answers are prose.
  if (!wanted && !/^[`{[]/u.test(whole)) return {};
  const marked = whole.startsWith("```") || wanted ? JSON_FENCE.exec(whole)?.[1] : undefined;
  const source = (marked ?? WHOLE_FENCE.exec(whole)?.[1] ?? whole).trim();
  if (marked === undefined && !looksLikeJson(source, wanted)) return {};
  try {
    return { value: JSON.parse(source) as Json };
  } catch {
    return isProse(source) ? {} : { broken: true };
  }
}

/** An object with a quoted name, or a list whose first item is data: not a Markdown link, a citation, a `{placeholder}`. */
function looksLikeJson(text: string, wanted: boolean): boolean {
  if (text.startsWith("{")) return wanted || /^\{\s*(?:["}]|$)/u.test(text);
  return /^\[\s*(?:[[{"\]]|-?\d+(?:\.\d+)?\s*,|(?:true|false|null)\b|$)/u.test(text);
}

/** Brackets that close and are followed by words: `[1, 2] say so`, `[[page]] has it`. */
function isProse(text: string): boolean {
  return /^\[\[?[^\]\n{"]*\]\]?\s*[(\p{L}]/u.test(text);
}
