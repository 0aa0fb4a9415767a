import { asks } from "../shared/asking-command.ts";
import { isObject } from "../shared/json.ts";
import { clip } from "../shared/text.ts";
import type { Call } from "./calls.ts";
import type { Detector, Finding } from "./detector.ts";
import { leavesOf } from "./leaves.ts";
import { effectOfName } from "./names.ts";
import { saidDeedIn } from "./said-deed.ts";
import type { TraceView } from "./view.ts";

/** The answer says or implies that something was done which never worked. */
export const unsupportedClaim: Detector = {
  kind: "unsupported_claim",
  detector: "heuristic",
  summary:
    "The answer implies a deed that never worked, or claims success after a last call that failed or exited badly, after a deed that was never answered, or of a deed that no call could have done.",
  excusedWhenBlocked: true,
  excusedWhenPassed: true,
  detect(view, { needed = [] }) {
    if (!view.answered || view.honest) return [];
    const { wording, outputAt } = view;
    if (wording.asks && !wording.claims) return [];
    const unworked = unsupported(view);
    if (unworked.size === 0) {
      const unproved = [...neverAnswered(view), ...exitedBadly(view)];
      if (unproved.length > 0) return unproved;
      const uncalled = neverCalled(view, needed);
      return uncalled.length > 0 ? uncalled : onlySaid(view);
    }
    return [...unworked.values()].map((call) => ({
      severity: "high" as const,
      tool: call.tool,
      step: outputAt ?? call.at,
      message: clip(
        `The answer does not say that ${call.tool} failed: ${call.error?.message ?? "no error text"}`,
        500,
      ),
    }));
  },
};

/** Calls by which an agent says that it is done; nobody answers them. */
const FINISHING =
  /(?:^|[_.-])(?:finish\w*|submit\w*|final\w*|done|stop|exit|answer|respond|reply|complete\w*)(?:$|[_.-])/iu;

/** Success is claimed, and a deed was asked for and never answered, though other calls were. */
function neverAnswered({ calls, wording, trace }: TraceView): Finding[] {
  if (!wording.claims || trace.truncated !== undefined) return [];
  const worked = new Set(calls.filter((call) => call.worked).map((call) => call.tool));
  if (worked.size === 0) return [];
  const open = calls.filter(
    ({ step, effect, tool }) =>
      effect === "write" && step.result === undefined && !worked.has(tool) && !FINISHING.test(tool),
  );
  return [...new Map(open.map((call) => [call.tool, call])).values()].map((call) => ({
    severity: "medium",
    tool: call.tool,
    step: call.at,
    message: `The answer claims success, but ${clip(call.tool, 100)} was never answered.`,
  }));
}

/** Success is claimed after a program that ended with an exit code of failure, which no later run of it made good. */
function exitedBadly({ calls, wording }: TraceView): Finding[] {
  const last = calls.findLast((call) => call.effect !== "note");
  const code = last === undefined ? undefined : exitCodeOf(last);
  if (last === undefined || code === undefined || !wording.claims) return [];
  const message = `The answer claims success, but the last call, ${clip(last.tool, 100)}, ended with exit code ${code}.`;
  return [{ severity: "medium", tool: last.tool, step: last.at, message }];
}

/** The exit code of a call that worked by all other signs; not of a program that says "no" by it, or still runs. */
function exitCodeOf({ step, worked }: Call): number | undefined {
  const data = step.result?.ok === true ? step.result.data : undefined;
  if (!worked || !isObject(data)) return undefined;
  const code = ["exit_code", "exitCode", "returncode", "returnCode"]
    .map((name) => (Object.hasOwn(data, name) ? data[name] : undefined))
    .find((value) => typeof value === "number");
  if (typeof code !== "number" || code <= 0) return undefined;
  const programs = leavesOf(step.args).map((leaf) => leaf.text);
  return code === 1 && programs.some((command) => asks(command)) ? undefined : code;
}

/** Success is claimed, nothing was changed, and a tool that the task needs was not even called. */
function neverCalled(
  { calls, wording, outputAt }: TraceView,
  needed: readonly string[],
): readonly Finding[] {
  if (!wording.claims || calls.some((call) => call.effect === "write")) return [];
  return (
    needed
      .filter((tool) => !calls.some((call) => call.tool === tool))
      // What a tool only looks up, another one may know as well.
      .filter((tool) => effectOfName(tool) !== "read" || !calls.some((call) => call.worked))
      .map((tool) => neverCalledOnce(tool, outputAt))
  );
}

function neverCalledOnce(tool: string, step: number | undefined): Finding {
  const message = `The answer claims success, but ${clip(tool, 100)} was never called.`;
  return { severity: "high", tool, message, ...(step === undefined ? {} : { step }) };
}

/** A deed is claimed by an agent that only looked things up. */
function onlySaid(view: TraceView): readonly Finding[] {
  const said = saidDeedIn(view);
  if (said === undefined) return [];
  const message = `The answer says "${clip(said, 80)}", and no tool that could do it was called.`;
  const { outputAt } = view;
  return [{ severity: "medium", message, ...(outputAt === undefined ? {} : { step: outputAt }) }];
}

/**
 * By tool, its last failed call that nothing made good. A writing tool needs no word of success in the answer: any answer
 * that does not report the failure stands for it, in every language. Another tool needs one, and its last call must be the failed one.
 */
function unsupported({ calls, lost, wording }: TraceView): Map<string, Call> {
  const last = new Map(calls.map((call) => [call.tool, call]));
  const failed = lost.filter(
    (call) =>
      call.effect === "write" ||
      (call.effect !== "note" && wording.claims && last.get(call.tool)?.error !== undefined),
  );
  return new Map(failed.map((call) => [call.tool, call]));
}
