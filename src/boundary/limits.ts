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
const REFUSALS: ReadonlySet<unknown> = new Set(["E_CALL_BUDGET", "E_TIME_BUDGET", "E_CALL_LATE"]);

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

/** Whether an error says that a budget is used up, also from another copy of the package. */
export function isRefusal(thrown: unknown): thrown is Error {
  if (typeof thrown !== "object" || thrown === null) return false;
  return "code" in thrown && REFUSALS.has(thrown.code);
}

function callBudgetExceeded(tool: string, toolCalls: number): Error {
  const message = `Failed to call ${tool}: the budget of ${toolCalls} tool calls is used up. Raise the budget if the agent needs more, else look for a loop.`;
  return errorOf({ name: "CallBudgetExceeded", code: "E_CALL_BUDGET", message, retryable: false });
}

function timeBudgetExceeded(tool: string): Error {
  const message = `Failed to call ${tool}: the agent's time is over. Raise the time budget if the agent needs more.`;
  return errorOf({ name: "TimeBudgetExceeded", code: "E_TIME_BUDGET", message, retryable: false });
}

function lateCall(tool: string, reason: unknown): Error {
  if (isRefusal(reason) && "code" in reason && reason.code === "E_CALL_BUDGET") return reason;
  const message = `Failed to call ${tool}: the agent's execution has ended. Await every tool call before the agent returns, and stop when context.signal is aborted.`;
  return errorOf({ name: "LateToolCall", code: "E_CALL_LATE", message, retryable: false });
}
