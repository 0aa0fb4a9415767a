import type { ToolCall } from "../boundary/boundary.ts";
import { isObject, type Json } from "../shared/json.ts";
import { after } from "./after.ts";
import type { Arena, Fault, FaultType } from "./fault.ts";

export const concurrentModification = {
  type: "concurrent_modification",
  label: "change by another client",
  summary:
    "Another client commits a change right before or after the call, which is carried out and answered as usual.",
  appliesTo: ["read", "write"],
  fields: { change: "json", when: ["before", "after"] },
  matrix: "if-rival",
  commits: "as the tool does",
  problems: ({ change }) =>
    change === undefined || isChange(change)
      ? []
      : ['change: it must be new values by JSON Pointer, such as { "/stock/apple": 0 }'],
  arm:
    (fault, { arena, selects }) =>
    (call, next) => {
      const occurrence = selects(call);
      if (occurrence === undefined) return next(call);
      if (fault["when"] !== "after") {
        interfere(arena, call, { fault, occurrence });
        return next(call);
      }
      return after(next(call), (result) => {
        interfere(arena, call, { fault, occurrence });
        return result;
      });
    },
} as const satisfies FaultType;

function isChange(change: Json): change is { [pointer: string]: Json } {
  if (!isObject(change)) return false;
  const pointers = Object.keys(change);
  return pointers.length > 0 && pointers.every((pointer) => pointer.startsWith("/"));
}

function interfere(
  arena: Arena,
  call: ToolCall,
  { fault, occurrence }: { readonly fault: Fault; readonly occurrence: number },
): void {
  const { change } = fault;
  const done =
    change !== undefined && isChange(change) ? arena.rival(call, change) : arena.rival(call);
  if (done) arena.reached(call, { occurrence });
  else arena.missed(call, "there was nothing for another client to change");
}
