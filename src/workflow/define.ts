import type { Workflow } from "./workflow.ts";

/**
 * A workflow, checked by the compiler alone; what else may be wrong with it is said when it is run, all at once.
 *
 *     export const booking = defineWorkflow({ id: "booking", agent, task, world, scenarios: "matrix", checks });
 */
export function defineWorkflow(workflow: Workflow): Workflow {
  return workflow;
}
