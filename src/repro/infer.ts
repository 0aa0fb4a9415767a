import type { Check } from "../check/check.ts";
import { outputText } from "../check/evidence.ts";
import { byCodeUnit, canonical, isObject, type Json, type JsonObject } from "../shared/json.ts";
import { clip } from "../shared/text.ts";
import type { ToolStep, Trace } from "../trace/trace.ts";
import { groundedFacts } from "./facts.ts";

/** What a later success of the task says about a failed run. */
export interface Inferred {
  readonly checks: readonly Check[];
  /** What the success did differently, for a reviewer. */
  readonly diff: JsonObject;
}

/**
 * Checks from a later success: the facts of its answer that its tools' results ground, tools that only the success
 * called, a budget of twice its calls (at least 3). A structured answer without prose is to be equal; prose never is.
 */
export function inferChecks(failing: Trace, success: Trace): Inferred {
  const [before, after] = [callsOf(failing), callsOf(success)];
  const called = onlyIn(after, before);
  return {
    checks: [
      ...outputChecks(success),
      ...called.map((name) => ({ type: "tool_called", name })),
      { type: "max_tool_calls", value: Math.max(3, 2 * after.length) },
    ],
    diff: {
      calls: { failure: before.length, success: after.length },
      firstDivergentCall: firstDivergence(before, after),
      onlyInFailure: onlyIn(before, after),
      onlyInSuccess: called,
      outputs: { failure: shortened(failing.output), success: shortened(success.output) },
    },
  };
}

function outputChecks(success: Trace): Check[] {
  const { output } = success;
  if (output === undefined || output === null) return [];
  const structured = structuredPart(output);
  if (structured !== undefined && !hasProse(structured)) {
    return [{ type: "output_equals", value: structured }];
  }
  return groundedFacts(success, outputText(output)).map((value) => ({
    type: "output_contains",
    value,
  }));
}

/** The part of an answer that a program reads: a completion's `output`, or an answer that is no text. */
function structuredPart(output: Json): Json | undefined {
  if (typeof output === "string") return undefined;
  if (!isObject(output) || typeof output["message"] !== "string") return output;
  const inner = output["output"];
  return inner === undefined || inner === null || typeof inner === "string" ? undefined : inner;
}

/** Whether some text in a value would be worded otherwise another time. */
function hasProse(value: Json): boolean {
  if (typeof value === "string") return value.length > 40 || value.trim().split(/\s+/).length > 4;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some((member) => hasProse(member));
}

function callsOf(trace: Trace): readonly ToolStep[] {
  return trace.steps.filter((step) => step.kind === "tool");
}

function onlyIn(calls: readonly ToolStep[], others: readonly ToolStep[]): string[] {
  const known = new Set(others.map(({ name }) => name));
  const names = calls
    .map(({ name }) => name)
    .filter((name) => !known.has(name) && name.trim() !== "");
  return [...new Set(names)].sort(byCodeUnit);
}

/** Place of the first call, from 0, in which two runs differ; null when their calls are the same. */
function firstDivergence(before: readonly ToolStep[], after: readonly ToolStep[]): number | null {
  const length = Math.max(before.length, after.length);
  for (let i = 0; i < length; i++) {
    const [a, b] = [before[i], after[i]];
    const equal = a?.name === b?.name && canonical(a?.args) === canonical(b?.args);
    if (!equal) return i;
  }
  return null;
}

const LONGEST_OUTPUT = 2000;

function shortened(output: Json | undefined): Json {
  if (output === undefined) return null;
  const text = typeof output === "string" ? output : canonical(output);
  return text.length <= LONGEST_OUTPUT ? output : clip(text, LONGEST_OUTPUT);
}
