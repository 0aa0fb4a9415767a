import { evaluateOne } from "../check/evaluate.ts";
import { subjectFor, type Validate } from "./judge-checks.ts";
import { issueOf } from "./issue.ts";
import { sameRecord } from "./record.ts";
import { statesOf } from "./replay-state.ts";
import type { ReportHeader, TrialRecord } from "./report.ts";
import { subjectOf } from "./subject.ts";
import { traceOf } from "./trace-of.ts";
import type { CheckOutcome } from "./trial-result.ts";
import { judgeTrial } from "./verdict.ts";

/**
 * Makes a redacted record agree with itself again, as a reader will judge it: messages are made of the redacted values, and a check that
 * can no longer be judged says that it was judged before. No verdict changes.
 */
export function settleRecord(
  redacted: TrialRecord,
  original: TrialRecord,
  about: { readonly header: ReportHeader; readonly validate?: Validate | undefined },
): TrialRecord {
  if (sameRecord(redacted, original)) return redacted;
  const again = outcomesOf(redacted, about);
  const checks = redacted.checks.map((check, i) => settled(check, again[i]));
  return judgedAgain({ ...redacted, checks });
}

/** A record with its issue, verdict and reason as its evidence and checks give them. */
export function judgedAgain(record: TrialRecord): TrialRecord {
  const { issue: _issue, ...rest } = record;
  const issue = issueOf(record.events);
  const { verdict, reason } = judgeTrial({ ...rest, issue });
  return { ...rest, ...(issue === undefined ? {} : { issue }), verdict, reason };
}

/** The data checks of a record, evaluated from its evidence alone; undefined for functions. */
export function outcomesOf(
  record: TrialRecord,
  { header, validate }: { readonly header: ReportHeader; readonly validate?: Validate | undefined },
): (CheckOutcome | undefined)[] {
  const { events } = record;
  const tools = header.tools.map(({ name }) => name);
  const task = header.scenarios.find(({ id }) => id === record.scenario)?.task;
  const about = {
    task: task === undefined ? header.workflow.task : task,
    agent: header.agent.id,
    agentVersion: header.agent.version,
    tools,
    issue: issueOf(events),
  };
  const states = statesOf(record.initialState ?? header.initialState, events);
  const subject = subjectFor({
    trial: subjectOf(events, states, tools),
    trace: () => traceOf(about, events),
    validate,
  });
  return record.checks.map((outcome) => {
    const { check, id, label } = outcome;
    if (check.type === "function") return undefined;
    return { id, ...(label === undefined ? {} : { label }), ...evaluateOne(check, subject) };
  });
}

function settled(redacted: CheckOutcome, again: CheckOutcome | undefined): CheckOutcome {
  if (again === undefined) return redacted;
  if (again.passed === redacted.passed) return again;
  const { id, label, check, passed, evidence } = redacted;
  return {
    id,
    ...(label === undefined ? {} : { label }),
    check,
    passed,
    message: `it ${passed ? "held" : "did not hold"} before secrets were taken out of this report`,
    ...(evidence === undefined ? {} : { evidence }),
    judged: "before_redaction",
  };
}
