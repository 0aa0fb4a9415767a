import type { FaultType } from "./fault.ts";
import { numberOf } from "./own.ts";
import { ERROR_FIELDS, refusal, refuse } from "./refusal.ts";

const LIMITED = {
  name: "RateLimitError",
  code: "RATE_LIMITED",
  says: "was called too often",
  retryable: true,
};

export const rateLimit = {
  type: "rate_limit",
  label: "rate limit",
  summary:
    "The call is refused with the time to wait (`retryAfterMs`), and so is every call of the tool until then; nothing is carried out.",
  appliesTo: ["read", "write"],
  fields: { ...ERROR_FIELDS, retryAfterMs: "ms" },
  matrix: true,
  commits: "none",
  arm(fault, { arena, selects }) {
    let until = Number.NEGATIVE_INFINITY;
    return (call, next) => {
      const now = arena.clock.now();
      const occurrence = selects(call);
      if (occurrence !== undefined)
        until = Math.max(until, now + numberOf(fault, "retryAfterMs", 1000));
      else if (now >= until) return next(call);
      const retryAfterMs = until - now;
      arena.reached(
        call,
        occurrence === undefined ? { retryAfterMs, early: true } : { occurrence, retryAfterMs },
      );
      return refuse(arena, fault, refusal(fault, LIMITED, { retryAfterMs }));
    };
  },
} as const satisfies FaultType;
