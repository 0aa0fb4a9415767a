import { canonical, type Json } from "../shared/json.ts";
import type { Check } from "../check/check.ts";
import type { ReportedCheck, ReportHeader, TrialRecord } from "./report.ts";
import type { CheckOutcome, Trial } from "./trial-result.ts";

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

/**
 * A record whose faults and checks are its header's, as they are written there. A function's result says that nobody can judge it
 * again.
 */
export function underHeader(record: TrialRecord, header: ReportHeader): TrialRecord {
  const row = header.scenarios.find(({ id }) => id === record.scenario);
  if (row === undefined) return record;
  return {
    ...record,
    faults: record.faults.map((outcome, i) => ({
      ...outcome,
      fault: row.faults[i] ?? outcome.fault,
    })),
    checks: record.checks.map((outcome, i) => underCheck(outcome, row.checks[i])),
  };
}

function underCheck(outcome: CheckOutcome, check: ReportedCheck | undefined): CheckOutcome {
  if (check === undefined) return outcome;
  const { id: _id, label: _label, ...rest } = outcome;
  const { id, label, ...bare } = check;
  const named = { id, ...(label === undefined ? {} : { label }), ...rest, check: bare as Check };
  return bare.type === "function" ? { ...named, judged: "by_function" } : named;
}

/** Whether two records say the same. */
export function sameRecord(a: unknown, b: unknown): boolean {
  return canonical(a as Json) === canonical(b as Json);
}
