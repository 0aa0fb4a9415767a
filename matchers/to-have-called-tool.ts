/* oxlint-disable oxc/no-this-in-exported-function -- both runners give a matcher its state as `this` */
import type { Json, ReplayResult, Trace } from "../src/runtime.ts";
import { decode } from "../src/shared/encode.ts";
import { isObject } from "../src/shared/json.ts";
import { examine, type MatcherOutcome, type MatcherThis } from "./matcher.ts";
import { message, show, some } from "./message.ts";

type ToolStep = Extract<Trace["steps"][number], { kind: "tool" }>;

/**
 * Passes when the tool was called and answered. `args` names members that the call must have (asymmetric matchers
 * are fine); members that are not named do not matter. `.not` counts attempts: a call that was never answered,
 * or that no recording could answer, was made all the same.
 */
export function toHaveCalledTool(
  this: MatcherThis,
  received: unknown,
  ...[name, args]: [name: string, args?: unknown]
): MatcherOutcome {
  const { trace, result, trial } = examine(received, "toHaveCalledTool");
  const calls = trace.steps.filter((step) => step.kind === "tool");
  const attempts = calls.filter(
    (step) => step.name === name && (args === undefined || agrees(this, step.args, args)),
  );
  const made = this.isNot ? attempts : attempts.filter((step) => isAnswered(step, result));
  const { isNot } = this;
  return {
    pass: made.length > 0,
    message: () =>
      message({
        trial,
        call: `${isNot ? "not." : ""}toHaveCalledTool(${JSON.stringify(name)}${args === undefined ? "" : ", ..."})`,
        expected: `${isNot ? "no" : "a"} call of ${name}${args === undefined ? "" : ` with ${shown(args)}`}`,
        received: summary(calls, name, attempts.length),
        evidence: some(
          calls.map(
            (step) => `step ${step.index}: ${step.name}(${show(step.args)})${note(step, result)}`,
          ),
        ),
      }),
  };
}

function agrees(matcher: MatcherThis, recorded: Json, wanted: unknown): boolean {
  const live = decode(recorded);
  if (!isPlain(live) || !isPlain(wanted)) return matcher.equals(live, wanted);
  return Object.keys(wanted).every(
    (key) => Object.hasOwn(live, key) && matcher.equals(live[key], wanted[key]),
  );
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !("asymmetricMatch" in value);
}

function isAnswered(step: ToolStep, result: ReplayResult | undefined): boolean {
  return (
    step.result !== undefined && !(result?.misses.some((miss) => miss.step === step.index) ?? false)
  );
}

function note(step: ToolStep, result: ReplayResult | undefined): string {
  return isAnswered(step, result) ? "" : " (not answered)";
}

function summary(calls: readonly ToolStep[], name: string, matching: number): string {
  const named = calls.filter((step) => step.name === name).length;
  if (calls.length === 0) return "no tool call at all";
  return `${calls.length} tool calls, ${named} of ${name}, ${matching} of them as described`;
}

function shown(args: unknown): string {
  try {
    return JSON.stringify(args) ?? String(args);
  } catch {
    return "arguments that JSON cannot show";
  }
}
