import { evaluateOne, type Evaluated } from "../check/evaluate.ts";
import type { Check, Subject, TrialSubject } from "../check/check.ts";
import { detect, type Failure } from "../detector/detector.ts";
import { messageOf } from "../shared/error.ts";
import { oneLine } from "../shared/text.ts";
import { isPromiseLike } from "../trace/promise-like.ts";
import type { Trace } from "../trace/trace.ts";
import { memo } from "./memo.ts";
import type { CheckOutcome, Trial } from "./trial-result.ts";
import type { FunctionCheck, WorkflowCheck } from "./workflow.ts";

export type Validate = NonNullable<Subject["validate"]>;

/** What checks look at; the trace and its failures are made when one asks. */
export interface CheckedTrial {
  readonly trial: TrialSubject;
  readonly trace: () => Trace;
  readonly validate?: Validate | undefined;
}

export function isFunctionCheck(check: WorkflowCheck): check is FunctionCheck {
  return "test" in check && typeof check.test === "function";
}

/** A check as data alone, without its name. */
function bareCheck(check: Check): Check {
  const { id: _id, label: _label, ...bare } = check as Check & { label?: string };
  return bare;
}

/** What data checks see of a trial. */
export function subjectFor(checked: CheckedTrial): Subject {
  return new CheckedSubject(checked);
}

class CheckedSubject implements Subject {
  readonly trial: TrialSubject;
  declare readonly validate?: Validate;
  readonly #make: () => Trace;
  #trace: Trace | undefined;
  #failures: readonly Failure[] | undefined;

  constructor({ trial, trace, validate }: CheckedTrial) {
    this.trial = trial;
    this.#make = trace;
    if (validate !== undefined) this.validate = validate;
  }

  get trace(): Trace {
    return (this.#trace ??= this.#make());
  }

  get failures(): readonly Failure[] {
    const { validate } = this;
    return (this.#failures ??= detect(this.trace, validate === undefined ? {} : { validate }));
  }
}

/** Evaluates a trial's checks, in their order. A check that crashes does not hold. Never throws. */
export function judgeChecks(
  checks: readonly WorkflowCheck[],
  subject: Subject,
  trial: Trial,
): CheckOutcome[] {
  const outcomes: CheckOutcome[] = [];
  for (const check of checks) {
    const { id, label } = check;
    const result = isFunctionCheck(check)
      ? byFunction(check, trial)
      : evaluateOne(memo("bare-check", check, bareCheck), subject);
    outcomes.push(label === undefined ? { id, ...result } : { id, label, ...result });
  }
  return outcomes;
}

/** What a person should look at although the checks hold, once each. */
export function warningsOf(checks: readonly CheckOutcome[]): readonly string[] {
  const said = new Set<string>();
  for (const { id, label, warning } of checks)
    if (warning !== undefined)
      said.add(`the check ${JSON.stringify(oneLine(label ?? id, 80))}: ${oneLine(warning, 400)}`);
  return [...said];
}

const FUNCTION: Check = { type: "function" };

function byFunction(check: FunctionCheck, trial: Trial): Evaluated {
  try {
    const told: unknown = check.test(trial);
    if (told === true) return { check: FUNCTION, passed: true, message: "the function gave true" };
    if (typeof told === "string")
      return { check: FUNCTION, passed: false, message: oneLine(told, 1000) };
    if (told === false)
      return { check: FUNCTION, passed: false, message: "the function gave false" };
    return { check: FUNCTION, passed: false, message: `the function gave ${given(told)}` };
  } catch (thrown) {
    return { check: FUNCTION, passed: false, message: oneLine(messageOf(thrown), 1000) };
  }
}

function given(told: unknown): string {
  if (!isPromiseLike(told))
    return `a value of type ${typeof told}; a check gives true, false or a text that says why`;
  told.then(undefined, () => undefined);
  return "a promise; a check must answer at once";
}
