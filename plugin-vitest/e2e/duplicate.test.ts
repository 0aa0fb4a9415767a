import { expect, test } from "vitest";
import { project } from "./project.ts";

const CONFIG = `import { defineConfig } from "vitest/config";
import twiceshy from "twiceshy/vitest/plugin";
export default defineConfig({ plugins: [twiceshy()], test: { include: ["tests/**/*.test.mjs"], isolate: false, fileParallelism: false } });
`;

const spec = (...titles: readonly string[]): string => `import { defineWorld } from "twiceshy";
import { describeWorkflow } from "twiceshy/vitest";
const world = defineWorld({ state: { n: 0 }, tools: { look: { kind: "read", execute: () => 1 } } });
for (const title of ${JSON.stringify(titles)})
  describeWorkflow(title, { agent: async () => "done", task: "x", world, scenarios: [] });
`;

test("two workflows of one file with one id are an error of the file that names both, and the same id in another file is none", async () => {
  const { json } = await project({
    "vitest.config.mjs": CONFIG,
    "tests/a.test.mjs": spec("Books one slot", "Cancels"),
    "tests/b.test.mjs": spec("Books one slot"),
    "tests/c.test.mjs": spec("Books one slot", "books: one slot!"),
  }).run();
  const bad = json.testResults.filter(({ message }) => message !== "");
  expect(json.testResults).toHaveLength(3);
  expect(json.numPassedTests).toBe(3);
  expect(bad).toHaveLength(1);
  const message = JSON.stringify(bad);
  expect(message).toContain("Failed to describe the workflow");
  expect(message).toContain("in tests/c.test.mjs");
  expect(message).toContain("books-one-slot");
});
