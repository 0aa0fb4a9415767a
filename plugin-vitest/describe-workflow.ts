import { afterAll, describe, expect, inject, test, TestRunner } from "vitest";
import type { TestFile } from "../src/plugin/evidence-file.ts";
import { DEFAULTS } from "../src/plugin/settings.ts";
import type {
  DescribeWorkflow,
  WorkflowHost,
  WorkflowTests,
} from "../src/plugin/workflow-tests.ts";
import { PROVIDED } from "./settings.ts";

/**
 * One test for the control and one for each scenario. While the control is bad no fault trial runs, and every scenario's test says so.
 * A scenario passes when all of its trials do; one that is inconclusive fails its test, but where `"matrix"` put a fault at a tool
 * that the agent never calls: that one is skipped, with the reason. Everything that is wrong with the workflow fails the file, with
 * E_WORKFLOW_INVALID.
 */
export const describeWorkflow: DescribeWorkflow & {
  readonly only: DescribeWorkflow;
  readonly skip: DescribeWorkflow;
} = Object.assign(suite(describe), { only: suite(describe.only), skip: suite(describe.skip) });

function suite(define: typeof describe.only): DescribeWorkflow {
  return (title, given) => {
    const { concurrent, ...tests } = given as unknown as WorkflowTests;
    define(title, concurrent === undefined ? {} : { concurrent }, async () => {
      // Loaded when a file has a workflow: specs that only replay never pay for it.
      const { workflowTests } = await import("../src/plugin/workflow-tests.ts");
      workflowTests(title, tests, host());
    });
  };
}

function host(): WorkflowHost {
  return {
    settings: inject(PROVIDED) ?? DEFAULTS,
    file: testFile(),
    // The workflow's own checks are what these tests assert; the titles are the scenarios'.
    /* oxlint-disable vitest/expect-expect, vitest/valid-title */
    test(title, timeout, body) {
      test(title, { timeout }, async ({ skip, task }) => {
        const isRunBeside = (name: string): boolean => isRun(task.suite?.tasks, name);
        await body({ skip: (reason) => skip(reason), isRunBeside });
      });
    },
    /* oxlint-enable vitest/expect-expect, vitest/valid-title */
    afterAll,
  };
}

/** The test file that is collected now. */
export function testFile(): TestFile {
  const { testPath = "" } = expect.getState();
  const { file } = TestRunner.getCurrentSuite() as { readonly file?: object };
  return { path: testPath, collected: file };
}

/** Whether a test of this name beside the running one is run, too. */
function isRun(
  tasks: readonly { readonly name: string; readonly mode: string }[] | undefined,
  name: string,
): boolean {
  return tasks?.some((task) => task.name === name && task.mode === "run") === true;
}
