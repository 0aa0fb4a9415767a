/** @jest-environment twiceshy/jest/environment */
// Written by twiceshy. Review the repros beside it; this file is rewritten from them.
// Digest of what follows: d24d8e4414ec2ae1

const { describe, expect, replays, test } = require("twiceshy/jest");
const { run } = require("../../src/agent.js");

const replay = replays("refunds.repros.json", run);

describe("tool_error in refund: ToolError: the card is closed (CARD_CLOSED)", () => {
  test("Refund the order A-2 [fed44b5b]", async () => {
    expect(await replay("fed44b5b")).toMatchBaseline();
  });
});
