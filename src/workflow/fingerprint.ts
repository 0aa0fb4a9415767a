import { sha256 } from "../shared/hash.ts";
import { canonical, type Json } from "../shared/json.ts";
import { isFunctionCheck } from "./judge-checks.ts";
import type { ReportedCheck, ReportedLimits, ReportHeader, ReportedScenario } from "./report.ts";
import { conditionsOf, DEFAULT_CLOCK, DEFAULT_LIMITS, worldOf } from "./scenarios.ts";
import type { Scenario, TrialLimits, Workflow, WorkflowCheck } from "./workflow.ts";

/** What two reports must share to be compared. */
interface Shared {
  readonly workflow: Pick<ReportHeader["workflow"], "task" | "limits" | "clock" | "checks">;
  readonly world: Pick<ReportHeader["world"], "digest">;
}

/** What the trials of a scenario are run with. */
type RowConditions = Required<Pick<ReportedScenario, "faults" | "task" | "limits" | "checks">>;

/**
 * Digest of what two reports must share to be compared: task, world (with its code), limits, clock and the workflow's checks; not the
 * agent, titles, labels or scenarios. 16 hex digits.
 */
export function fingerprint(workflow: Workflow): string {
  const { task, limits, clock, checks } = workflow;
  return sharedDigest({
    workflow: {
      task,
      limits: limitsAsData(limits),
      clock: clockAsData(clock),
      checks: checksAsData(checks ?? []),
    },
    world: worldOf(workflow),
  });
}

/** The same of a header's data. */
export function sharedDigest({ workflow, world }: Shared): string {
  const { task, limits, clock, checks } = workflow;
  return digestOf({ task, world: world.digest, limits, clock, checks: unlabelled(checks) });
}

/** Digest of one scenario's own conditions: faults, checks, task and limits. 16 hex digits. */
export function conditionsDigest({ faults, task, limits, checks }: RowConditions): string {
  return digestOf({ faults, task, limits, checks: unlabelled(checks) });
}

/** What a scenario's trials are run with, as data. */
export function conditionsAsData(workflow: Workflow, scenario: Scenario): RowConditions {
  const { task, limits, checks } = conditionsOf(workflow, scenario);
  return {
    faults: scenario.faults,
    task,
    limits: limitsAsData(limits),
    checks: checksAsData(checks),
  };
}

/** Digest of any data: 16 hex digits. */
export function digestOf(data: unknown): string {
  return sha256(canonical(data as Json), 16);
}

export function limitsAsData(limits: TrialLimits = {}): ReportedLimits {
  const { toolCalls = DEFAULT_LIMITS.toolCalls, repeatedCalls = null } = limits;
  return { toolCalls, repeatedCalls, ms: limits.ms ?? DEFAULT_LIMITS.ms };
}

export function clockAsData(clock: Workflow["clock"] = {}): ReportHeader["workflow"]["clock"] {
  return clock === "real" ? "real" : { ...DEFAULT_CLOCK, ...clock };
}

/** A function is told by its source: another one is another check. */
export function checksAsData(checks: readonly WorkflowCheck[]): readonly ReportedCheck[] {
  return checks.map((check) => {
    if (!isFunctionCheck(check)) return check;
    const { id, label, test } = check;
    const digest = sha256(String(test), 16);
    return { id, ...(label === undefined ? {} : { label }), type: "function", digest };
  });
}

function unlabelled(checks: readonly ReportedCheck[]): readonly ReportedCheck[] {
  return checks.map(({ label: _label, ...check }) => check as ReportedCheck);
}
