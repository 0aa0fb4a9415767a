import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { onTestFinished, vi } from "vitest";
import { ensureBuilt, ROOT } from "../../plugin-vitest/e2e/built.ts";
import { Watcher, type JsonReport } from "../../plugin-vitest/e2e/project.ts";

/** What a child run of the real Jest left. */
export interface JestOutcome {
  readonly code: number | null;
  /** Standard output and error, ANSI sequences stripped. */
  readonly output: string;
  readonly json: JsonReport;
}

export interface JestProject {
  readonly dir: string;
  write(files: Readonly<Record<string, string>>): void;
  read(name: string): string;
  has(name: string): boolean;
  list(folder: string): string[];
  remove(name: string): void;
  /** Runs `jest`; one child at a time. */
  run(
    ...args: readonly (string | Readonly<Record<string, string | undefined>>)[]
  ): Promise<JestOutcome>;
  /** Any `jest` command that goes on until it is ended. */
  readonly start: (
    args: readonly string[],
    env?: Readonly<Record<string, string | undefined>>,
  ) => Watcher;
}

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

/** A folder in which a packed twiceshy is installed beside another Jest, to test these two. */
const INSTALLED = process.env["TWICESHY_E2E_INSTALLED"];
const HOME = INSTALLED ?? ROOT;
const JEST = path.join(HOME, "node_modules/jest/bin/jest.js");

/** Writes a CommonJS project into a folder inside the repository, so that `jest` resolves; it is removed after the test. */
export function project(files: Readonly<Record<string, string>>): JestProject {
  if (INSTALLED === undefined) ensureBuilt();
  const dir = mkdtempSync(path.join(HOME, ".tmp-e2e-jest-"));
  onTestFinished(() =>
    rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  );
  mkdirSync(path.join(dir, "node_modules"));
  symlinkSync(
    INSTALLED === undefined ? ROOT : path.join(INSTALLED, "node_modules/twiceshy"),
    path.join(dir, "node_modules/twiceshy"),
    "dir",
  );
  const at = (name: string): string => path.join(dir, name);
  const self: JestProject = {
    dir,
    write(more) {
      for (const [name, text] of Object.entries(more)) {
        mkdirSync(path.dirname(at(name)), { recursive: true });
        writeFileSync(at(name), text);
      }
    },
    read: (name) => readFileSync(at(name), "utf8"),
    has: (name) => existsSync(at(name)),
    list: (folder) => (existsSync(at(folder)) ? readdirSync(at(folder)).sort() : []),
    remove: (name) => rmSync(at(name), { recursive: true }),
    run: (...given) => run(self, given),
    start: (args, env) => new Watcher(dir, [JEST, ...args], env ?? {}),
  };
  self.write({ "package.json": '{ "name": "project", "version": "1.0.0" }\n', ...files });
  return self;
}

async function run(
  { dir, start }: Pick<JestProject, "dir" | "start">,
  given: readonly (string | Readonly<Record<string, string | undefined>>)[],
): Promise<JestOutcome> {
  const report = path.join(dir, "report.json");
  rmSync(report, { force: true });
  const args = given.filter((one) => typeof one === "string");
  const env = Object.assign({}, ...given.filter((one) => typeof one !== "string")) as object;
  const child = start(["-i", "--json", `--outputFile=${report}`, ...args], env as never);
  const code = await child.ended;
  const json = existsSync(report) ? readReport(report) : NONE;
  return { code, output: child.output, json };
}

const NONE: JsonReport = {
  success: false,
  numTotalTests: 0,
  numPassedTests: 0,
  numFailedTests: 0,
  testResults: [],
};

function readReport(file: string): JsonReport {
  return JSON.parse(readFileSync(file, "utf8")) as JsonReport;
}
