import { canonical } from "../shared/json.ts";
import { oneLine } from "../shared/text.ts";
import type { Fault, FaultType } from "./fault.ts";
import { rangeOf, type Seen } from "./selection.ts";
import { nth, times } from "./words.ts";

/** For an unreached fault: which call was waited for, and what came instead. */
export function waitedFor(
  fault: Fault,
  type: FaultType,
  { seen, missed }: { readonly seen: Readonly<Seen>; readonly missed: string | undefined },
): string {
  const { from, per } = rangeOf(fault, type);
  const { tool, match } = fault;
  const equal = per === "arguments" ? " with equal arguments" : "";
  const matching = match === undefined ? "" : ` with ${oneLine(canonical(match), 80)}`;
  return `waited for the ${nth(from)} call of ${tool}${matching}${equal}; ${came()}`;

  function came(): string {
    if (seen.hit !== undefined)
      return missed === undefined
        ? `it came (${seen.hit.id}), but another fault answered it or the trial had ended`
        : `it came (${seen.hit.id}), but ${missed}`;
    if (seen.calls === 0) return "it was never called";
    const called = `it was called ${times(seen.calls)}`;
    if (match !== undefined && seen.matching === 0) return `${called}, never with these arguments`;
    if (match !== undefined && per === "tool")
      return `${called}, ${times(seen.matching)} with these arguments`;
    if (per === "arguments")
      return `${called}, at most ${times(seen.highest)} with equal arguments`;
    return called;
  }
}
