import { after } from "./after.ts";
import type { FaultType } from "./fault.ts";
import { WAS_ERROR } from "./reshaping.ts";

export const silentNoop = {
  type: "silent_noop",
  label: "silent no-op",
  summary: "The agent gets the answer of a success, and nothing is committed.",
  appliesTo: ["write"],
  fields: {},
  matrix: true,
  commits: "none",
  arm:
    (_fault, { arena, selects }) =>
    (call, next) => {
      const occurrence = selects(call);
      if (occurrence === undefined) return next(call);
      if (!arena.simulated) {
        arena.missed(call, "a recorded tool has no changes that could be left out");
        return next(call);
      }
      return after(arena.deliver(call, next, { commit: "none" }), ({ result, cut = 0 }) => {
        if (cut > 0) arena.reached(call, { occurrence, cut });
        else arena.missed(call, result.ok ? "it would have changed nothing" : WAS_ERROR);
        return result;
      });
    },
} as const satisfies FaultType;
