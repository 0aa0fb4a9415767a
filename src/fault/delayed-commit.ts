import { after } from "./after.ts";
import type { Fault, FaultType, Later } from "./fault.ts";
import { ERROR_FIELDS, timeOut } from "./refusal.ts";

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
  arm(fault, { arena, selects }) {
    /** Further calls of the tool that were accepted: one of them may be the retry. */
    let accepted = 0;
    return (call, next) => {
      const occurrence = selects(call);
      if (occurrence === undefined)
        return after(next(call), (result) => {
          if (result.ok) accepted++;
          return result;
        });
      const { told } = timeOut(arena, fault);
      const before = accepted;
      arena.deliverLater(call, laterOf(fault), ({ result, mutations }) => {
        arena.hidden(call, result);
        const commits = arena.simulated ? mutations.length > 0 : result.ok;
        // What a retry has done already is refused, or not done again: then the late call is what shows it.
        if (commits || accepted > before) arena.reached(call, { occurrence });
        else arena.missed(call, result.ok ? "it changed nothing later" : WAS_LATE_ERROR);
      });
      return told;
    };
  },
} as const satisfies FaultType;

const WAS_LATE_ERROR = "its result was an error later, so that nothing was committed";

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
