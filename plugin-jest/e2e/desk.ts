import type { BaselineEntry } from "../../src/baseline/baseline.ts";
import { resolveConfig } from "../../src/config/load.ts";
import { generate } from "../../src/generate/generate.ts";
import type { Repro } from "../../src/repro/repro.ts";
import { BASELINE, baseline, REPROS, reprosFile } from "../../plugin-vitest/e2e/desk.ts";
import { project, type JestProject } from "./project.ts";

/** The spec of the same repros, as plain JavaScript of a CommonJS project. */
export const SPEC = "tests/failures/desk.agent.spec.js";

/** The project's configuration, with more options and more of Jest's own as source text. */
export function config(options = "", jest = "{}"): string {
  return `const { withTwiceshy } = require("twiceshy/jest/config");
module.exports = withTwiceshy(${jest}, { agent: "./src/agent.js#run"${options === "" ? "" : `, ${options}`} });
`;
}

/** The agent of Vitest's e2e tests, as CommonJS. */
export const AGENT_SOURCE = `const { existsSync, readFileSync } = require("node:fs");
const { join } = require("node:path");
const mode = join(__dirname, "mode.txt");
exports.run = async function run(task, { call }) {
  const behaviour = existsSync(mode) ? readFileSync(mode, "utf8").trim() : task.split(" ").at(-1);
  const id = task.split(" ")[0];
  if (behaviour === "miss") await call("lookup", { id }).catch(() => undefined);
  if (behaviour === "other") throw new TypeError("Cannot read properties of undefined (reading 'total')");
  try {
    await call("refund", { id });
  } catch (error) {
    if (behaviour !== "same") return { status: "blocked", message: "The refund was declined: " + error.message };
  }
  return "Your refund was completed successfully.";
};
`;

/** A project with committed repros, generated as by an earlier run, and a baseline when there are entries. */
export function desk(
  repros: readonly Repro[],
  entries: Readonly<Record<string, BaselineEntry>> = {},
  more: Readonly<Record<string, string>> = {},
): JestProject {
  const made = project({
    "jest.config.js": config(),
    "src/agent.js": AGENT_SOURCE,
    [REPROS]: reprosFile(repros),
    ...(Object.keys(entries).length > 0 ? { [BASELINE]: baseline(entries) } : {}),
    ...more,
  });
  generate(resolveConfig(made.dir, { agent: "./src/agent.js#run", runner: "jest" }));
  return made;
}
