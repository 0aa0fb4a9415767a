import { afterAll, describe, test } from "@jest/globals";
import type { TestFile } from "../src/plugin/evidence-file.ts";
import type {
  DescribeWorkflow,
  RunningScenario,
  WorkflowHost,
  WorkflowTests,
} from "../src/plugin/workflow-tests.ts";
import { workflowTests } from "../src/plugin/workflow-tests.ts";
import { followed, isRunBeside } from "./circus.ts";
import { currentPath, currentTest } from "./current.ts";
import { settingsFor } from "./handover.ts";
import { keep } from "./kept.ts";

/**
 * One test for the control and one for each scenario. While the control is bad no fault trial runs, and every scenario's test says so.
 * A scenario passes when all of its trials do; one that is inconclusive fails its test, but where `"matrix"` put a fault at a tool
 * that the agent never calls: that one is shown as skipped. Everything that is wrong with the workflow fails the file, with
 * E_WORKFLOW_INVALID.
 */
export const describeWorkflow: DescribeWorkflow & {
  readonly only: DescribeWorkflow;
  readonly skip: DescribeWorkflow;
} = Object.assign(suite(describe), { only: suite(describe.only), skip: suite(describe.skip) });

function suite(define: (title: string, body: () => void) => void): DescribeWorkflow {
  return (title, given) => {
    const { concurrent, ...tests } = given as unknown as WorkflowTests;
    define(title, () => workflowTests(title, tests, host(concurrent === true)));
  };
}

function host(concurrent: boolean): WorkflowHost {
  const define = concurrent ? test.concurrent : test;
  const file = testFile();
  return {
    settings: settingsFor(file.path),
    file,
    // The workflow's own checks are what these tests assert; the titles are the scenarios'.
    test: (title, timeout, body) => define(title, () => body(running()), timeout),
    afterAll,
  };
}

function running(): RunningScenario {
  const test = currentTest();
  return {
    skip(reason) {
      if (test !== undefined) keep(test, { skipped: true, note: reason });
    },
    isRunBeside: (name) => test !== undefined && isRunBeside(test, name),
  };
}

/** The test file that is collected now. */
export function testFile(): TestFile {
  return { path: currentPath(), collected: followed() };
}
