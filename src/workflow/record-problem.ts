import { canonical, type Json } from "../shared/json.ts";
import { oneLine } from "../shared/text.ts";
import type { Validate } from "./judge-checks.ts";
import { endedAt } from "./end-time.ts";
import { evidenceProblem } from "./evidence-problem.ts";
import { sameRecord } from "./record.ts";
import { hidesSomething } from "./redact-report.ts";
import { changeProblem } from "./replay-state.ts";
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
    conditionsProblem(record, about.header) ??
    evidenceProblem(record, about.header) ??
    clockProblem(record, about.header) ??
    countProblem(record, about.header) ??
    changeProblem(record.initialState ?? about.header.initialState, record.events) ??
    faultProblem(record) ??
    checkProblem(record, about) ??
    verdictProblem(record);
  return problem === undefined ? undefined : oneLine(where + problem, 600);
}

/** Faults and checks are exactly those of the header. A trial whose world could not be made has no checks that were judged. */
function conditionsProblem(record: TrialRecord, { scenarios }: ReportHeader): string | undefined {
  const row = scenarios.find(({ id }) => id === record.scenario);
  if (row === undefined) return "the header knows no such scenario";
  const faults = record.faults.map(({ fault }) => fault);
  if (!sameRecord(faults, row.faults)) return "its faults are not those of the header's scenario";
  if (record.checks.length === 0 && isUnbegun(record)) return undefined;
  const checks = record.checks.map(({ id, label, check }) => ({
    ...check,
    id,
    ...(label === undefined ? {} : { label }),
  }));
  return sameRecord(checks, row.checks)
    ? undefined
    : "its checks are not those of the header's scenario";
}

function isUnbegun({ events, toolCalls, completion }: TrialRecord): boolean {
  const [only] = events;
  const isBroken = events.length === 1 && only?.kind === "error" && only.side === "world";
  return isBroken && toolCalls === 0 && completion === undefined;
}

/** The clock is the header's, and it ended when the evidence says so. */
function clockProblem(
  { events, clock }: TrialRecord,
  { workflow }: ReportHeader,
): string | undefined {
  const planned = workflow.clock;
  if (planned === "real")
    return clock === undefined
      ? undefined
      : "it has a clock, and the header says that time was real";
  if (clock === undefined) return "its clock is missing";
  const { startMs, endMs } = clock;
  if (startMs !== planned.startMs) return "clock.startMs is not the header's";
  if (typeof endMs !== "number" || !(endMs >= startMs && endMs <= startMs + planned.budgetMs))
    return "clock.endMs is outside of the time that the header allows";
  const [first, last] = [events[0]?.at, events.at(-1)?.at];
  if (first !== undefined && first < startMs) return `e1 is earlier than clock.startMs`;
  if (last !== undefined && last > endMs) return `its last event is later than clock.endMs`;
  const ended = endedAt(events);
  return ended === undefined || ended === endMs
    ? undefined
    : `clock.endMs is ${endMs}, and its last event happened at ${ended}`;
}

function countProblem(
  { scenario, events, toolCalls, completion }: TrialRecord,
  { scenarios }: ReportHeader,
): string | undefined {
  const calls = events.filter(({ kind }) => kind === "call").length;
  const refused = events.filter((event) => event.kind === "limit" && "callId" in event).length;
  if (toolCalls !== calls - refused)
    return `toolCalls is ${toolCalls}, and its events show ${calls - refused}`;
  const most = scenarios.find(({ id }) => id === scenario)?.limits.toolCalls;
  if (most !== undefined && toolCalls > most)
    return `toolCalls is ${toolCalls}, and the header admits ${most}`;
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
    if (expected === undefined) {
      if (outcome.judged === "by_function") continue;
      return `checks[${i}] (${outcome.id}): it does not say that a function judged it`;
    }
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
