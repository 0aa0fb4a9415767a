import type { World } from "../world/world.ts";
import type { Json } from "../shared/json.ts";
import { fingerprint, scenarioDigest } from "./fingerprint.ts";
import { REPORT_VERSION, type ReportHeader } from "./report.ts";
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
  const fixed = { ...workflow, world };
  const rows: ReportHeader["scenarios"][number][] = [];
  for (const scenario of [controlOf(), ...scenarios]) {
    const row = {
      id: scenario.id,
      title: scenario.title,
      digest: scenarioDigest(fixed, scenario),
      trials: scenario.id === CONTROL ? 1 : trials,
    };
    rows.push(scenario.task === undefined ? row : { ...row, task: scenario.task });
  }
  return {
    record: "header",
    schemaVersion: REPORT_VERSION,
    workflow: { id, ...(title === undefined ? {} : { title }), task },
    agent: { id: workflow.agentId ?? nameOf(agent), version: workflow.agentVersion ?? "0" },
    fingerprint: fingerprint(fixed),
    ...(commit === undefined ? {} : { commit }),
    ...(createdAt === undefined ? {} : { createdAt }),
    initialState: world.state as Json,
    tools: Object.entries(world.tools).map(([name, { kind }]) => ({ name, kind })),
    scenarios: rows,
  };
}
