import type { TrialEvent } from "./trial-result.ts";

/** When a trial ended, by its evidence: its last event's time. Undefined where no event shows that it did: the agent returned nothing. */
export function endedAt(events: readonly TrialEvent[]): number | undefined {
  for (let i = events.length - 1; i >= 0; i--) {
    const kind = events[i]?.kind;
    if (kind === "completion" || kind === "error" || kind === "limit") return events.at(-1)?.at;
  }
  return undefined;
}
