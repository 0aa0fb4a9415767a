import { readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { failure, type TwiceshyError } from "../src/shared/error.ts";

/** What of Jest's global configuration says which files a run is about. */
export interface Asked {
  readonly bail?: number;
  readonly nonFlagArgs?: readonly string[];
  readonly onlyChanged?: boolean;
  readonly onlyFailures?: boolean;
  readonly findRelatedTests?: boolean;
  readonly runTestsByPath?: boolean;
  readonly lastCommit?: boolean;
  readonly shard?: object;
  readonly watch?: boolean;
  readonly watchAll?: boolean;
}

const GENERATED = /\.agent\.spec\.[cm]?[jt]s$/u;
/** Options that leave files out and are not told in the configuration. */
const CHOOSES =
  /^--(?:selectProjects|ignoreProjects|filter|testPathPatterns?|testPathIgnorePatterns|changedSince)\b/u;

/** Whether a run was asked for every test that there is. */
export function isWhole(asked: Asked, argv: readonly string[]): boolean {
  const { bail = 0, nonFlagArgs = [] } = asked;
  const part = [
    asked.onlyChanged,
    asked.onlyFailures,
    asked.findRelatedTests,
    asked.runTestsByPath,
    asked.lastCommit,
    asked.watch,
    asked.watchAll,
    asked.shard !== undefined,
    nonFlagArgs.length > 0,
    bail > 0,
    argv.some((argument) => CHOOSES.test(argument)),
  ];
  return !part.includes(true);
}

/**
 * The error of a whole run that did not reach a generated spec: Jest's own settings hide it, and green would mean nothing.
 * Undefined when it reached all.
 */
export function unseen(dir: string, ran: readonly string[]): TwiceshyError | undefined {
  const seen = new Set(ran.map((path) => real(path)));
  const hidden = specsIn(dir).filter((path) => !seen.has(real(path)));
  if (hidden.length === 0) return undefined;
  const [first = ""] = hidden;
  const more = hidden.length === 1 ? "" : ` and ${hidden.length - 1} more`;
  return failure("E_SPECS_UNSEEN", {
    to: `run the generated spec ${first}${more}`,
    because: "Jest's own settings leave it out",
    fix: "Look at testMatch and testRegex (of a preset, too), testPathIgnorePatterns, roots and rootDir, or set specs to a folder that they reach",
  });
}

function specsIn(dir: string): string[] {
  try {
    return readdirSync(dir)
      .filter((name) => GENERATED.test(name))
      .sort()
      .map((name) => join(dir, name));
  } catch {
    return [];
  }
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
