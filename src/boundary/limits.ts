import { monotonic } from "../shared/clock.ts";
import { errorOf } from "./tool-error.ts";
import type { Layer } from "./boundary.ts";

/** What ends the agent's calls. */
interface CallLimits {
  /** Calls that are let through; no limit when missing. */
  readonly toolCalls?: number | undefined;
  /** Aborted when the agent's time is over: no call is let through any more. A real signal would cost each run an event. */
  readonly signal?: Pick<AbortSignal, "aborted"> & { readonly reason?: unknown };
  /** When the time is over, on `monotonic()`; a loop that never yields to timers ends by this. */
  readonly until?: number | undefined;
  /** Told at each refusal. */
  readonly onRefused?: (error: Error) => void;
}

const MOST_REFUSALS = 100;

/** On our own refusals alone, in every copy of the package: an agent's error may have any code. */
const REFUSED: unique symbol = Symbol.for("twiceshy.refused") as never;

/**
 * Refuses calls beyond the budgets by throwing an error named `CallBudgetExceeded`, `TimeBudgetExceeded` or
 * `LateToolCall`. Put it before the recorder: a refused call never happened.
 */
export function limits(budgets: CallLimits): Layer {
  const { toolCalls, signal, until, onRefused } = budgets;
  let calls = 0;
  let refused = 0;
  const refuse = (error: Error): Promise<never> => {
    refused += 1;
    onRefused?.(error);
    // An agent that calls again and again whatever it is told must not run for ever: it is left waiting.
    if (refused > MOST_REFUSALS) return new Promise<never>(() => undefined);
    throw error;
  };
  return (call, next) => {
    if (signal?.aborted === true) return refuse(lateCall(call.tool, signal.reason));
    if (until !== undefined && monotonic() >= until) return refuse(timeBudgetExceeded(call.tool));
    if (toolCalls !== undefined && calls >= toolCalls)
      return refuse(callBudgetExceeded(call.tool, toolCalls));
    calls += 1;
    return next(call);
  };
}

/** Marks an error as a refusal of ours. */
export function asRefusal(error: Error): Error {
  return Object.defineProperty(error, REFUSED, { value: true });
}

/** Whether an error is a refusal of ours: a budget is used up. */
export function isRefusal(thrown: unknown): thrown is Error {
  return typeof thrown === "object" && thrown !== null && REFUSED in thrown;
}

function callBudgetExceeded(tool: string, toolCalls: number): Error {
  const message = `Failed to call ${tool}: the budget of ${toolCalls} tool calls is used up. Raise the budget if the agent needs more, else look for a loop.`;
  return asRefusal(
    errorOf({ name: "CallBudgetExceeded", code: "E_CALL_BUDGET", message, retryable: false }),
  );
}

function timeBudgetExceeded(tool: string): Error {
  const message = `Failed to call ${tool}: the agent's time is over. Raise the time budget if the agent needs more.`;
  return asRefusal(
    errorOf({ name: "TimeBudgetExceeded", code: "E_TIME_BUDGET", message, retryable: false }),
  );
}

function lateCall(tool: string, reason: unknown): Error {
  if (isRefusal(reason) && "code" in reason && reason.code === "E_CALL_BUDGET") return reason;
  const message = `Failed to call ${tool}: the agent's execution has ended. Await every tool call before the agent returns, and stop when context.signal is aborted.`;
  return asRefusal(
    errorOf({ name: "LateToolCall", code: "E_CALL_LATE", message, retryable: false }),
  );
}
