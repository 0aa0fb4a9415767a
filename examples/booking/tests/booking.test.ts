import { calendar } from "twiceshy/fixtures";
import { describeWorkflow, expect, fault, test } from "twiceshy/vitest";
import { bookSlot } from "../src/agent.ts";
import { checks } from "./checks.ts";

const task = "Book slot_42 for customer_7";
const world = calendar({ tools: ["get_slot", "reserve_slot"] });

// One test for the run without a fault, and one for each fault at each tool.
describeWorkflow("books one slot", {
  agent: bookSlot,
  task,
  world,
  scenarios: "matrix",
  checks,
});

test("a lost confirmation does not book twice", async ({ runTrial }) => {
  const trial = await runTrial({
    agent: bookSlot,
    task,
    world,
    faults: [fault.timeoutAfter("reserve_slot")],
  });
  expect(trial).toHaveReachedFault("timeout_after");
  expect(trial).toHaveExactlyOneMutation({ tool: "reserve_slot" });
  expect(trial).toHaveUnchanged("/otherCustomer");
});

test("two outages in a row are waited for", async ({ runTrial }) => {
  const trial = await runTrial({
    agent: bookSlot,
    task,
    world,
    faults: [fault.unavailable("reserve_slot", { repeat: 2 })],
  });
  expect(trial).toHaveReachedFault("unavailable");
  expect(trial.completion?.status).toBe("completed");
});
