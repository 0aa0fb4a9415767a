import { subjectFor } from "../src/workflow/judge-checks.ts";
import { subjectOf } from "../src/workflow/subject.ts";
import { isTrial, type Trial } from "../src/workflow/trial-result.ts";
import type { Subject } from "../src/check/check.ts";
import { pointerProblem } from "../src/check/pointer-path.ts";
import { failure } from "../src/shared/error.ts";
import { nearest } from "../src/shared/nearest.ts";
import { oneLine } from "../src/shared/text.ts";
import { refusal } from "./matcher.ts";

/**
 * The trial that was given to `expect`.
 * @throws E_MATCHER_RECEIVED for anything else, such as a promise that was not awaited
 */
export function trialGiven(received: unknown, matcher: string): Trial {
  if (isTrial(received)) return received;
  throw refusal(received, matcher, "a fault trial");
}

/** What checks see of a trial. */
export function seen(trial: Trial): Subject {
  return subjectFor({
    trial: subjectOf(trial.events, trial, trial.tools),
    trace: () => trial.trace,
  });
}

/**
 * Refuses the name of a tool that the world does not have: nothing that is said of it can be wrong.
 * @throws E_MATCHER_TOOL
 */
export function refuseUnknownTool({ tools }: Trial, tool: unknown, matcher: string): void {
  if (typeof tool === "string" && tools.includes(tool)) return;
  const name = String(tool);
  const meant = nearest(name.slice(0, 100), tools);
  throw failure("E_MATCHER_TOOL", {
    to: `use ${matcher}()`,
    because: `the world has no tool ${JSON.stringify(oneLine(name, 60))}`,
    fix:
      meant === undefined
        ? `It has ${tools.length === 0 ? "none" : oneLine(tools.join(", "), 200)}`
        : `Did you mean ${JSON.stringify(oneLine(meant, 60))}`,
  });
}

/**
 * Refuses what is no JSON Pointer.
 * @throws E_MATCHER_POINTER
 */
export function refuseBadPointer(pointer: unknown, matcher: string): void {
  const problem =
    typeof pointer === "string" ? pointerProblem(pointer) : "a JSON Pointer is a text";
  if (problem === undefined) return;
  throw failure("E_MATCHER_POINTER", {
    to: `use ${matcher}()`,
    because: problem,
    fix: 'Name a place in the state, such as "/bookings/0"',
  });
}
