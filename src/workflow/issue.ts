import { clip, oneLine } from "../shared/text.ts";
import type { TraceError } from "../trace/trace.ts";
import type { Side, TrialEvent, TrialIssue } from "./trial-result.ts";

/**
 * Why a trial ended otherwise than by its completion: told by the first event that says so, and by nothing else, so that a report can
 * be judged again. Undefined when there is none.
 */
export function issueOf(events: readonly TrialEvent[]): TrialIssue | undefined {
  for (const event of events) {
    if (event.kind === "error") return errorIssue(event);
    if (event.kind === "limit")
      return { side: event.side ?? "agent", code: event.code, message: event.message };
  }
  return undefined;
}

const CODES: Readonly<Record<Side, string>> = {
  agent: "agent_error",
  tool: "tool_contract",
  world: "world_contract",
  runner: "runner_error",
};

function errorIssue(event: TrialEvent & { kind: "error" }): TrialIssue {
  const { side, error } = event;
  const code = event.code ?? CODES[side];
  return { side, code, message: sentence(side, code, error) };
}

function sentence(side: Side, code: string, error: TraceError): string {
  if (side !== "agent") return oneLine(error.message, 1200);
  const what = said(error);
  if (code === "stray_rejection")
    return `a promise of the agent was rejected and nobody had awaited it: ${what}`;
  if (code === "uncaught_error") return `a timer or another callback of the agent threw ${what}`;
  return `the agent threw ${what}`;
}

function said({ name, code, message }: TraceError): string {
  const named = [name, code === undefined ? undefined : `(${code})`].filter(
    (part) => part !== undefined,
  );
  const text = clip(oneLine(message), 600);
  return named.length === 0 ? text : `${named.join(" ")}: ${text}`;
}
