// @vitest-environment twiceshy
// Written by twiceshy. Review the repros beside it; this file is rewritten from them.
// Digest of what follows: 90a5ac40d462ba14

import { describe, expect, replays, test } from "twiceshy/vitest";
import { run } from "../../src/agent.ts";

const replay = replays(import.meta.url, "refund-desk.repros.json", run);

describe("exception: TypeError: Cannot read properties of undefined (reading 'card')", () => {
  test("Refund the last order of Linus Pauling [49580629]", async () => {
    expect(await replay("49580629")).toMatchBaseline();
  });
});

describe("loop in searchOrders: searchOrders was called 12 times with the same arguments …", () => {
  test("Refund the last order of Grace Hopper [e444928f]", async () => {
    expect(await replay("e444928f")).toMatchBaseline();
  });
});

describe("tool_error in refund: ToolError: the card of order A-1003 is closed (CARD_CLOSE…", () => {
  test("Refund the last order of Mary Shelley [9a9d9427]", async () => {
    expect(await replay("9a9d9427")).toMatchBaseline();
  });
});
