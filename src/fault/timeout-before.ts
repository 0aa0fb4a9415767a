import type { FaultType } from "./fault.ts";
import { ERROR_FIELDS, timeOut } from "./refusal.ts";

export const timeoutBefore = {
  type: "timeout_before",
  label: "timeout before the effect",
  summary:
    "The call is never carried out, and the agent gets a timeout that looks like a lost confirmation.",
  appliesTo: ["read", "write"],
  fields: ERROR_FIELDS,
  matrix: true,
  commits: "none",
  arm:
    (fault, { arena, selects }) =>
    (call, next) => {
      const occurrence = selects(call);
      if (occurrence === undefined) return next(call);
      arena.reached(call, { occurrence });
      return timeOut(arena, fault).told;
    },
} as const satisfies FaultType;
