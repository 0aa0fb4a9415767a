import type { Answer, Awaitable, ToolCall } from "../boundary/boundary.ts";
import type { Delivered } from "../world/open.ts";
import { after } from "./after.ts";
import type { Arena, FaultType } from "./fault.ts";

export const duplicateDelivery = {
  type: "duplicate_delivery",
  label: "duplicate delivery",
  summary:
    "The call is carried out twice, each time on its own, and the agent gets one of the two answers.",
  appliesTo: ["write"],
  fields: { respond: ["first", "last"] },
  matrix: true,
  commits: "twice",
  arm:
    (fault, { arena, selects }) =>
    (call, next) => {
      const occurrence = selects(call);
      if (occurrence === undefined) return next(call);
      return after(deliverCopy(arena, call, next), (first) => {
        arena.hidden(call, first.result);
        arena.reached(call, { occurrence });
        return after(deliverCopy(arena, call, next), (last) => {
          arena.hidden(call, last.result);
          return fault["respond"] === "last" ? last.result : first.result;
        });
      });
    },
} as const satisfies FaultType;

/** A tool that changes its arguments must not change what the second delivery gets. */
function deliverCopy(arena: Arena, call: ToolCall, next: Answer): Awaitable<Delivered> {
  return arena.deliver({ ...call, args: structuredClone(call.args) }, next);
}
