import { messageOf } from "../shared/error.ts";
import { oneLine } from "../shared/text.ts";
import * as builtin from "./builtin.ts";
import type { Check, CheckKind, CheckResult, Subject } from "./check.ts";

/** A check's result; `crashed` says that nothing is known, which is never a pass. */
export interface Evaluated extends CheckResult {
  readonly crashed?: true;
}

/** Every built-in kind by its type. */
export function checkKinds(): ReadonlyMap<string, CheckKind> {
  return KINDS;
}

const KINDS: ReadonlyMap<string, CheckKind> = new Map(
  Object.values<CheckKind>(builtin).map((kind) => [kind.type, kind]),
);

/**
 * Evaluates checks in their order. Never throws: an unknown type or a crash is not passed, says so in its message and is
 * marked `crashed`, and so is a kind that looks at another sort of run.
 */
export function evaluate(checks: readonly Check[], subject: Subject): readonly Evaluated[] {
  return checks.map((check) => evaluateOne(check, subject));
}

/** The same for one check. */
export function evaluateOne(check: Check, subject: Subject): Evaluated {
  const kind = KINDS.get(check.type);
  try {
    if (kind === undefined) {
      const message = `the check type ${oneLine(JSON.stringify(check.type), 60)} is unknown`;
      return { check, passed: false, message, crashed: true };
    }
    const elsewhere = whyElsewhere(kind, subject);
    if (elsewhere === undefined) return { check, ...kind.evaluate(check, subject) };
    return { check, passed: false, message: elsewhere, crashed: true };
  } catch (thrown) {
    const message = `the check crashed: ${oneLine(messageOf(thrown), 200)}`;
    return { check, passed: false, message, crashed: true };
  }
}

/** Why nothing can be said about such a run. */
function whyElsewhere({ type, on = "replay" }: CheckKind, { trial }: Subject): string | undefined {
  if (trial === undefined && on === "trial") {
    return `the check "${type}" looks at a fault trial, and this run is none`;
  }
  if (trial !== undefined && on === "replay") {
    return `the check "${type}" looks at a replay, and this run is a fault trial`;
  }
  return undefined;
}
