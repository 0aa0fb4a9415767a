import { canonical, type Json } from "../shared/json.ts";
import { oneLine } from "../shared/text.ts";
import type { Validate } from "./judge-checks.ts";
import { sameRecord } from "./record.ts";
import { hidesSomething } from "./redact-report.ts";
import type { ReportHeader, TrialRecord } from "./report.ts";
import { judgedAgain, outcomesOf } from "./settle-record.ts";
import type { CheckOutcome } from "./trial-result.ts";

interface About {
  readonly header: ReportHeader;
  readonly validate: Validate;
}

/** Where a trial's record says otherwise than its own evidence; undefined when it agrees with itself. */
export function recordProblem(record: TrialRecord, about: About): string | undefined {
  const where = `trial ${record.number} of ${record.scenario}: `;
  const problem =
    orderProblem(record) ??
    countProblem(record) ??
    faultProblem(record) ??
    checkProblem(record, about) ??
    verdictProblem(record);
  return problem === undefined ? undefined : oneLine(where + problem, 600);
}

/** Ids are e1, e2, ..., and time never goes back or out of the clock. */
function orderProblem({ events, clock }: TrialRecord): string | undefined {
  let last = clock?.startMs ?? Number.NEGATIVE_INFINITY;
  for (const [i, { id, at }] of events.entries()) {
    if (id !== `e${i + 1}`) return `event ${i + 1} has the id ${JSON.stringify(id)}`;
    if (typeof at !== "number" || at < last) return `${id} is earlier than what came before it`;
    last = at;
  }
  if (clock !== undefined && !(last <= clock.endMs))
    return `its last event is later than clock.endMs`;
  return undefined;
}

function countProblem({ events, toolCalls, completion }: TrialRecord): string | undefined {
  const calls = events.filter(({ kind }) => kind === "call").length;
  const refused = events.filter((event) => event.kind === "limit" && "callId" in event).length;
  if (toolCalls !== calls - refused)
    return `toolCalls is ${toolCalls}, and its events show ${calls - refused}`;
  const end = events.findLast(({ kind }) => kind === "completion");
  const said = end?.kind === "completion" ? end.completion : undefined;
  return sameRecord(said ?? null, completion ?? null)
    ? undefined
    : "completion is another than its event shows";
}

function faultProblem({ events, faults }: TrialRecord): string | undefined {
  const counts = new Map<number, number>();
  for (const event of events) {
    if (event.kind !== "fault") continue;
    const { n, type } = event;
    if (faults[n]?.fault.type !== type) return `${event.id} shows a fault that faults[${n}] is not`;
    counts.set(n, (counts.get(n) ?? 0) + 1);
  }
  for (const [n, { reached, count }] of faults.entries()) {
    const seen = counts.get(n) ?? 0;
    if (count !== seen || reached !== seen > 0)
      return `faults[${n}] says that it happened ${count} times, and its events show ${seen}`;
  }
  return undefined;
}

function checkProblem(record: TrialRecord, about: About): string | undefined {
  const again = outcomesOf(record, about);
  for (const [i, outcome] of record.checks.entries()) {
    const expected = again[i];
    if (expected === undefined) continue;
    const problem = outcomeProblem(outcome, expected, record);
    if (problem !== undefined) return `checks[${i}] (${outcome.id}): ${problem}`;
  }
  return undefined;
}

function outcomeProblem(
  outcome: CheckOutcome,
  expected: CheckOutcome,
  record: TrialRecord,
): string | undefined {
  if (outcome.judged === "before_redaction") {
    const looked = [expected.actual, expected.expected, expected.message, expected.check];
    const shown = record.events.filter(({ id }) => expected.evidence?.includes(id) === true);
    return hidesSomething([looked, shown])
      ? undefined
      : "it says that secrets hide what it looked at, and nothing is hidden there";
  }
  if (sameRecord(outcome, expected)) return undefined;
  if (outcome.passed !== expected.passed)
    return `passed is ${outcome.passed}, and its evidence says: ${expected.message}`;
  return `its evidence says: ${oneLine(canonical(expected as unknown as Json), 300)}`;
}

function verdictProblem(record: TrialRecord): string | undefined {
  const again = judgedAgain(record);
  if (!sameRecord(record.issue ?? null, again.issue ?? null))
    return `issue is another than its events show: ${again.issue?.message ?? "none"}`;
  if (record.verdict !== again.verdict)
    return `verdict is ${record.verdict}, and its evidence says ${again.verdict}: ${again.reason}`;
  return record.reason === again.reason ? undefined : `reason is another: ${again.reason}`;
}
