import { nearest } from "../shared/nearest.ts";
import { oneLine } from "../shared/text.ts";
import type { SeenCall, Subject, TrialSubject } from "./check.ts";
import { toolSteps } from "./evidence.ts";

/** A tool call as a check that may also be used on a replay sees it. */
export type Called = Omit<SeenCall, "evidence"> & { readonly evidence?: string };

/** The calls of a trial, or of the trace where there is none. */
export function callsOf({ trial, trace }: Subject): readonly Called[] {
  if (trial !== undefined) return trial.calls;
  return toolSteps(trace).map(({ name, args, result }) =>
    result === undefined ? { tool: name, args } : { tool: name, args, result },
  );
}

/** The evidence of these calls, in a trial. */
export function shownBy(
  calls: readonly Called[],
  { trial }: Subject,
): { readonly evidence?: readonly string[] } {
  if (trial === undefined) return {};
  return { evidence: calls.flatMap(({ evidence }) => (evidence === undefined ? [] : [evidence])) };
}

/** Warns of names that no tool of the world has: a check of a misspelt tool says nothing. */
export function warningOf(
  names: readonly string[],
  trial: TrialSubject | undefined,
): { readonly warning?: string } {
  const unknown = [...new Set(names)].filter((name) => trial?.tools.includes(name) === false);
  if (trial === undefined || unknown.length === 0) return {};
  return { warning: unknown.map((name) => noSuchTool(name, trial.tools)).join("; ") };
}

function noSuchTool(name: string, tools: readonly string[]): string {
  const meant = nearest(name, tools);
  const shown = JSON.stringify(oneLine(name, 60));
  if (meant !== undefined) {
    return `the world has no tool ${shown}; did you mean ${JSON.stringify(oneLine(meant, 60))}?`;
  }
  const known = tools.length === 0 ? "none" : oneLine(tools.join(", "), 200);
  return `the world has no tool ${shown}; it has ${known}`;
}

/** "no call", "1 call", "3 calls". */
export function manyCalls(count: number): string {
  return `${count === 0 ? "no" : count} ${count === 1 ? "call" : "calls"}`;
}

/** The code or name of the error that a call was answered with; undefined when it was answered with data. */
export function errorOf({ result }: Called): string | undefined {
  if (result === undefined) return "no answer";
  if (result.ok) return undefined;
  const { code, name, message } = result.error;
  return oneLine(String(code ?? name ?? message), 60);
}
