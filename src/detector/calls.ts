import { canonical, isObject, type Json, type JsonObject } from "../shared/json.ts";
import type { ToolResult, ToolStep, Trace } from "../trace/trace.ts";
import { isAbsence } from "./absence.ts";
import { isEmpty } from "./empty.ts";
import { leavesOf } from "./leaves.ts";
import { effectOf, partsOfName, wordsOfName, type Effect } from "./names.ts";
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
  const names = knownNames();
  const calls: Call[] = [];
  let at = 0;
  for (const step of trace.steps) {
    if (step.kind === "tool") calls.push(callOf(step, at, named(step.name, names)));
    at += 1;
  }
  return calls;
}

/** The same tools are called in trace after trace. One map for all copies of the package. */
const NAMES: unique symbol = Symbol.for("twiceshy.tool-names") as never;
const MOST_NAMES = 1000;

function knownNames(): Map<string, Named> {
  const shared = globalThis as { [NAMES]?: Map<string, Named> };
  return (shared[NAMES] ??= new Map());
}

function named(name: string, known: Map<string, Named>): Named {
  const found = known.get(name);
  if (found !== undefined) return found;
  const { verb, object } = partsOfName(name);
  const made = { effect: effectOf(name, { verb }), verb, object };
  if (known.size < MOST_NAMES) known.set(name, made);
  return made;
}

function callOf(step: ToolStep, at: number, { effect: byName, verb, object }: Named): Call {
  const effect =
    step.write === undefined ? byName : step.write ? "write" : byName === "note" ? "note" : "read";
  const error = step.result === undefined ? undefined : failureOf(step, step.result, effect);
  const worked = step.result !== undefined && error === undefined;
  return new Made(step, at, { effect, verb, object, error, worked });
}

type Known = Pick<Call, "effect" | "verb" | "object" | "error" | "worked">;

/** A call; whether it is empty is worked out when a detector asks. */
class Made implements Call {
  readonly step: ToolStep;
  readonly at: number;
  readonly tool: string;
  readonly effect: Effect;
  readonly verb: string;
  readonly object: string;
  readonly error: CallError | undefined;
  readonly worked: boolean;
  readonly key: string;
  #empty: boolean | undefined;

  constructor(step: ToolStep, at: number, known: Known) {
    this.step = step;
    this.at = at;
    this.tool = step.name;
    // At once: a call that cannot be written down cannot be judged at all.
    this.key = `${step.name}\u0000${canonical(step.args)}`;
    this.effect = known.effect;
    this.verb = known.verb;
    this.object = known.object;
    this.error = known.error;
    this.worked = known.worked;
  }

  get empty(): boolean {
    const { result } = this.step;
    return (this.#empty ??= this.worked && result?.ok === true && isEmpty(result.data));
  }
}

/** Tools that show what stands in a file. */
const SHOWS_FILES = /(?:^|[_.-])(?:cat|head|tail|files?|logs?)(?:$|[_.-])/u;

/** Why a call failed. What stands in a file, or a judging tool's reason to say no, is no error of the call. */
function failureOf(step: ToolStep, result: ToolResult, effect: Effect): CallError | undefined {
  const error = errorOf(result, effect === "write");
  if (error === undefined || error.source === "thrown" || effect !== "read") return error;
  const { data } = result;
  if (error.source === "text")
    return typeof data === "string" && isFileText(step, data) ? undefined : error;
  return error.source === "wrapper" && isObject(data) && isVerdict(data) ? undefined : error;
}

/** Members by which a tool that judges says no; the error beside them is its reason. */
const VERDICTS = ["valid", "isValid", "is_valid"];

function isVerdict(data: JsonObject): boolean {
  return VERDICTS.some((name) => Object.hasOwn(data, name) && data[name] === false);
}

/** A text of several lines out of a file, of which the first does not speak of the file itself. */
function isFileText({ name, args }: ToolStep, text: string): boolean {
  if (!SHOWS_FILES.test(wordsOfName(name).join("_"))) return false;
  const [first = "", ...more] = text.trim().split("\n");
  const named = leavesOf(args).some((leaf) => !leaf.number && first.includes(leaf.text));
  return more.length > 0 && !named && !isAbsence({ message: first, source: "text" });
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
