import type { Fault } from "../fault/fault.ts";
import { matrixFaults } from "../fault/matrix.ts";
import { faultId, sayFault } from "../fault/words.ts";
import type { Json } from "../shared/json.ts";
import type { World } from "../world/world.ts";
import type { Scenario, TrialLimits, Workflow, WorkflowCheck } from "./workflow.ts";

/** The id and the title of the scenario without faults. */
export const CONTROL = "control";

export const DEFAULT_LIMITS = { toolCalls: 50, ms: 30_000 } as const;
export const DEFAULT_CLOCK = {
  startMs: 1_767_225_600_000,
  budgetMs: 86_400_000,
} as const;

/** A scenario with a title, as reports and tests name it. */
export interface TitledScenario extends Scenario {
  readonly title: string;
}

/** What a scenario's trials are run with: its own, else the workflow's. */
export interface Conditions {
  readonly task: Json;
  readonly limits: TrialLimits;
  readonly checks: readonly WorkflowCheck[];
}

/** The world of a trial: the given one, or a new one where the workflow makes one for each. */
export function worldOf({ world }: Pick<Workflow, "world">): World {
  return typeof world === "function" ? world() : world;
}

/** The scenarios of a workflow in their order, without the control; a matrix is expanded, and every one has a title. */
export function scenariosOf(workflow: Pick<Workflow, "scenarios" | "world">): TitledScenario[] {
  const { scenarios } = workflow;
  if (scenarios === "matrix") return matrixOf(matrixFaults(worldOf(workflow)));
  const titled: TitledScenario[] = [];
  for (const scenario of scenarios) titled.push({ ...scenario, title: titleOf(scenario) });
  return titled;
}

/** One scenario for each fault; ids that would be equal are numbered. */
export function matrixOf(faults: readonly Fault[]): TitledScenario[] {
  const used = new Map<string, number>();
  return faults.map((fault) => {
    const id = faultId(fault);
    const times = (used.get(id) ?? 0) + 1;
    used.set(id, times);
    return {
      id: times === 1 ? id : `${id}-${times}`,
      title: sayFault(fault),
      faults: [fault],
    };
  });
}

/** The scenario without faults. */
export function controlOf(): TitledScenario {
  return { id: CONTROL, title: CONTROL, faults: [] };
}

/** What a scenario is run with. Checks that extend: one with the id of another takes its place. */
export function conditionsOf(
  workflow: Pick<Workflow, "task" | "limits" | "checks">,
  scenario: Scenario,
): Conditions {
  return {
    task: scenario.task === undefined ? workflow.task : scenario.task,
    limits: { ...workflow.limits, ...scenario.limits },
    checks: checksOf(workflow.checks ?? [], scenario),
  };
}

function checksOf(common: readonly WorkflowCheck[], scenario: Scenario): readonly WorkflowCheck[] {
  const { checks, checksMode } = scenario;
  if (checks === undefined) return common;
  if (checksMode === "replace") return checks;
  const own = new Map(checks.map((check) => [check.id, check]));
  const kept = common.map((check) => own.get(check.id) ?? check);
  const known = new Set(common.map(({ id }) => id));
  return [...kept, ...checks.filter(({ id }) => !known.has(id))];
}

function titleOf({ id, title, faults }: Scenario): string {
  if (title !== undefined) return title;
  return faults.length === 0 ? id : faults.map((fault) => sayFault(fault)).join(" and ");
}
