import { canonical, type Json } from "../shared/json.ts";
import type { TrialRecord } from "./report.ts";
import type { Trial } from "./trial-result.ts";

/** A trial as data. Its start state is kept where it is not the header's. */
export function recordOf(trial: Trial, number: number, initialState?: Json): TrialRecord {
  const { scenario, verdict, reason, issue, faults, checks, events, completion } = trial;
  const { toolCalls, clock, notes } = trial;
  return {
    record: "trial",
    scenario: scenario.id,
    number,
    verdict,
    reason,
    ...(issue === undefined ? {} : { issue }),
    faults,
    checks,
    ...(completion === undefined ? {} : { completion }),
    toolCalls,
    ...(clock === undefined ? {} : { clock }),
    notes,
    ...(initialState === undefined ? {} : { initialState }),
    events,
  };
}

/** Whether two records say the same. */
export function sameRecord(a: unknown, b: unknown): boolean {
  return canonical(a as Json) === canonical(b as Json);
}
