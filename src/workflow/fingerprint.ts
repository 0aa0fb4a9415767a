import { sha256 } from "../shared/hash.ts";
import { canonical, type Json, type JsonObject } from "../shared/json.ts";
import { isFunctionCheck } from "./judge-checks.ts";
import { conditionsOf, DEFAULT_CLOCK, DEFAULT_LIMITS, worldOf } from "./scenarios.ts";
import type { Scenario, TrialLimits, Workflow, WorkflowCheck } from "./workflow.ts";

/**
 * Digest of what two reports must share to be compared: task, world (with its code), limits, clock and the workflow's checks; not the
 * agent, titles, labels or scenarios. 16 hex digits.
 */
export function fingerprint(workflow: Workflow): string {
  return digest({
    task: workflow.task,
    world: worldOf(workflow).digest,
    limits: limitsAsData(workflow.limits),
    clock: clockAsData(workflow.clock),
    checks: checksAsData(workflow.checks ?? []),
  });
}

/** Digest of one scenario's own conditions: faults, checks, task and limits. 16 hex digits. */
export function scenarioDigest(workflow: Workflow, scenario: Scenario): string {
  const { task, limits, checks } = conditionsOf(workflow, scenario);
  return digest({
    faults: scenario.faults as unknown as Json,
    task,
    limits: limitsAsData(limits),
    checks: checksAsData(checks),
  });
}

function digest(conditions: JsonObject): string {
  return sha256(canonical(conditions), 16);
}

function limitsAsData(limits: TrialLimits = {}): Json {
  const { toolCalls = DEFAULT_LIMITS.toolCalls, repeatedCalls = null } = limits;
  return { toolCalls, repeatedCalls, ms: limits.ms ?? DEFAULT_LIMITS.ms };
}

function clockAsData(clock: Workflow["clock"] = {}): Json {
  return clock === "real" ? "real" : { ...DEFAULT_CLOCK, ...clock };
}

/** A function is told by its source: another one is another check. */
function checksAsData(checks: readonly WorkflowCheck[]): Json {
  return checks.map((check) => {
    if (isFunctionCheck(check)) return { id: check.id, code: sha256(String(check.test), 16) };
    const { label: _label, ...data } = check;
    return data as Json;
  });
}
