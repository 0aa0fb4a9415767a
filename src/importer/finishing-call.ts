import { isObject, type Json } from "../shared/json.ts";
import type { Step, ToolStep } from "../trace/trace.ts";
import type { Draft } from "./importer.ts";
import { own } from "./member.ts";

/** Calls by which an agent says that it is done. */
const FINISHING = new Set(
  `finish Finish submit stop final_result final_answer mark_task_complete task_complete complete_task attempt_completion`.split(
    /\s+/,
  ),
);
/** Arguments that hold the answer of such a call. */
const ANSWERS = [
  "answer",
  "final_answer",
  "message",
  "result",
  "output",
  "content",
  "submission",
  "response",
];

/** A run that ends with a finishing call is a whole run: its output is what that call says, or what was said before it. */
export function finished(draft: Draft): Draft {
  const last = draft.steps.findLast((step) => step.kind !== "input");
  if (draft.output !== undefined || last?.kind !== "tool" || !FINISHING.has(last.name))
    return draft;
  if (last.result?.ok === false) return draft;
  const output = answerOf(last) ?? saidBefore(draft.steps, last) ?? submitted(draft.steps, last);
  const open = draft.steps.some(
    (step) => step.kind === "tool" && step.result === undefined && step !== last,
  );
  const step: Step = { index: draft.steps.length, kind: "output", content: output };
  return { ...draft, status: open ? "incomplete" : "ok", output, steps: [...draft.steps, step] };
}

function answerOf(step: ToolStep): Json | undefined {
  const { args } = step;
  if (!isObject(args)) return undefined;
  const named = ANSWERS.map((key) => own(args, key)).find(
    (value) => value !== undefined && value !== "",
  );
  if (named !== undefined) return named;
  const values = Object.values(args);
  return values.length === 0 ? undefined : args;
}

function saidBefore(steps: readonly Step[], last: ToolStep): Json | undefined {
  const before = steps[last.index - 1];
  return before?.kind === "model" ? before.content : undefined;
}

/** Some harnesses show the work once more before they take it; else the call itself is all that it says. */
function submitted(steps: readonly Step[], last: ToolStep): Json {
  const earlier = steps.findLast(
    (step) => step.kind === "tool" && step.name === last.name && step !== last,
  );
  const shown =
    earlier?.kind === "tool" && earlier.result?.ok === true ? earlier.result.data : undefined;
  if (typeof shown !== "string") return last.result?.ok === true ? last.result.data : last.name;
  const start = shown.lastIndexOf("<diff>", shown.lastIndexOf("</diff>"));
  const end = shown.lastIndexOf("</diff>");
  return start < 0 || end < start ? shown : shown.slice(start + "<diff>".length, end).trim();
}
