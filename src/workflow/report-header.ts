import type { World } from "../world/world.ts";
import type { Json } from "../shared/json.ts";
import {
  checksAsData,
  clockAsData,
  conditionsAsData,
  conditionsDigest,
  digestOf,
  limitsAsData,
  sharedDigest,
} from "./fingerprint.ts";
import { REPORT_VERSION, type ReportHeader, type ReportedScenario } from "./report.ts";
import { CONTROL, controlOf, type TitledScenario } from "./scenarios.ts";
import { nameOf } from "./trial-plan.ts";
import type { Workflow } from "./workflow.ts";

/** What a header is made of beside the workflow. */
interface HeaderAbout {
  readonly scenarios: readonly TitledScenario[];
  readonly commit?: string;
  readonly createdAt?: number;
}

/** The first record of a report: what was tried, and under which conditions. */
export function reportHeader(
  workflow: Workflow,
  world: World,
  { scenarios, commit, createdAt }: HeaderAbout,
): ReportHeader {
  const { id, title, task, agent, trials = 1 } = workflow;
  const common = {
    id,
    ...(title === undefined ? {} : { title }),
    task,
    limits: limitsAsData(workflow.limits),
    clock: clockAsData(workflow.clock),
    checks: checksAsData(workflow.checks ?? []),
  };
  return {
    record: "header",
    schemaVersion: REPORT_VERSION,
    workflow: common,
    agent: { id: workflow.agentId ?? nameOf(agent), version: workflow.agentVersion ?? "0" },
    fingerprint: sharedDigest({ workflow: common, world }),
    ...(commit === undefined ? {} : { commit }),
    ...(createdAt === undefined ? {} : { createdAt }),
    world: { digest: world.digest, initialState: digestOf(world.state) },
    initialState: world.state as Json,
    tools: Object.entries(world.tools).map(([name, { kind }]) => ({ name, kind })),
    scenarios: [controlOf(), ...scenarios].map((scenario) =>
      rowOf(workflow, scenario, scenario.id === CONTROL ? 1 : trials),
    ),
  };
}

function rowOf(workflow: Workflow, scenario: TitledScenario, trials: number): ReportedScenario {
  const { id, title } = scenario;
  const { task, ...conditions } = conditionsAsData(workflow, scenario);
  const digest = conditionsDigest({ task, ...conditions });
  const row = { id, title, digest, trials, ...conditions };
  return scenario.task === undefined ? row : { ...row, task };
}
