import { after, wait } from "./after.ts";
import type { FaultType } from "./fault.ts";
import { numberOf } from "./own.ts";

export const slowResponse = {
  type: "slow_response",
  label: "slow response",
  summary: "The call is carried out and commits at once, and the answer comes late on the clock.",
  appliesTo: ["read", "write"],
  fields: { delayMs: "ms" },
  matrix: true,
  commits: "as the tool does",
  arm:
    (fault, { arena, selects }) =>
    (call, next) => {
      const occurrence = selects(call);
      if (occurrence === undefined) return next(call);
      const delayMs = numberOf(fault, "delayMs", 10_000);
      return after(next(call), (result) => {
        arena.reached(call, { occurrence, delayMs });
        return wait(arena.clock, delayMs, result);
      });
    },
} as const satisfies FaultType;
