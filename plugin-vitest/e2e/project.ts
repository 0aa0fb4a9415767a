import { spawn, type ChildProcess } from "node:child_process";
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
import { stripVTControlCharacters } from "node:util";
import { onTestFinished, vi } from "vitest";
import { ensureBuilt, ROOT } from "./built.ts";

/** What a child run of the real runner left. */
export interface Outcome {
  readonly code: number | null;
  /** Standard output and error, ANSI sequences stripped. */
  readonly output: string;
  /** The same, byte for byte. */
  readonly raw: string;
  readonly json: JsonReport;
}

export interface JsonTest {
  readonly title: string;
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages: readonly string[];
  readonly meta: { readonly twiceshy?: Record<string, unknown> };
}

export interface JsonReport {
  readonly success: boolean;
  readonly numTotalTests: number;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly JsonTest[];
  }[];
}

export interface RunOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly command?: readonly string[];
}

export interface Project {
  readonly dir: string;
  write(files: Readonly<Record<string, string>>): void;
  read(name: string): string;
  has(name: string): boolean;
  list(folder: string): string[];
  remove(name: string): void;
  /** Runs node with these arguments. */
  node(
    args: readonly string[],
    env?: RunOptions["env"],
  ): Promise<{ readonly code: number | null; readonly output: string }>;
  /** `vitest run`; one child at a time. */
  run(options?: RunOptions): Promise<Outcome>;
  /** Any `vitest` command that goes on until it is ended. */
  start(args: readonly string[], env?: RunOptions["env"]): Watcher;
}

// A child run takes a second or two on a quiet machine, and many times that on a busy one.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

/** A folder in which a packed twiceshy is installed beside another Vitest (`npm run compat -- --keep` leaves some), to test these two. */
const INSTALLED = process.env["TWICESHY_E2E_INSTALLED"];
/** Another Node for the children. */
const NODE = process.env["TWICESHY_E2E_NODE"] ?? process.execPath;
const HOME = INSTALLED ?? ROOT;
const VITEST = path.join(HOME, "node_modules/vitest/vitest.mjs");

/** Writes a project into a folder inside the repository, so that `vitest` resolves; it is removed after the test. */
export function project(files: Readonly<Record<string, string>>): Project {
  if (INSTALLED === undefined) ensureBuilt();
  const dir = mkdtempSync(path.join(HOME, ".tmp-e2e-"));
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
  const self: Project = {
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
    run: (options = {}) => run(dir, options),
    start: (args, env) => new Watcher(dir, [VITEST, ...args], env ?? {}),
    async node(args, env) {
      const child = new Watcher(dir, args, env ?? {});
      return { code: await child.ended, output: child.output };
    },
  };
  self.write({
    "package.json": '{ "name": "project", "type": "module", "version": "1.0.0" }\n',
    ...files,
  });
  return self;
}

async function run(dir: string, options: RunOptions): Promise<Outcome> {
  const report = path.join(dir, "report.json");
  rmSync(report, { force: true });
  const command = options.command ?? [
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
  ];
  const watcher = new Watcher(
    dir,
    [VITEST, ...command, ...(options.args ?? [])],
    options.env ?? {},
  );
  const code = await watcher.ended;
  const none: JsonReport = {
    success: false,
    numTotalTests: 0,
    numPassedTests: 0,
    numFailedTests: 0,
    testResults: [],
  };
  const json = existsSync(report) ? (JSON.parse(readFileSync(report, "utf8")) as JsonReport) : none;
  return { code, output: stripVTControlCharacters(watcher.raw), raw: watcher.raw, json };
}

/** A child process of the runner whose output can be waited for. */
export class Watcher {
  readonly ended: Promise<number | null>;
  raw = "";
  readonly #child: ChildProcess;
  readonly #listeners = new Set<() => void>();

  constructor(
    dir: string,
    args: readonly string[],
    env: Readonly<Record<string, string | undefined>>,
  ) {
    this.#child = spawn(NODE, args, {
      cwd: dir,
      env: environment(env),
      stdio: ["pipe", "pipe", "pipe"],
    });
    const heard = (chunk: Buffer): void => {
      this.raw += chunk.toString("utf8");
      for (const listener of this.#listeners) listener();
    };
    this.#child.stdout?.on("data", heard);
    this.#child.stderr?.on("data", heard);
    this.ended = new Promise((resolve) => this.#child.on("close", resolve));
    onTestFinished(() => this.end());
  }

  get output(): string {
    return stripVTControlCharacters(this.raw);
  }

  /** Resolves with what was printed since `from` once it matches; fails with all output when it never does. */
  async until(pattern: RegExp, from = 0, ms = 60_000): Promise<string> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const seen = this.output.slice(from);
        if (!pattern.test(seen)) return;
        done();
        resolve(seen);
      };
      const timer = setTimeout(() => {
        done();
        reject(
          new Error(`${pattern} was not printed within ${ms} ms:\n${this.output.slice(from)}`),
        );
      }, ms);
      const done = (): void => {
        clearTimeout(timer);
        this.#listeners.delete(look);
      };
      this.#listeners.add(look);
      look();
    });
  }

  async end(): Promise<void> {
    if (this.#child.exitCode === null) this.#child.kill("SIGTERM");
    const hard = setTimeout(() => this.#child.kill("SIGKILL"), 5000);
    await this.ended;
    clearTimeout(hard);
  }
}

/** The test run's own environment without what would change the child: runner, CI and colour settings. */
function environment(extra: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) =>
    /^(?:PATH|HOME|TMPDIR|TEMP|TMP|SystemRoot|LANG|USER)$/i.test(name),
  );
  const given = Object.entries(extra).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(own), NO_COLOR: "1", ...Object.fromEntries(given) };
}
