import type { Check } from "../check/check.ts";
import { isObject, type Json, type JsonObject } from "../shared/json.ts";
import { put } from "../shared/marker.ts";
import { child, members } from "../shared/pointer.ts";
import type { Redactor } from "../shared/redact.ts";
import type { Change } from "../world/world.ts";
import type { ReportedCheck, ReportedScenario, ReportHeader, TrialRecord } from "./report.ts";
import { digestOf } from "./fingerprint.ts";
import type { CheckOutcome, TrialEvent } from "./trial-result.ts";

/** A header without secrets, the first thing that the redactor sees; its digests are what they were. */
export function redactHeader(header: ReportHeader, redactor: Redactor): ReportHeader {
  const { workflow, scenarios, world, fingerprint, commit } = header;
  const prepared = {
    ...header,
    workflow: { ...workflow, checks: redactChecks(workflow.checks, redactor) },
    scenarios: scenarios.map((row) => ({ ...row, checks: redactChecks(row.checks, redactor) })),
  };
  const redacted = redactor.value(prepared as unknown as Json) as unknown as ReportHeader;
  if (redacted === (prepared as unknown)) return redacted;
  return {
    ...redacted,
    fingerprint,
    ...(commit === undefined ? {} : { commit }),
    world: { ...world, initialState: digestOf(redacted.initialState) },
    workflow: { ...redacted.workflow, checks: named(redacted.workflow.checks, workflow.checks) },
    scenarios: redacted.scenarios.map((row, i) => rowAsGiven(row, scenarios[i] ?? row)),
  };
}

function rowAsGiven(
  row: ReportedScenario,
  { id, digest, checks }: ReportedScenario,
): ReportedScenario {
  return { ...row, id, digest, checks: named(row.checks, checks) };
}

/** Checks are known by their ids, and functions by their digests. */
function named(
  redacted: readonly ReportedCheck[],
  given: readonly ReportedCheck[],
): readonly ReportedCheck[] {
  return redacted.map((check, i) => {
    const { id, type, digest } = given[i] ?? check;
    return type === "function" ? { ...check, id, type, digest } : { ...check, id, type };
  });
}

function redactChecks(
  checks: readonly ReportedCheck[],
  redactor: Redactor,
): readonly ReportedCheck[] {
  return checks.map((check) => redactFields(check, redactor) as ReportedCheck);
}

/**
 * A trial's record without secrets; the same object when there are none. A value is judged by its whole way from the root of the state,
 * so that what is a secret there is one in a change and in a check, too, and has the same placeholder.
 */
export function redactRecord(record: TrialRecord, redactor: Redactor): TrialRecord {
  const redacted = {
    ...record,
    checks: record.checks.map((check) => redactOutcome(check, redactor)),
    events: record.events.map((event) => redactEvent(event, redactor)),
  };
  const { scenario } = record;
  const plain = redactor.value(redacted as unknown as Json) as unknown as TrialRecord;
  return plain.scenario === scenario ? plain : { ...plain, scenario };
}

function redactEvent(event: TrialEvent, redactor: Redactor): TrialEvent {
  if (event.kind !== "mutation") return event;
  return { ...event, changes: event.changes.map((change) => redactChange(change, redactor)) };
}

function redactChange(change: Change, redactor: Redactor): Change {
  const { path } = change;
  const place = redactPlace(path, redactor);
  return {
    path: place,
    ...(change.before === undefined ? {} : { before: redactAt(path, change.before, redactor) }),
    ...(change.after === undefined ? {} : { after: redactAt(path, change.after, redactor) }),
  };
}

/** Fields of a check that are no values at its path. */
const NO_VALUES: ReadonlySet<string> = new Set([
  "id",
  "label",
  "type",
  "path",
  "source",
  "tool",
  "tools",
]);

function redactOutcome(outcome: CheckOutcome, redactor: Redactor): CheckOutcome {
  const { check, actual, expected } = outcome;
  const { path } = check;
  if (typeof path !== "string" || !path.startsWith("/")) return outcome;
  return {
    ...outcome,
    check: redactFields(check, redactor),
    ...(actual === undefined ? {} : { actual: redactAt(path, actual, redactor) }),
    ...(expected === undefined ? {} : { expected: redactAt(path, expected, redactor) }),
  };
}

/** A check whose values are redacted as they would be where it looks. */
function redactFields(check: Check, redactor: Redactor): Check {
  const { path } = check;
  if (typeof path !== "string" || !path.startsWith("/")) return check;
  const copy: Record<string, Json | undefined> = {};
  for (const [field, value] of Object.entries(check)) {
    if (value === undefined) continue;
    put(copy, field, NO_VALUES.has(field) ? value : redactAt(path, value, redactor));
  }
  copy["path"] = redactPlace(path, redactor);
  return copy as unknown as Check;
}

/** A value, redacted as it would be where it stands in the state. */
export function redactAt(path: string, value: Json, redactor: Redactor): Json {
  const way = members(path);
  const whole = redactor.value(around(way, value));
  return inside(whole, way.length) ?? null;
}

/** A path, with its names as they are in the redacted state. */
export function redactPlace(path: string, redactor: Redactor): string {
  const way = members(path);
  let at: Json = redactor.value(around(way, null));
  let place = "";
  for (const name of way) {
    const here: string = isObject(at) ? (Object.keys(at)[0] ?? name) : name;
    place = child(place, here);
    at = innerOf(at) ?? null;
  }
  return place;
}

function around(way: readonly string[], value: Json): Json {
  return way.reduceRight<Json>((inner, name) => {
    // What a list's name says about its items is lost where an index is a name.
    if (/^\d+$/u.test(name)) return [inner];
    const outer: JsonObject = {};
    put(outer, name, inner);
    return outer;
  }, value);
}

function inside(whole: Json, depth: number): Json | undefined {
  let at: Json | undefined = whole;
  for (let i = 0; i < depth; i++) {
    // The placeholder of a whole branch stands for all that is in it.
    if (typeof at !== "object") return at;
    at = innerOf(at);
  }
  return at;
}

function innerOf(value: Json | undefined): Json | undefined {
  return typeof value === "object" && value !== null ? Object.values(value)[0] : undefined;
}

/** Whether something holds a placeholder. */
export function hidesSomething(value: unknown): boolean {
  return (JSON.stringify(value) ?? "").includes("[redacted:");
}
