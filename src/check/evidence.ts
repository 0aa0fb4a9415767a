import type { Failure } from "../detector/detector.ts";
import { canonical, isObject, type Json } from "../shared/json.ts";
import { clip, oneLine } from "../shared/text.ts";
import type { ToolStep, Trace } from "../trace/trace.ts";

/** A value as one short line of a message. */
export function shown(value: Json | undefined): string {
  if (value === undefined) return "no output";
  return clip(oneLine(canonical(value)), 200);
}

/** The failures that count: all but the low ones. */
export function realOnes(failures: readonly Failure[]): readonly Failure[] {
  return failures.filter(({ severity }) => severity !== "low");
}

export function describeFailures(found: readonly Failure[]): string {
  if (found.length === 0) return "no such failure";
  return found.map(({ signature, message }) => `${signature}: ${oneLine(message, 160)}`).join("; ");
}

/** A text field of a check; what is no text there is a broken check. */
export function textOf(value: Json | undefined): string {
  if (typeof value !== "string") throw new TypeError(`a text is wanted, found ${shown(value)}`);
  return value;
}

export function textsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

export function toolSteps(trace: Trace): readonly ToolStep[] {
  return trace.steps.filter((step) => step.kind === "tool");
}

/** "3 calls: a, b, a", or that there was none. */
export function describeCalls(calls: readonly { readonly tool: string }[]): string {
  if (calls.length === 0) return "no tool was called";
  const names = calls.slice(0, 12).map(({ tool }) => oneLine(tool, 60));
  const rest = calls.length > names.length ? ", …" : "";
  return `${calls.length} ${calls.length === 1 ? "call" : "calls"}: ${names.join(", ")}${rest}`;
}

/** What a person reads of an output: a text as it is, a completion's message and output, else canonical JSON. */
export function outputText(output: Json | undefined): string {
  if (output === undefined) return "";
  if (typeof output === "string") return output;
  if (isCompletion(output)) {
    const rest = output["output"];
    const text = rest === undefined ? "" : `\n${typeof rest === "string" ? rest : canonical(rest)}`;
    return `${output["message"]}${text}`;
  }
  return canonical(output);
}

function isCompletion(output: Json): output is { message: string } & Record<string, Json> {
  return (
    isObject(output) &&
    typeof output["message"] === "string" &&
    (output["status"] === "completed" || output["status"] === "blocked")
  );
}
