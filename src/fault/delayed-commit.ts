import type { Fault, FaultType, Later } from "./fault.ts";
import { ERROR_FIELDS, refusal, refuse, TIMED_OUT } from "./refusal.ts";

export const delayedCommit = {
  type: "delayed_commit",
  label: "delayed commit",
  summary:
    "The agent gets a timeout at once, and the call is carried out later, so that a look right after finds nothing.",
  appliesTo: ["write"],
  fields: { ...ERROR_FIELDS, afterCalls: "count", afterMs: "ms" },
  matrix: true,
  commits: "later",
  problems: (fault) => laterProblems(fault),
  arm:
    (fault, { arena, selects }) =>
    (call, next) => {
      const occurrence = selects(call);
      if (occurrence === undefined) return next(call);
      arena.deliverLater(call, laterOf(fault), ({ result }) => arena.hidden(call, result));
      arena.reached(call, { occurrence });
      return refuse(arena, fault, refusal(fault, TIMED_OUT));
    },
} as const satisfies FaultType;

/** When something that was put off is done. */
export function laterOf({ afterCalls, afterMs }: Fault): Later {
  if (typeof afterMs === "number") return { ms: afterMs };
  return { calls: typeof afterCalls === "number" ? afterCalls : 1 };
}

export function laterProblems({ afterCalls, afterMs }: Fault): readonly string[] {
  return afterCalls !== undefined && afterMs !== undefined
    ? ["afterMs: the moment is already given by `afterCalls`; give one of the two"]
    : [];
}
