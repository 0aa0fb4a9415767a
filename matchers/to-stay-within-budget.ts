/* oxlint-disable oxc/no-this-in-exported-function -- both runners give a matcher its state as `this` */
import type { Trace } from "../src/runtime.ts";
import { failure } from "../src/shared/error.ts";
import { examine, type Examined, type MatcherOutcome, type MatcherThis } from "./matcher.ts";
import { message } from "./message.ts";

/** Upper bounds, each included: 3 tool calls are within `{ toolCalls: 3 }`. */
export interface Budget {
  readonly toolCalls?: number;
  /** Input and output tokens of all model calls together. */
  readonly tokens?: number;
  /** Milliseconds from start to end; of a trial on its own clock. */
  readonly ms?: number;
}

const MEASURES: Readonly<Record<keyof Budget, (run: Examined) => number | undefined>> = {
  toolCalls: ({ trial, trace }) =>
    trial === undefined
      ? trace.steps.filter((step) => step.kind === "tool").length
      : trial.toolCalls,
  tokens: ({ trace }) => tokensOf(trace),
  ms: ({ trial, trace }) =>
    trial?.clock === undefined ? trace.durationMs : trial.clock.endMs - trial.clock.startMs,
};

/**
 * Passes when the run used no more than the budget.
 * @throws E_BUDGET_KEY for a budget that names nothing or something else
 * @throws E_BUDGET_UNKNOWN when the trace does not tell how much was used, because unknown is not within
 */
export function toStayWithinBudget(
  this: MatcherThis,
  received: unknown,
  budget: Budget,
): MatcherOutcome {
  const run = examine(received, "toStayWithinBudget");
  const used = limitsOf(budget).map(([name, limit]) => ({
    name,
    limit,
    used: measure(run, name),
  }));
  const over = used.filter((one) => one.used > one.limit);
  const { isNot } = this;
  return {
    pass: over.length === 0,
    message: () =>
      message({
        trial: run.trial,
        call: `${isNot ? "not." : ""}toStayWithinBudget(${JSON.stringify(budget)})`,
        expected: `${isNot ? "more than" : "at most"} ${used.map((one) => `${one.limit} ${one.name}`).join(", ")}`,
        received: used.map((one) => `${Math.round(one.used)} ${one.name}`).join(", "),
      }),
  };
}

function limitsOf(budget: Budget): [keyof Budget, number][] {
  const entries = Object.entries(budget).filter(([, limit]) => limit !== undefined);
  const wrong = entries.find(
    ([name, limit]) => !isMeasure(name) || typeof limit !== "number" || !(limit >= 0),
  );
  if (wrong !== undefined || entries.length === 0) {
    throw failure("E_BUDGET_KEY", {
      to: "use toStayWithinBudget()",
      because:
        wrong === undefined
          ? "the budget names nothing"
          : `${JSON.stringify(wrong[0])} is no budget or no number`,
      fix: "Give one or more of toolCalls, tokens and ms, each a number from 0",
    });
  }
  return entries.filter((entry): entry is [keyof Budget, number] => isMeasure(entry[0]));
}

function isMeasure(name: string): name is keyof Budget {
  return Object.hasOwn(MEASURES, name);
}

function measure(run: Examined, name: keyof Budget): number {
  const used = MEASURES[name](run);
  if (used !== undefined) return used;
  throw failure("E_BUDGET_UNKNOWN", {
    to: `compare ${name} with a budget`,
    because: `the trace does not tell its ${name}`,
    fix:
      name === "tokens"
        ? "Give usage to recorder.model(response, { usage })"
        : "Record the trace with record() or replay()",
  });
}

function tokensOf(trace: Trace): number | undefined {
  const usages =
    trace.usage === undefined
      ? trace.steps.flatMap((step) => (step.kind === "model" && step.usage ? [step.usage] : []))
      : [trace.usage];
  if (usages.length === 0) return undefined;
  let sum = 0;
  for (const usage of usages)
    sum += usage.totalTokens ?? (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
  return sum;
}
