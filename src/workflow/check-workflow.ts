import { messageOf } from "../shared/error.ts";
import { oneLine } from "../shared/text.ts";
import type { World } from "../world/world.ts";
import { worldOf } from "./scenarios.ts";
import { invalidWorkflow, workflowProblems, worldProblems } from "./workflow-problems.ts";
import type { Workflow } from "./workflow.ts";

/**
 * Checks a workflow whoever wrote it; gives its world.
 * @throws E_WORKFLOW_INVALID with everything that is wrong
 */
export function checkWorkflow(workflow: Workflow): World {
  const what = `the workflow ${oneLine(JSON.stringify(workflow.id) ?? "", 60)}`;
  let world: World | undefined;
  const problems: string[] = [];
  try {
    world = worldOf(workflow);
    problems.push(...worldProblems(world));
  } catch (thrown) {
    problems.push(
      `world: the function that makes it threw ${oneLine(messageOf(thrown), 300)}; correct it`,
    );
  }
  const usable = problems.length === 0 ? world : undefined;
  problems.push(...workflowProblems(workflow, usable));
  if (problems.length > 0 || usable === undefined) throw invalidWorkflow(what, problems);
  return usable;
}
