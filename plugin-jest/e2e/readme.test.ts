import { expect, test } from "vitest";
import { failingTrace, jsonl } from "../../plugin-vitest/e2e/desk.ts";
import { blocksOf } from "../../src/testing/readme.ts";
import { AGENT_SOURCE } from "./desk.ts";
import { project } from "./project.ts";

test("the configuration of the README makes a captured failure a test of Jest in the first run", async () => {
  const block = blocksOf("README.md").find(({ about }) => about["file"] === "jest.config.js");
  const p = project({
    "jest.config.js": block?.text ?? "none",
    "src/agent.js": AGENT_SOURCE,
    ".twiceshy/traces/a.jsonl": jsonl([failingTrace("A-2 same")]),
  });
  const { json, output } = await p.run();
  expect(json).toMatchObject({ numFailedTests: 1, numTotalTests: 1 });
  expect(output).toContain("new failure: still_fails");
});
