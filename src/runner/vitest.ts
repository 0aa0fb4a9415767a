import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { failure, messageOf, TwiceshyError } from "../shared/error.ts";
import { readCapped } from "../shared/file.ts";
import { isObject } from "../shared/json.ts";
import { parseJson } from "../shared/parse.ts";
import { readReport, type RunnerReport } from "./outcome.ts";

const MAX_REPORT = 256 * 1024 * 1024;
/** How much of the runner's own words is kept for an error message. */
const MAX_SAID = 20_000;

export interface RunnerOptions {
  readonly root: string;
  /** Folder of the generated specs. */
  readonly specs: string;
  /** Repro ids to run; every test when missing. */
  readonly ids?: readonly string[];
  /** What happens to the baseline: as the runner's own default, nothing, or accept what is there now. */
  readonly update: "default" | "none" | "all";
  /** The whole environment of the runner. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

/**
 * Runs the generated specs with the project's own Vitest and its own configuration, and reads what came out.
 * Throws E_RUNNER_MISSING when Vitest is not installed, E_RUNNER_FAILED when it ended without a report.
 */
export async function runVitest(options: RunnerOptions): Promise<RunnerReport> {
  const bin = vitestOf(options.root);
  const folder = mkdtempSync(join(tmpdir(), "twiceshy-run-"));
  const reportPath = join(folder, "report.json");
  try {
    const said = await start([bin, ...argumentsFor(options, reportPath)], options);
    return readReport(readJson(reportPath, said, VITEST));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function argumentsFor({ root, specs, ids, update }: RunnerOptions, reportPath: string): string[] {
  return [
    "run",
    // A filter is a part of a path; without the final slash it would find "tests/failures-old" too.
    `${relative(root, specs).split(sep).join("/")}/`,
    "--reporter=json",
    `--outputFile=${reportPath}`,
    ...(ids === undefined ? [] : ["-t", `\\[(?:${ids.join("|")})\\]`]),
    ...(update === "default" ? [] : [`--update=${update}`]),
  ];
}

/** The command line of the Vitest that the project itself uses. */
function vitestOf(root: string): string {
  try {
    const manifestPath = createRequire(join(root, "package.json")).resolve("vitest/package.json");
    const manifest = parseJson(readCapped(manifestPath, 1024 * 1024));
    const bin = isObject(manifest) ? manifest["bin"] : undefined;
    const path = isObject(bin) ? bin["vitest"] : bin;
    return join(dirname(manifestPath), typeof path === "string" ? path : "vitest.mjs");
  } catch (cause) {
    if (TwiceshyError.is(cause)) throw cause;
    throw failure("E_RUNNER_MISSING", {
      to: `run the generated specs of ${root}`,
      because: "Vitest is not installed there",
      fix: 'Run "npm install --save-dev vitest"',
      cause,
    });
  }
}

/** Starts a Node process and returns the end of what it said; throws only when it cannot be started. */
export function start(
  args: readonly string[],
  { root, env, signal }: Pick<RunnerOptions, "root" | "env" | "signal">,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...env },
      stdio: ["ignore", "pipe", "pipe"],
      ...(signal === undefined ? {} : { signal }),
    });
    let said = "";
    const hear = (chunk: Buffer): void => {
      said = (said + chunk.toString("utf8")).slice(-MAX_SAID);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.once("error", reject);
    child.once("close", () => {
      resolve(said);
    });
  });
}

const VITEST = { name: "Vitest", command: "npx vitest run" };

/** The report that a runner has written; throws E_RUNNER_FAILED when there is none. */
export function readJson(
  path: string,
  said: string,
  runner: typeof VITEST,
): ReturnType<typeof parseJson> {
  try {
    return parseJson(readCapped(path, MAX_REPORT), { nodes: 50_000_000 });
  } catch (cause) {
    throw failure("E_RUNNER_FAILED", {
      to: "run the generated specs",
      because: `${runner.name} ended without a report (${lastLine(said) || messageOf(cause)})`,
      fix: `Run "${runner.command}" to see why`,
      cause,
    });
  }
}

/** The line that most likely tells why: the last one that speaks of an error, else the last one. */
function lastLine(said: string): string {
  const lines = said
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  return (lines.findLast((line) => /error/i.test(line)) ?? lines.at(-1) ?? "").slice(0, 300);
}
