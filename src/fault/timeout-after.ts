import { isPromise, type Awaitable, type ToolCall } from "../boundary/boundary.ts";
import type { ToolResult } from "../trace/trace.ts";
import { wait } from "./after.ts";
import type { Armed, Fault, FaultType } from "./fault.ts";
import { numberOf } from "./own.ts";
import { ERROR_FIELDS, refusal, refuse, TIMED_OUT } from "./refusal.ts";
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
    armed.selects(call) === undefined ? next(call) : lose(next(call), call, { fault, armed }),
} as const satisfies FaultType;

interface Loss {
  readonly fault: Fault;
  readonly armed: Armed;
}

function lose(answer: Awaitable<ToolResult>, call: ToolCall, loss: Loss): Awaitable<ToolResult> {
  if (isPromise(answer)) return loseLate(answer, call, loss);
  const { fault, armed } = loss;
  if (!answer.ok) {
    armed.arena.missed(call, WAS_ERROR);
    return answer;
  }
  armed.arena.hidden(call, answer);
  reach(call, armed);
  return refuse(armed.arena, fault, refusal(fault, TIMED_OUT));
}

/**
 * A tool that takes time: the agent is told at the very moment at which `timeout_before` would tell it, even if the tool is still at work.
 * The tool then goes on, and commits. An error that comes sooner is passed on, as nothing was confirmed.
 */
async function loseLate(
  answer: Promise<ToolResult>,
  call: ToolCall,
  { fault, armed }: Loss,
): Promise<ToolResult> {
  const { arena } = armed;
  let told = false;
  const lost = soon(armed, numberOf(fault, "delayMs", 0)).then(() => {
    told = true;
    return undefined;
  });
  const original = answer.then((result) => {
    if (told || result.ok) arena.hidden(call, result);
    return result;
  });
  arena.goesOn(call, original);
  const first = await Promise.race([original, lost]);
  if (first !== undefined && !first.ok) {
    arena.missed(call, WAS_ERROR);
    return first;
  }
  reach(call, armed);
  await lost;
  return refusal(fault, TIMED_OUT);
}

function soon({ arena }: Armed, ms: number): Promise<unknown> {
  if (ms > 0) return Promise.resolve(wait(arena.clock, ms, undefined));
  return arena.clock.sleep(0).catch(() => undefined);
}

function reach(call: ToolCall, { arena, selects }: Armed): void {
  arena.reached(call, { occurrence: selects(call) ?? 0 });
}
