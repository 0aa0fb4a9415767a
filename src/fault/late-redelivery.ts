import { after } from "./after.ts";
import { laterOf, laterProblems } from "./delayed-commit.ts";
import type { FaultType } from "./fault.ts";
import { WAS_ERROR } from "./reshaping.ts";

export const lateRedelivery = {
  type: "late_redelivery",
  label: "late redelivery",
  summary:
    "The call is carried out and answered as usual, and carried out once more later, unseen.",
  appliesTo: ["write"],
  fields: { afterCalls: "count", afterMs: "ms" },
  matrix: true,
  commits: "twice",
  problems: (fault) => laterProblems(fault),
  arm:
    (fault, { arena, selects }) =>
    (call, next) => {
      const occurrence = selects(call);
      if (occurrence === undefined) return next(call);
      const again = { ...call, args: structuredClone(call.args) };
      return after(next(call), (result) => {
        arena.deliverLater(again, laterOf(fault), (second) => {
          arena.hidden(call, second.result);
          // A second delivery that the tool refuses or does not do again is one; one of a call that always fails is none.
          if (result.ok || second.mutations.length > 0 || (!arena.simulated && second.result.ok))
            arena.reached(call, { occurrence });
          else arena.missed(call, WAS_ERROR);
        });
        return result;
      });
    },
} as const satisfies FaultType;
