import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { failure } from "../shared/error.ts";
import { readReport, type RunnerReport } from "./outcome.ts";
import { readJson, start, type RunnerOptions } from "./vitest.ts";

/** Where our reporter for Jest writes what it knows of each test, when it is asked to. */
const REPORT = "TWICESHY_REPORT";
const JEST = { name: "Jest", command: "npx jest" };

/**
 * Runs the generated specs with the project's own Jest and its own configuration, and reads what came out.
 * Throws E_RUNNER_MISSING when Jest is not installed, E_RUNNER_FAILED when it ended without a report.
 */
export async function runJest(options: RunnerOptions): Promise<RunnerReport> {
  const bin = jestOf(options.root);
  const folder = mkdtempSync(join(tmpdir(), "twiceshy-run-"));
  const reportPath = join(folder, "report.json");
  try {
    const env = { ...options.env, [REPORT]: reportPath };
    const said = await start([bin, ...argumentsFor(options)], { ...options, env });
    return readReport(readJson(reportPath, said, JEST));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function argumentsFor({ specs, ids, update }: RunnerOptions): string[] {
  return [
    // A filter is a pattern of paths; without the final slash it would find "tests/failures-old" too.
    "--testPathPatterns",
    `${specs.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)}[/\\\\]`,
    ...(ids === undefined ? [] : ["--testNamePattern", `\\[(?:${ids.join("|")})\\]`]),
    ...(update === "all" ? ["--updateSnapshot"] : []),
    ...(update === "none" ? ["--ci"] : []),
  ];
}

/** The command line of the Jest that the project itself uses. */
function jestOf(root: string): string {
  try {
    const manifest = createRequire(join(root, "package.json")).resolve("jest/package.json");
    return join(dirname(manifest), "bin/jest.js");
  } catch (cause) {
    throw failure("E_RUNNER_MISSING", {
      to: `run the generated specs of ${root}`,
      because: "Jest is not installed there",
      fix: 'Run "npm install --save-dev jest"',
      cause,
    });
  }
}
