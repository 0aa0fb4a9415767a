import { after } from "./after.ts";
import type { FaultType } from "./fault.ts";
import { numberOf } from "./own.ts";
import { ERROR_FIELDS, refusal, refuse } from "./refusal.ts";
import { WAS_ERROR } from "./reshaping.ts";

const CUT_OFF = {
  name: "PartialFailureError",
  code: "PARTIAL_FAILURE",
  says: "failed part way",
  retryable: true,
};

export const partialWrite = {
  type: "partial_write",
  label: "partial write",
  summary: "Only the first of the call's changes are committed, and the agent gets an error.",
  appliesTo: ["write"],
  fields: { ...ERROR_FIELDS, first: "count" },
  matrix: false,
  commits: "part",
  arm:
    (fault, { arena, selects }) =>
    (call, next) => {
      const occurrence = selects(call);
      if (occurrence === undefined) return next(call);
      if (!arena.simulated) {
        arena.missed(call, "a recorded tool has no changes that could be cut");
        return next(call);
      }
      const first = numberOf(fault, "first", 1);
      return after(arena.deliver(call, next, { commit: { first } }), ({ result, cut = 0 }) => {
        if (cut === 0) {
          arena.missed(call, result.ok ? "it made no more changes than that" : WAS_ERROR);
          return result;
        }
        if (result.ok) arena.hidden(call, result);
        arena.reached(call, { occurrence, committed: first, cut });
        // A world may keep what a failed call wrote; that call keeps its own error.
        return result.ok ? refuse(arena, fault, refusal(fault, CUT_OFF)) : result;
      });
    },
} as const satisfies FaultType;
