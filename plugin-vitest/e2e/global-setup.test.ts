import { expect, test } from "vitest";
import { AGENT_SOURCE, failingTrace, jsonl, SPEC } from "./desk.ts";
import { project } from "./project.ts";

test("the global set-up alone generates, says that the new specs must be run again, and then they run", async () => {
  const p = project({
    "vitest.config.ts": `import { defineConfig } from "vitest/config";
export default defineConfig({ test: { globalSetup: ["twiceshy/vitest/global-setup"] } });\n`,
    "twiceshy.config.json": '{ "agent": "./src/agent.ts#run" }',
    "src/agent.ts": AGENT_SOURCE,
    "mine.test.ts":
      'import { expect, test } from "vitest";\ntest("mine", () => { expect(1).toBe(1); });\n',
    ".twiceshy/traces/one.jsonl": jsonl([failingTrace("A-1 ok"), failingTrace("A-2 same")]),
  });
  const first = await p.run();
  expect(first.json.numTotalTests).toBe(1);
  expect(first.output).toContain(
    `twiceshy wrote ${SPEC} after Vitest had looked for test files: run it again to run the new tests`,
  );
  const second = await p.run();
  expect(second.json).toMatchObject({ numPassedTests: 2, numFailedTests: 1 });
  expect(second.output).not.toContain("run it again");
  expect(p.list("tests/failures")).toContain("desk.baseline.json");
});
