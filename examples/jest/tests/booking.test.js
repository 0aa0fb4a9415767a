import { describeWorkflow, expect, fault, test } from "twiceshy/jest";
import { calendar } from "twiceshy/fixtures";
import { bookSlot } from "../src/agent.js";

const task = "Book slot_42 for customer_7";
const world = calendar();

// One test for the run without a fault, and one for each scenario.
describeWorkflow("books one slot", {
  agent: bookSlot,
  task,
  world,
  scenarios: [
    { id: "lost", faults: [fault.timeoutAfter("reserve_slot")] },
    { id: "early", faults: [fault.timeoutBefore("reserve_slot")] },
    { id: "down", faults: [fault.unavailable("reserve_slot", { repeat: 2 })] },
  ],
  checks: [{ id: "one-booking", label: "Exactly one booking", type: "mutations", expected: 1 }],
});

test("a lost confirmation does not book twice", async ({ runTrial }) => {
  const faults = [fault.timeoutAfter("reserve_slot")];
  const trial = await runTrial({ agent: bookSlot, task, world, faults });
  expect(trial).toHaveReachedFault("timeout_after");
  expect(trial).toHaveExactlyOneMutation({ tool: "reserve_slot" });
});

// A mock is written the same way, without a recorded run.
test("a slot that is gone is reported, not tried again", async ({ replay }) => {
  const args = {
    customerId: "customer_7",
    slot: "slot_42",
    operationKey: "book slot_42 for customer_7",
  };
  const error = { code: "FULL", message: "slot_42 is full", retryable: false };
  const cassette = [{ tool: "reserve_slot", args, error }];
  const result = await replay({ agent: bookSlot, task, cassette });
  expect(result).toNotRepeatFailure();
  expect(result).toStayWithinBudget({ toolCalls: 1 });
});
