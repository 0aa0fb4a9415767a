import { webhooks } from "twiceshy/fixtures";
import { describeWorkflow } from "twiceshy/vitest";
import { applyEvent } from "../src/agent.ts";

// Every fault that applies, at every tool of the world: the checks are the fixture's own.
describeWorkflow("applies a webhook once", {
  agent: applyEvent,
  task: webhooks.task,
  world: webhooks(),
  scenarios: "matrix",
  checks: webhooks.checks,
});
