import { describe } from "vitest";
import type { Workflow, WorkflowOf } from "../src/trials.ts";

/** A workflow as tests: its title is the describe's, its id follows from it. */
export interface WorkflowTests extends Omit<Workflow, "id" | "title"> {
  /** Names its report. Default: made from the title. */
  readonly id?: string;
  /** Runs the scenarios side by side. */
  readonly concurrent?: boolean;
}

/** `WorkflowTests` with the types of its task and state: an inline agent needs none of its own. */
type WorkflowTestsOf<Task, State> = Omit<WorkflowOf<Task, State>, "id" | "title"> &
  Pick<WorkflowTests, "id" | "concurrent">;

type Describe = <Task, State>(title: string, workflow: WorkflowTestsOf<Task, State>) => void;

/**
 * One test for the control and one for each scenario. While the control is bad no fault trial runs, and every scenario's test says so.
 * A scenario passes when all of its trials do; one that is inconclusive fails its test, but where `"matrix"` put a fault at a tool
 * that the agent never calls: that one is skipped, with the reason. Everything that is wrong with the workflow fails the file, with
 * E_WORKFLOW_INVALID.
 */
export const describeWorkflow: Describe & { readonly only: Describe; readonly skip: Describe } =
  Object.assign(suite(describe), { only: suite(describe.only), skip: suite(describe.skip) });

function suite(define: typeof describe.only): Describe {
  return (title, given) => {
    const { concurrent, ...tests } = given as unknown as WorkflowTests;
    define(title, concurrent === undefined ? {} : { concurrent }, async () => {
      // Loaded when a file has a workflow: specs that only replay never pay for it.
      const { workflowTests } = await import("./workflow-tests.ts");
      workflowTests(title, tests);
    });
  };
}
