import { after } from "./after.ts";
import type { FaultType } from "./fault.ts";

export const crashRestart = {
  type: "crash_restart",
  label: "crash of the agent",
  before: "at",
  summary:
    "The agent's process dies at the call, by default when it is carried out and not yet answered, and a fresh agent starts on the same world.",
  appliesTo: ["read", "write"],
  fields: { when: ["before", "after"] },
  matrix: true,
  commits: "as the tool does",
  arm:
    (fault, { arena, selects }) =>
    (call, next) => {
      const occurrence = selects(call);
      if (occurrence === undefined) return next(call);
      if (fault["when"] === "before") {
        arena.reached(call, { occurrence });
        return arena.restart(call);
      }
      return after(next(call), (result) => {
        arena.hidden(call, result);
        arena.reached(call, { occurrence });
        return arena.restart(call);
      });
    },
} as const satisfies FaultType;
