import { canonical, isObject, type Json } from "../shared/json.ts";
import type { ToolStep, Trace } from "../trace/trace.ts";
import { isEmpty } from "./empty.ts";
import { effectOf, partsOfName, type Effect } from "./names.ts";
import { errorOf, type CallError } from "./soft-error.ts";

/** A tool call with what detectors ask about it. */
export interface Call {
  readonly step: ToolStep;
  /** Place of the step in the trace. */
  readonly at: number;
  readonly tool: string;
  /** Tool and canonical arguments: equal calls have equal keys. */
  readonly key: string;
  readonly effect: Effect;
  /** First verb in the tool's name, and the rest of the name. */
  readonly verb: string;
  readonly object: string;
  /** Why it failed, also when only the result's text says so. */
  readonly error: CallError | undefined;
  /** Answered, without an error. */
  readonly worked: boolean;
  /** Worked, but the answer has nothing in it: no hit, no row, no text. */
  readonly empty: boolean;
}

interface Named {
  readonly effect: Effect;
  readonly verb: string;
  readonly object: string;
}

/** The tool calls of a trace, in order. */
export function callsOf(trace: Trace): Call[] {
  const names = new Map<string, Named>();
  return trace.steps.flatMap((step, at) =>
    step.kind === "tool" ? [callOf(step, at, named(step.name, names))] : [],
  );
}

function named(name: string, known: Map<string, Named>): Named {
  const found = known.get(name);
  if (found !== undefined) return found;
  const parts = partsOfName(name);
  const made = { effect: effectOf(name, parts), ...parts };
  known.set(name, made);
  return made;
}

function callOf(step: ToolStep, at: number, { effect: byName, verb, object }: Named): Call {
  const effect =
    step.write === undefined ? byName : step.write ? "write" : byName === "note" ? "note" : "read";
  const error = step.result === undefined ? undefined : errorOf(step.result, effect === "write");
  const worked = step.result !== undefined && error === undefined;
  return {
    step,
    at,
    tool: step.name,
    key: `${step.name}\u0000${canonical(step.args)}`,
    effect,
    verb,
    object,
    error,
    worked,
    empty: worked && step.result?.ok === true && isEmpty(step.result.data),
  };
}

/** What a call was answered with, as a text that equal answers share. */
export function answerOf(call: Call): string {
  const { result } = call.step;
  if (result === undefined) return "unanswered";
  return result.ok ? `data ${canonical(result.data)}` : `error ${call.error?.message ?? ""}`;
}

/** One argument: its name and value; positional ones are named by their place. */
export function entriesOf(args: Json): readonly (readonly [string, Json])[] {
  if (Array.isArray(args)) return args.map((value, place) => [String(place), value]);
  return isObject(args) ? Object.entries(args) : [["", args]];
}
