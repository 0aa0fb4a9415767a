import { after } from "./after.ts";
import type { FaultType } from "./fault.ts";
import { textOf } from "./own.ts";

/** The same whatever the tool answered: it tells nothing. */
const BROKEN = '{"status":"ok","data":{"id":';

export const malformed = {
  type: "malformed",
  label: "malformed reply",
  summary:
    "The call is carried out and commits, but the agent gets a broken text instead of the answer, also instead of an error.",
  appliesTo: ["read", "write"],
  fields: { text: "string" },
  matrix: true,
  commits: "all",
  arm:
    (fault, { arena, selects }) =>
    (call, next) => {
      const occurrence = selects(call);
      if (occurrence === undefined) return next(call);
      return after(next(call), (result) => {
        arena.hidden(call, result);
        arena.reached(call, { occurrence });
        return { ok: true, data: textOf(fault, "text", BROKEN) };
      });
    },
} as const satisfies FaultType;
