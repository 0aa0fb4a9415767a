import type { Layer } from "../boundary/boundary.ts";
import type { Json } from "../shared/json.ts";
import { after } from "./after.ts";
import type { Armed } from "./fault.ts";

/** Why a fault that needs an answer had nothing to do. */
export const WAS_ERROR = "its result was an error";

/**
 * A layer that shows the agent other data than the tool answered, where it answered with data at all. The change gives undefined where
 * there is nothing to change, and `nothing` says why.
 */
export function reshaping(
  { arena, selects }: Armed,
  change: (data: Json) => Json | undefined,
  nothing: string,
): Layer {
  return (call, next) => {
    const occurrence = selects(call);
    if (occurrence === undefined) return next(call);
    return after(next(call), (result) => {
      const data = result.ok ? change(result.data) : undefined;
      if (data === undefined) {
        arena.missed(call, result.ok ? nothing : WAS_ERROR);
        return result;
      }
      arena.hidden(call, result);
      arena.reached(call, { occurrence });
      return { ok: true, data };
    });
  };
}
