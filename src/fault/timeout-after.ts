import { isPromise, type Answer, type Awaitable, type ToolCall } from "../boundary/boundary.ts";
import type { ToolResult } from "../trace/trace.ts";
import type { Armed, Fault, FaultType } from "./fault.ts";
import { ERROR_FIELDS, timeOut } from "./refusal.ts";
import { WAS_ERROR } from "./reshaping.ts";

export const timeoutAfter = {
  type: "timeout_after",
  label: "lost confirmation",
  summary:
    "The call is carried out and commits, but the agent gets a timeout instead of the answer.",
  appliesTo: ["read", "write"],
  fields: ERROR_FIELDS,
  matrix: "writes",
  commits: "all",
  arm: (fault, armed) => (call, next) =>
    armed.selects(call) === undefined ? next(call) : lose(call, next, { fault, armed }),
} as const satisfies FaultType;

interface Loss {
  readonly fault: Fault;
  readonly armed: Armed;
}

/**
 * The agent is told at the very moment at which `timeout_before` would tell it, even if the tool is still at work: it then goes on, and
 * commits. An error that comes sooner is passed on, as nothing was confirmed.
 */
function lose(call: ToolCall, next: Answer, { fault, armed }: Loss): Awaitable<ToolResult> {
  const { arena, selects } = armed;
  let state: "open" | "reached" | "missed" = "open";
  const reach = (): void => {
    if (state !== "open") return;
    state = "reached";
    arena.reached(call, { occurrence: selects(call) ?? 0 });
  };
  const timeout = timeOut(arena, fault, reach);
  const settle = (result: ToolResult): void => {
    if (!result.ok && state !== "reached") {
      state = "missed";
      arena.missed(call, WAS_ERROR);
      timeout.instead(result);
      return;
    }
    arena.hidden(call, result);
    reach();
  };
  const answer = next(call);
  if (isPromise(answer)) {
    arena.goesOn(
      call,
      answer.then(settle, () => undefined),
    );
    return timeout.told;
  }
  settle(answer);
  return answer.ok ? timeout.told : answer;
}
